"""What tickets come in: folders, mailboxes, exports of trackers, archives of them. All of it is hostile."""

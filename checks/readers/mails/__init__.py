"""Mails, one or a whole mailbox, as text, with who wrote what, when, and what it answers."""

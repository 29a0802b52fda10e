"""What a report says, in words, before anything draws it."""

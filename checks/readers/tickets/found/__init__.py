"""What a pasted text states about a machine, one kind of evidence per module."""

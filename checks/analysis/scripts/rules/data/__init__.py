"""What a program reads: in which order, and whether it may be trusted."""

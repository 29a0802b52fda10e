"""What failed, in the words of the programs that failed: what several checks read from error texts."""

"""What leaves the machine and comes from others: case files, redaction, two cases beside each other."""

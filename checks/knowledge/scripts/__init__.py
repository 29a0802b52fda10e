"""What programs call: random generators and what seeds them, operations by their names in programs."""

"""What is there: the machine, its environment, and each framework."""

"""What fits no family: the program's own fault, and what the evidence does not single out."""

"""What is said of programs that were watched, and of those with a runtime of their own."""

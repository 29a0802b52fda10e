"""What a case says of programs: the user's own as it ran, and those that bring their own runtime."""

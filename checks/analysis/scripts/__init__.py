"""What keeps a run of a program from being repeated, read from its text: one rule a module in rules/."""

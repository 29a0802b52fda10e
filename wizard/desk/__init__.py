"""The window of the support desk: many tickets as a list, what they have in common, and their answers."""

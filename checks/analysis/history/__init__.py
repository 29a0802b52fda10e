"""What an examination saw, in a form that two can be compared by; and which difference can explain a failure."""

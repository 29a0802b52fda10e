"""What runs in the background of the window."""

"""The window around the pages: its frame, look, icons and start."""

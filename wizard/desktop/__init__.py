"""What the desktop gives: palette, icons, folders chosen before, dropped files, and whether there is a screen."""

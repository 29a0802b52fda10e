"""A remedy is tried in a throw-away copy before it is recommended: it failed before, and ran after."""

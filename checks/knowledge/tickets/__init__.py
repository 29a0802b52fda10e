"""Tables of how people and programs word things."""

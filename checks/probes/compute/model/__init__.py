"""The user's own model, run again and again."""

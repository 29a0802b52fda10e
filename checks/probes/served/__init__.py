"""A served model asked again and again, and what came of it."""

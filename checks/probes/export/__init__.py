"""A model exported, and the result compared with the original."""

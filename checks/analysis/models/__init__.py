"""Model files: what they need, how they ran, and how two of them differ."""

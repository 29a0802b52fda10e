"""Programs as facts: the user's own as it was watched, and those that bring their own runtime."""

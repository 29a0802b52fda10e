"""Model files as facts: what they are and need, how they ran, and what a runtime makes of them."""

"""What quantisation loses in the user's own model, layer by layer."""

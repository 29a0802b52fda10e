"""Files beside weights that name what their loader imports, calls or runs."""

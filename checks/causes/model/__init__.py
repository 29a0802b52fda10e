"""Model files and the runtimes that read them."""

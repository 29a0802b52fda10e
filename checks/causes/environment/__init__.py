"""The interpreter, its packages and the shared libraries that they load."""

"""Does a model file load and run, in one runtime per module."""

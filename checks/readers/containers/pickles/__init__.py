"""Pickles read without unpickling: read.py follows one stream, whole.py also those within it."""

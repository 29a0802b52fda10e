"""Pickles and other model files that run something when they are loaded, made for the tests and never kept as files."""

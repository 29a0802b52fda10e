"""Computations in NumPy."""

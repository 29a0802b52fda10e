"""Computations in JAX."""

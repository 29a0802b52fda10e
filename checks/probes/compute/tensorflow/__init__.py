"""Computations in TensorFlow."""

"""Computations in PyTorch."""

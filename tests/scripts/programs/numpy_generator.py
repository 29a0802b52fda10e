"""Estimates pi by points in a square."""

from numpy.random import default_rng

rng = default_rng()
points = rng.random((10_000, 2))
print(4 * int((points**2).sum(axis=1).__lt__(1).sum()) / len(points))

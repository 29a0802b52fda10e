"""Computations: inputs, fingerprints, differences, and what is measured of them."""

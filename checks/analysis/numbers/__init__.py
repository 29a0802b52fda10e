"""Computed numbers: how far results are apart, what that size tells, and what explains it."""

"""Throw-away copies in which remedies are tried."""

"""Formats of frameworks that are no longer developed."""

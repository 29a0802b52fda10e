"""Formats that many frameworks read and write."""

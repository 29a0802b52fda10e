"""Widgets that pages and plots are made of."""

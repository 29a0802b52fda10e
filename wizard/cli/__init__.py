"""Naosu without a window: what all headless commands share, and in commands/ one module each."""

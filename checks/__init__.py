"""What is wrong with a machine, an interpreter or a model, and what mends it. Knows no Qt."""

__version__ = "0.1.0"

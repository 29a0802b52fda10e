"""What NumPy computes in this interpreter, on the processor, a stage per kind of measurement.

Written for NumPy 1.17 to 2.5.
"""

from ..runner import stages

ESSENTIAL = ("imported",)


def imported(argument):
    """Import NumPy."""
    import numpy as np

    return {"version": str(np.__version__), "device": argument["device"]}


STAGES = stages("numpy", imported, kinds=("experiment", "portrait", "precision", "flip"))

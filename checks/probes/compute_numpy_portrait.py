"""Portraits of what NumPy computes, beside which those of the frameworks stand (``naosu_compute_numpy_portrait``)."""

import naosu_compute_kit as compute
import naosu_compute_numpy_operations as numpy_operations
import naosu_compute_portrait as portrait
from naosu_compute_operations import portrait_entries


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import numpy as np

    def measured(operation, _clock):
        given = numpy_operations.inputs(np, operation)
        figures = portrait.numpy_portrait(np, numpy_operations.run(np, operation, given))
        return dict(figures, condition=numpy_operations.condition(np, operation, given))

    yield from compute.measure_listed(
        portrait_entries("numpy", argument, numpy_operations.KNOWN), clock, measured, argument
    )

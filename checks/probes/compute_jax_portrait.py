"""Portraits of what JAX computes, on the inputs of all other frameworks (``naosu_compute_jax_portrait``)."""

import naosu_compute_jax_device as jax_device
import naosu_compute_kit as compute
import naosu_compute_numpy_operations as by_numpy
import naosu_compute_portrait as portrait
from naosu_compute_jax_bench import ways
from naosu_compute_operations import portrait_entries


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import jax
    import numpy as np

    device = jax_device.of(jax, argument["device"])
    known = {name: jax.jit(way) for name, way in ways(jax).items()}  # compiled by XLA as usual

    def measured(operation, _clock):
        drawn = by_numpy.inputs(np, operation)
        result = known[operation.name](*(jax.device_put(each, device) for each in drawn))
        figures = portrait.numpy_portrait(np, np.asarray(result))
        return dict(figures, condition=by_numpy.condition(np, operation, drawn))

    yield from compute.measure_listed(portrait_entries("jax", argument, known), clock, measured, argument)

"""Portraits of what TensorFlow computes, on the inputs of all frameworks (``naosu_compute_tensorflow_portrait``)."""

import naosu_compute_kit as compute
import naosu_compute_numpy_operations as by_numpy
import naosu_compute_portrait as portrait
from naosu_compute_operations import portrait_entries
from naosu_compute_tensorflow_bench import ways


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import numpy as np
    import tensorflow as tf

    known = ways(tf)

    def measured(operation, _clock):
        drawn = by_numpy.inputs(np, operation)
        with tf.device("/" + argument["device"]):
            result = known[operation.name](*(tf.constant(each) for each in drawn)).numpy()
        return dict(portrait.numpy_portrait(np, result), condition=by_numpy.condition(np, operation, drawn))

    yield from compute.measure_listed(portrait_entries("tensorflow", argument, known), clock, measured, argument)

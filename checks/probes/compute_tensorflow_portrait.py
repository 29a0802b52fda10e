"""Portraits of what TensorFlow computes, on the inputs of all frameworks (``naosu_compute_tensorflow_portrait``)."""

import naosu_compute_kit as compute
import naosu_compute_numpy_operations as by_numpy
import naosu_compute_portrait as portrait
from naosu_compute_operations import portrait_entries


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import numpy as np
    import tensorflow as tf

    ways = _ways(tf)

    def measured(operation, _clock):
        drawn = by_numpy.inputs(np, operation)
        with tf.device("/" + argument["device"]):
            result = ways[operation.name](*(tf.constant(each) for each in drawn)).numpy()
        return dict(portrait.numpy_portrait(np, result), condition=by_numpy.condition(np, operation, drawn))

    yield from compute.measure(portrait_entries("tensorflow", argument, ways), clock, measured)


def _ways(tf):
    """Operation -> how TensorFlow computes it. Pictures have their channels last there."""

    def conv(pictures, kernels):
        return tf.nn.conv2d(pictures, tf.transpose(kernels, (2, 3, 1, 0)), 1, "SAME")

    def last(pictures):
        return tf.transpose(pictures, (0, 2, 3, 1))

    def first(pictures):
        return tf.transpose(pictures, (0, 3, 1, 2))

    def attention(queries, keys, values):
        root = tf.sqrt(tf.cast(queries.shape[-1], tf.float32))
        return tf.matmul(tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True) / root), values)

    def layer_norm(row):
        mean, variance = tf.nn.moments(row, (-1,), keepdims=True)
        return (row - mean) / tf.sqrt(variance + by_numpy.EPSILON)

    def network(pictures, one, two, dense):
        kept = tf.nn.max_pool2d(tf.nn.relu(conv(last(pictures), one)), 2, 2, "VALID")
        kept = first(tf.nn.max_pool2d(tf.nn.relu(conv(kept, two)), 2, 2, "VALID"))
        return tf.matmul(tf.reshape(kept, (kept.shape[0], -1)), dense, transpose_b=True)

    return {
        "matmul": tf.matmul,
        "conv2d": lambda pictures, kernels: first(conv(last(pictures), kernels)),
        "linear": lambda rows, weights, bias: tf.matmul(rows, weights, transpose_b=True) + bias,
        "attention": attention,
        "softmax": lambda row: tf.nn.softmax(row * 8),
        "layer-norm": layer_norm,
        "network": network,
        "sum": lambda row: tf.reshape(tf.reduce_sum(row), (1,)),
        "row-sum": lambda rows: tf.reduce_sum(rows, -1),
        "exp": lambda row: tf.exp(row * 8),
        "tanh": lambda row: tf.tanh(row * 8),
        "erf": lambda row: tf.math.erf(row * 4),
    }

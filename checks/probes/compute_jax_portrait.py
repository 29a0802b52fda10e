"""Portraits of what JAX computes, on the inputs of all other frameworks (``naosu_compute_jax_portrait``)."""

import naosu_compute_jax_device as jax_device
import naosu_compute_kit as compute
import naosu_compute_numpy_operations as by_numpy
import naosu_compute_portrait as portrait
from naosu_compute_operations import portrait_entries


def stage(argument, clock):
    """The facts of the kind "portrait"."""
    import jax
    import numpy as np

    device = jax_device.of(jax, argument["device"])
    ways = _ways(jax)

    def measured(operation, _clock):
        drawn = by_numpy.inputs(np, operation)
        result = ways[operation.name](*(jax.device_put(each, device) for each in drawn))
        figures = portrait.numpy_portrait(np, np.asarray(result))
        return dict(figures, condition=by_numpy.condition(np, operation, drawn))

    yield from compute.measure(portrait_entries("jax", argument, ways), clock, measured)


def _ways(jax):
    """Operation -> how JAX computes it, compiled by XLA as usual."""
    jnp = jax.numpy

    def conv(pictures, kernels):
        return jax.lax.conv_general_dilated(pictures, kernels, (1, 1), "SAME")

    def pooled(pictures):
        windows = (1, 1, 2, 2)
        return jax.lax.reduce_window(jax.nn.relu(pictures), -jnp.inf, jax.lax.max, windows, windows, "VALID")

    def attention(queries, keys, values):
        scores = queries @ keys.transpose(0, 1, 3, 2) / jnp.sqrt(jnp.float32(queries.shape[-1]))
        return jax.nn.softmax(scores, -1) @ values

    def layer_norm(row):
        deviation = jnp.sqrt(row.var(-1, keepdims=True) + jnp.float32(by_numpy.EPSILON))
        return (row - row.mean(-1, keepdims=True)) / deviation

    def network(pictures, first, second, dense):
        kept = pooled(conv(pooled(conv(pictures, first)), second))
        return kept.reshape(len(kept), -1) @ dense.T

    ways = {
        "matmul": jnp.matmul,
        "conv2d": conv,
        "linear": lambda rows, weights, bias: rows @ weights.T + bias,
        "attention": attention,
        "softmax": lambda row: jax.nn.softmax(row * 8, -1),
        "layer-norm": layer_norm,
        "network": network,
        "sum": lambda row: row.sum().reshape(1),
        "row-sum": lambda rows: rows.sum(-1),
        "exp": lambda row: jnp.exp(row * 8),
        "tanh": lambda row: jnp.tanh(row * 8),
        "erf": lambda row: jax.scipy.special.erf(row * 4),
    }
    return {name: jax.jit(way) for name, way in ways.items()}

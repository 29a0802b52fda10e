"""The operations of compute_operations.py in JAX, under settings (``compute.jax.bench``).

Written for JAX 0.2 to 0.10.
"""

import contextlib
import time

from .. import timing
from ..runs import NotTried, Variables
from . import device as jax_device

EPSILON = 1e-5  # of the layer norm, as in PyTorch
PLAIN, LAYOUT, WIDE = "op-by-op", "channels-last", "x64"
DIGITS = "jax-precision-"  # values of jax_default_matmul_precision
_FLAGS = "XLA_FLAGS"
# What XLA reads once, when it starts; the names are those of jaxlib 0.10.2, and one that is not known ends the process.
_VARIABLES = {
    "platform-math-off": {_FLAGS: "--xla_cpu_enable_platform_dependent_math=false"},
    "older-instructions": {_FLAGS: "--xla_cpu_max_isa=SSE4_2"},
    "excess-precision-off": {_FLAGS: "--xla_allow_excess_precision=false"},
    "autotune-off": {_FLAGS: "--xla_gpu_autotune_level=0"},
    "deterministic": {_FLAGS: "--xla_gpu_deterministic_ops=true"},
}
_THREADS = ("PJRT_NPROC", "NPROC")  # as many threads as these say there are processors; the second is the older one


class Computer(Variables):
    """Computes in this process, on a device."""

    framework, processor = "jax", "cpu:0"
    by_setting, threads_by = _VARIABLES, _THREADS
    starts_in = 2.0  # seconds that must be left to start another process

    def __init__(self, device):
        import jax

        self._jax, self.device = jax, device
        self._known = {}
        self.names = frozenset(ways(jax))

    def type_named(self, dtype):
        """A type of NumPy, or of the package that JAX has for those that NumPy lacks."""
        return self._jax.numpy.dtype(getattr(self._jax.numpy, dtype))

    def result(self, operation, given, run, timed):
        """The array, and where it is timed how long a call takes when all is warm (see compute_timing)."""
        import numpy as np

        with contextlib.ExitStack() as stack:
            if WIDE in run.settings or run.dtype == "float64":
                stack.enter_context(jax_device.wide(self._jax))
            for setting in run.settings:
                if setting.startswith(DIGITS):
                    self._enter_digits(stack, setting[len(DIGITS) :])
            given = [each.astype(self.type_named(run.dtype)) for each in given] if run.dtype else given
            given = given if run.rows is None else operation.rows(given, run.rows)
            device = jax_device.of(self._jax, run.device)
            put = [self._jax.device_put(each, device) for each in given]
            way = self._way(operation.name, run.settings)
            array = np.asarray(way(*put))

            def seconds():
                began = time.perf_counter()
                np.asarray(way(*put))
                return time.perf_counter() - began

            return array, timing.timed(seconds) if timed else None

    def _enter_digits(self, stack, level):
        try:
            stack.enter_context(self._jax.default_matmul_precision(level))
        except ValueError as error:  # older versions know fewer of them
            raise NotTried("not-in-version", level) from error

    def _way(self, name, settings):
        """The operation as a function, compiled as usual, or call by call."""
        key = (name, LAYOUT in settings, PLAIN in settings)
        if key not in self._known:
            way = ways(self._jax, LAYOUT in settings)[name]
            self._known[key] = way if PLAIN in settings else self._jax.jit(way)
        return self._known[key]


def ways(jax, is_channels_last=False):
    """Operation -> how JAX computes it. Pictures come with their channels first."""
    jnp = jax.numpy
    names = ("NHWC", "HWIO", "NHWC") if is_channels_last else ("NCHW", "OIHW", "NCHW")

    def conv(pictures, kernels):
        kernels = kernels.transpose(2, 3, 1, 0) if is_channels_last else kernels
        return jax.lax.conv_general_dilated(pictures, kernels, (1, 1), "SAME", dimension_numbers=names)

    def into(pictures):
        return pictures.transpose(0, 2, 3, 1) if is_channels_last else pictures

    def back(pictures):
        return pictures.transpose(0, 3, 1, 2) if is_channels_last else pictures

    def pooled(pictures):
        windows = (1, 2, 2, 1) if is_channels_last else (1, 1, 2, 2)
        least = pictures.dtype.type(-jnp.inf)
        return jax.lax.reduce_window(jax.nn.relu(pictures), least, jax.lax.max, windows, windows, "VALID")

    def attention(queries, keys, values):
        scores = queries @ keys.transpose(0, 1, 3, 2) / jnp.sqrt(queries.dtype.type(queries.shape[-1]))
        return jax.nn.softmax(scores, -1) @ values

    def layer_norm(row):
        deviation = jnp.sqrt(row.var(-1, keepdims=True) + row.dtype.type(EPSILON))
        return (row - row.mean(-1, keepdims=True)) / deviation

    def network(pictures, first, second, dense):
        kept = back(pooled(conv(pooled(conv(into(pictures), first)), second)))
        return kept.reshape(len(kept), -1) @ dense.T

    return {
        "matmul": jnp.matmul,
        "conv2d": lambda pictures, kernels: back(conv(into(pictures), kernels)),
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

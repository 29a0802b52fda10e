"""The operations of compute_operations.py in TensorFlow, under settings (``compute.tensorflow.bench``).

Written for TensorFlow 2.1 to 2.21.
"""

import contextlib
import time

from .. import kit as compute
from .. import timing
from ..runs import NotTried, Variables, is_x86

EPSILON = 1e-5  # of the layer norm, as in PyTorch
GRAPH, COMPILED, LAYOUT = "graph", "compiled", "channels-first"
MIXED = "mixed-"
_STRICT = {"ONEDNN_DEFAULT_FPMATH_MODE": "STRICT", "TF_SET_ONEDNN_FPMATH_MODE": ""}
# What TensorFlow or its oneDNN reads once, when it starts. A variable that was set before is written over.
_VARIABLES = {
    "mkldnn-off": {"TF_ENABLE_ONEDNN_OPTS": "0"},
    "mkldnn-ieee": _STRICT,
    "mkldnn-bf16": {"TF_SET_ONEDNN_FPMATH_MODE": "BF16"},
    "older-instructions": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
    "autotune-off": {"TF_CUDNN_USE_AUTOTUNE": "0"},
    "deterministic": {"TF_DETERMINISTIC_OPS": "1"},
}
_THREADS = ("TF_NUM_INTRAOP_THREADS",)


class Computer(Variables):
    """Computes in this process, on a device."""

    framework, processor = "tensorflow", "CPU:0"
    by_setting, threads_by = _VARIABLES, _THREADS
    starts_in = 4.0  # seconds that must be left to start another process

    def __init__(self, device):
        import tensorflow as tf

        self._tf, self.device = tf, device
        self._known = {}
        self.names = frozenset(ways(tf))

    def type_named(self, dtype):
        """A type of NumPy, or of the package that TensorFlow has for those that NumPy lacks."""
        return self._tf.as_dtype(dtype).as_numpy_dtype

    def result(self, operation, given, run, timed):
        """The array, and where it is timed how long a call takes when all is warm (see compute_timing)."""
        tf = self._tf
        mixed = next((setting[len(MIXED) :] for setting in run.settings if setting.startswith(MIXED)), None)
        dtype = mixed or run.dtype
        with tf.device("/" + run.device), self._digits(run.settings):
            put = [tf.constant(each) for each in given]
            # As the layers of Keras do under a policy of mixed precision: inputs and weights become the shorter type.
            put = [tf.cast(each, dtype) for each in put] if dtype else put
            if run.rows is not None:
                put = operation.rows(put, run.rows)
            way = self._way(operation.name, run.settings)
            try:
                array = way(*put).numpy()
            except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError) as error:
                if LAYOUT in run.settings:  # which most processors have not
                    raise NotTried("not-on-device") from error
                raise

            def seconds():
                began = time.perf_counter()
                way(*put).numpy()
                return time.perf_counter() - began

            return array, timing.timed(seconds) if timed else None

    def _way(self, name, settings):
        """The operation as a function: call by call, as a graph, or compiled."""
        how = tuple(each for each in (LAYOUT, GRAPH, COMPILED) if each in settings)
        key = (name, how, "tf32-off" in settings)  # a compiled function keeps its digits
        if key not in self._known:
            way = ways(self._tf, LAYOUT in how)[name]
            if COMPILED in how:
                way = self._tf.function(way, jit_compile=True)
            elif GRAPH in how:
                way = self._tf.function(way)
            self._known[key] = way
        return self._known[key]

    @contextlib.contextmanager
    def _digits(self, settings):
        """TensorFloat-32 on or off; TensorFlow 2.4."""
        wanted = next((setting for setting in settings if setting in ("tf32-on", "tf32-off")), None)
        if wanted is None:
            yield
            return
        of = self._tf.config.experimental
        before = of.tensor_float_32_execution_enabled()
        of.enable_tensor_float_32_execution(wanted == "tf32-on")
        try:
            yield
        finally:
            of.enable_tensor_float_32_execution(before)

    # --- what can be asked of this version on this device ---

    @property
    def is_processor(self):
        """Whether it is the processor."""
        return compute.is_processor(self.device)

    @property
    def has_compiler(self):
        """``jit_compile`` is of 2.5."""
        return _version(self._tf) >= (2, 5)

    @property
    def has_tf32_switch(self):
        """Only GPUs heed it."""
        return not self.is_processor and hasattr(self._tf.config.experimental, "enable_tensor_float_32_execution")

    @property
    def threads(self):
        """The threads of one operation, which are as many as there are processors unless a variable says otherwise."""
        return self._tf.config.threading.get_intra_op_parallelism_threads() or super().threads

    @property
    def has_onednn(self):
        """On by default from 2.9 on x86 processors with AVX-512 or AMX, under Linux and later Windows."""
        return self.is_processor and _version(self._tf) >= (2, 5) and is_x86()


def _version(tf):
    return tuple(int(part) for part in tf.__version__.split(".")[:2])


def ways(tf, is_channels_first=False):
    """Operation -> how TensorFlow computes it. Pictures come with their channels first, and are usual there last."""
    layout = "NCHW" if is_channels_first else "NHWC"

    def conv(pictures, kernels):
        return tf.nn.conv2d(pictures, tf.transpose(kernels, (2, 3, 1, 0)), 1, "SAME", data_format=layout)

    def pooled(pictures):
        return tf.nn.max_pool2d(tf.nn.relu(pictures), 2, 2, "VALID", data_format=layout)

    def into(pictures):
        return pictures if is_channels_first else tf.transpose(pictures, (0, 2, 3, 1))

    def back(pictures):
        return pictures if is_channels_first else tf.transpose(pictures, (0, 3, 1, 2))

    def attention(queries, keys, values):
        root = tf.sqrt(tf.cast(queries.shape[-1], queries.dtype))
        return tf.matmul(tf.nn.softmax(tf.matmul(queries, keys, transpose_b=True) / root), values)

    def layer_norm(row):
        mean, variance = tf.nn.moments(row, (-1,), keepdims=True)
        return (row - mean) / tf.sqrt(variance + EPSILON)

    def network(pictures, one, two, dense):
        kept = back(pooled(conv(pooled(conv(into(pictures), one)), two)))
        return tf.matmul(tf.reshape(kept, (kept.shape[0], -1)), dense, transpose_b=True)

    return {
        "matmul": tf.matmul,
        "conv2d": lambda pictures, kernels: back(conv(into(pictures), kernels)),
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

"""TensorFlow as a backend. Written for TensorFlow 2.1 to 2.21.

What holds on a GPU alone (TensorFloat-32, float16 under mixed precision, autotuning, pairs of a processor and a GPU)
is written from TensorFlow's documentation, and has never run.
"""

import contextlib

from ..arrays import ArrayBackend
from ..operations import PICTURES, SEED
from ..runs import BATCH, FULL, NotTried, is_x86, thread_counts
from .operations import ways

GRAPH, COMPILED, LAYOUT = "graph", "compiled", "channels-first"
MIXED = "mixed-"


class Backend(ArrayBackend):
    """TensorFlow on one device: call by call as usual, as a graph, or compiled."""

    framework, processor = "tensorflow", "CPU:0"
    telling = (BATCH, COMPILED, LAYOUT, "tf32-off")
    # What TensorFlow or its oneDNN reads once, when it starts. A variable that was set before is written over.
    by_setting = {  # noqa: RUF012
        "mkldnn-off": {"TF_ENABLE_ONEDNN_OPTS": "0"},
        "mkldnn-ieee": {"ONEDNN_DEFAULT_FPMATH_MODE": "STRICT", "TF_SET_ONEDNN_FPMATH_MODE": ""},
        "mkldnn-bf16": {"TF_SET_ONEDNN_FPMATH_MODE": "BF16"},
        "older-instructions": {"ONEDNN_MAX_CPU_ISA": "AVX2"},
        "autotune-off": {"TF_CUDNN_USE_AUTOTUNE": "0"},
        "deterministic": {"TF_DETERMINISTIC_OPS": "1"},
    }
    threads_by = ("TF_NUM_INTRAOP_THREADS",)
    starts_in = 4.0
    layouts = ("channels-last", LAYOUT)
    at_once = -1  # with 2.21.0 one thread gave the bits of two, four did not

    def __init__(self, device):
        import tensorflow as tf

        super().__init__(device)
        self._tf = tf
        self._compiled = {}
        self.names = frozenset(ways(tf))

    @property
    def compiling(self):
        """``jit_compile`` is of 2.5."""
        return COMPILED if self._release >= (2, 5) else ""

    @property
    def full_digits(self):
        """Only GPUs heed the switch, which is of 2.4."""
        has_switch = hasattr(self._tf.config.experimental, "enable_tensor_float_32_execution")
        return "tf32-off" if has_switch and not self.is_processor else ""

    @property
    def other(self):
        """The library oneDNN is on by default from 2.9 on x86 with AVX-512 or AMX, on Linux and later Windows."""
        return "mkldnn-off" if self.is_processor and self._release >= (2, 5) and is_x86() else ""

    @property
    def threads(self):
        """The threads of one operation, as many as there are processors unless a variable says otherwise."""
        return self._tf.config.threading.get_intra_op_parallelism_threads() or super().threads

    @property
    def _release(self):
        return tuple(int(part) for part in self._tf.__version__.split(".")[:2])

    def type_named(self, dtype):
        """A type of NumPy, or of the package that TensorFlow has for those that NumPy lacks."""
        return self._tf.as_dtype(dtype).as_numpy_dtype

    @contextlib.contextmanager
    def ready(self, operation, inputs, run):
        """A call that computes a run."""
        tf = self._tf
        mixed = next((setting[len(MIXED) :] for setting in run.settings if setting.startswith(MIXED)), None)
        dtype = mixed or run.dtype
        with tf.device("/" + run.device), self._digits(run.settings):
            placed = [tf.constant(array) for array in inputs]
            # As the layers of Keras do under a policy of mixed precision: inputs and weights become the shorter type.
            placed = [tf.cast(tensor, dtype) for tensor in placed] if dtype else placed
            if run.rows is not None:
                placed = operation.rows(placed, run.rows)
            function = self._function(operation.name, run.settings)
            try:
                yield lambda: function(*placed).numpy()
            except (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError) as error:
                if LAYOUT in run.settings:  # which most processors have not
                    raise NotTried("not-on-device") from error
                raise

    def stream(self, stream):
        """Random numbers of a generator of its own, on the device; it is of 2.2."""
        generators = getattr(self._tf.random, "Generator", None)
        if generators is None:
            raise NotTried("not-in-version", "tf.random.Generator")
        with self._tf.device("/" + self.device):
            return generators.from_seed(SEED, alg="philox").normal((stream.count,)).numpy()

    def _function(self, name, settings):
        forms = tuple(form for form in (LAYOUT, GRAPH, COMPILED) if form in settings)
        key = (name, forms, "tf32-off" in settings)  # a compiled function keeps its digits
        if key not in self._compiled:
            function = ways(self._tf, LAYOUT in forms)[name]
            if COMPILED in forms:
                function = self._tf.function(function, jit_compile=True)
            elif GRAPH in forms:
                function = self._tf.function(function)
            self._compiled[key] = function
        return self._compiled[key]

    @contextlib.contextmanager
    def _digits(self, settings):
        """TensorFloat-32 on or off; TensorFlow 2.4."""
        wanted = next((setting for setting in settings if setting in ("tf32-on", "tf32-off")), None)
        if wanted is None:
            yield
            return
        experimental = self._tf.config.experimental
        before = experimental.tensor_float_32_execution_enabled()
        experimental.enable_tensor_float_32_execution(wanted == "tf32-on")
        try:
            yield
        finally:
            experimental.enable_tensor_float_32_execution(before)

    def other_settings(self, operation, dtype):
        """The settings under which digits are measured, but for the batch."""
        if self.compiling:
            yield COMPILED
        if dtype != FULL:
            return
        yield GRAPH
        if operation.name in PICTURES:
            yield LAYOUT
        if operation.products:
            if self.full_digits:
                yield "tf32-off"
                yield "tf32-on"
            yield MIXED + "bfloat16"
            if not self.is_processor:
                yield MIXED + "float16"
        yield from self._settings_of_processes(operation)

    def _settings_of_processes(self, operation):
        if not self.is_processor:
            yield "deterministic"
            if operation.name in PICTURES:
                yield "autotune-off"
            return
        if self.other:
            yield self.other
        for count in thread_counts(self.threads):
            yield "threads-%d" % count
        if self.other:
            if operation.products:
                yield "mkldnn-ieee"
                yield "mkldnn-bf16"
            yield "older-instructions"

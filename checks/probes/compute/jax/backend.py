"""JAX as a backend. Written for JAX 0.2 to 0.10.

What holds on a GPU or TPU alone (fewer digits by default, autotuning, pairs of a processor and a GPU) is written from
JAX's documentation, and has never run.
"""

import contextlib

from ..arrays import ArrayBackend
from ..operations import PICTURES, SEED
from ..runs import BATCH, FULL, NotTried, is_x86, thread_counts
from . import device as jax_device
from .operations import ways

PLAIN, LAYOUT, WIDE = "op-by-op", "channels-last", "x64"
DIGITS = "jax-precision-"  # values of jax_default_matmul_precision
# The levels of it; "float32" is what is called "highest" elsewhere, and of every version.
LEVELS = ("float32", "high", "tensorfloat32", "bfloat16")
FEW = ("matmul", "conv2d", "sum")  # operations that show that something changes nothing
_FLAGS = "XLA_FLAGS"


class Backend(ArrayBackend):
    """JAX on one device, compiled as usual or operation by operation."""

    framework = "jax"
    telling = (BATCH, PLAIN, LAYOUT, DIGITS + "float32")
    # What XLA reads once, when it starts; the names are those of jaxlib 0.10.2, and an unknown one ends the process.
    by_setting = {  # noqa: RUF012
        "platform-math-off": {_FLAGS: "--xla_cpu_enable_platform_dependent_math=false"},
        "older-instructions": {_FLAGS: "--xla_cpu_max_isa=SSE4_2"},
        "excess-precision-off": {_FLAGS: "--xla_allow_excess_precision=false"},
        "autotune-off": {_FLAGS: "--xla_gpu_autotune_level=0"},
        "deterministic": {_FLAGS: "--xla_gpu_deterministic_ops=true"},
    }
    # As many threads as these say there are processors; the second is the older one.
    threads_by = ("PJRT_NPROC", "NPROC")
    starts_in = 2.0
    compiling = PLAIN
    layouts = ("channels-first", LAYOUT)  # the first is what PyTorch uses, and these inputs have

    def __init__(self, device):
        import jax

        super().__init__(device)
        self._jax = jax
        self._compiled = {}
        self.names = frozenset(ways(jax))

    @property
    def other(self):
        """XLA has such a choice on x86 alone."""
        return "older-instructions" if is_x86() else ""

    @property
    def full_digits(self):
        """On a processor the levels of precision have no effect."""
        return "" if self.is_processor else DIGITS + "float32"

    def type_named(self, dtype):
        """A type of NumPy, or of the package that JAX has for those that NumPy lacks."""
        return self._jax.numpy.dtype(getattr(self._jax.numpy, dtype))

    @contextlib.contextmanager
    def ready(self, operation, inputs, run):
        """A call that computes a run."""
        with contextlib.ExitStack() as stack:
            if WIDE in run.settings or run.dtype == "float64":
                stack.enter_context(jax_device.wide(self._jax))
            for setting in run.settings:
                if setting.startswith(DIGITS):
                    self._enter_digits(stack, setting[len(DIGITS) :])
            inputs = [array.astype(self.type_named(run.dtype)) for array in inputs] if run.dtype else inputs
            inputs = inputs if run.rows is None else operation.rows(inputs, run.rows)
            device = jax_device.of(self._jax, run.device)
            placed = [self._jax.device_put(array, device) for array in inputs]
            function = self._function(operation.name, run.settings)
            yield lambda: self.numbers.asarray(function(*placed))

    def stream(self, stream):
        """Random numbers of a key, on the device."""
        random = self._jax.random
        key = self._jax.device_put(random.PRNGKey(SEED), jax_device.of(self._jax, self.device))
        return self.numbers.asarray(random.normal(key, (stream.count,), "float32"))

    def _enter_digits(self, stack, level):
        try:
            stack.enter_context(self._jax.default_matmul_precision(level))
        except ValueError as error:  # older versions know fewer of them
            raise NotTried("not-in-version", level) from error

    def _function(self, name, settings):
        key = (name, LAYOUT in settings, PLAIN in settings)
        if key not in self._compiled:
            function = ways(self._jax, LAYOUT in settings)[name]
            self._compiled[key] = function if PLAIN in settings else self._jax.jit(function)
        return self._compiled[key]

    def other_settings(self, operation, dtype):
        """The settings under which digits are measured, but for the batch."""
        yield PLAIN
        if dtype != FULL:
            if operation.products and dtype == "bfloat16":
                yield "excess-precision-off"
            return
        if operation.name in FEW:
            yield WIDE
        if operation.name in PICTURES:
            yield LAYOUT
        # Where the levels of precision have no effect, a few operations show it.
        if operation.products and (operation.name in FEW or not self.is_processor):
            for level in LEVELS:
                yield DIGITS + level
        yield from self._settings_of_processes(operation)

    def _settings_of_processes(self, operation):
        if not self.is_processor:
            yield "deterministic"
            if operation.products:
                yield "autotune-off"
            return
        for count in thread_counts(self.threads):
            yield "threads-%d" % count
        yield "platform-math-off"
        if self.other:
            yield self.other

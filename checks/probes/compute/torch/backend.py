"""PyTorch as a backend. Written for torch 1.8 to 2.15."""

import contextlib

from .. import portrait, timing
from ..backend import Backend as BaseBackend
from ..bits import difference
from ..bits.inputs import has_float64
from ..flip import exact_in_both, set_in_both
from ..operations import PICTURES, SEED
from ..runs import BATCH, Run
from . import modes, numeric, settings

LAYOUT, COMPILED = "channels-last", "compiled"


class Backend(BaseBackend):
    """PyTorch on one device; results come back to the processor."""

    framework = "torch"
    telling = (BATCH, LAYOUT, "tf32-off")

    def __init__(self, device):
        import torch

        self._torch, self.device = torch, device
        self.numbers = torch

    def available(self, operation):
        """Whether this version has the operation."""
        return numeric.available(self._torch, operation)

    def inputs(self, operation, dtype):
        """The portable inputs, on the device."""
        return numeric.inputs(self._torch, operation, getattr(self._torch, dtype), self.device)

    def host_inputs(self, operation, dtype):
        """The portable inputs, in the processor's memory: those of all operations would fill a small card."""
        return numeric.inputs(self._torch, operation, getattr(self._torch, dtype), "cpu")

    def exact(self, inputs):
        """The same numbers in float64, on the processor."""
        return [tensor.cpu().double() for tensor in inputs]

    def truth(self, operation, exact, operand=None):
        """The result in float64, of factors to which something was done."""
        return numeric.run(self._torch, operation, exact, operand)

    def conditions(self, operation, exact):
        """How far rounding can move each element."""
        return numeric.condition(self._torch, operation, exact)

    def taken(self, array, axis, order):
        """Reordered along an axis."""
        return array.index_select(axis, order.to(array.device))

    def drawn(self, length, seed):
        """An order of so many; the program's own generator stays as it is."""
        return self._torch.randperm(length, generator=self._torch.Generator().manual_seed(seed))

    def stream(self, stream):
        """Random numbers of a generator of its own, on the device."""
        generator = self._torch.Generator(device=self.device).manual_seed(SEED)
        return self._torch.randn(stream.count, generator=generator, device=self.device).cpu()

    def rounded(self, factor, of_bits):
        """A factor with the bits of its float32 changed."""
        bits = factor.float().contiguous().view(self._torch.int32)
        return of_bits(bits).view(self._torch.float32).double()

    def wide(self, result):
        """In float64."""
        return result.double()

    def in_type(self, result, dtype):
        """A result in another type."""
        return result.to(getattr(self._torch, dtype))

    def in_type_of(self, first, second):
        """The first in the type of the second."""
        return first.to(second.dtype)

    def difference(self, first, second):
        """The fields of the fact ArrayDifference."""
        return difference.torch_difference(self._torch, first, second)

    def portrait(self, result):
        """The fields of the fact Portrait."""
        return portrait.torch_portrait(self._torch, result)

    def result(self, operation, inputs, run, _clock, timed=False):
        """The result, and where it is timed [the seconds of a warm call, the number of calls]."""
        torch = self._torch
        dtype = getattr(torch, run.dtype) if run.dtype else None
        inputs = [tensor.to(run.device, dtype or tensor.dtype) for tensor in inputs]
        if run.rows is not None:
            inputs = operation.rows(inputs, run.rows)
        if LAYOUT in run.settings:
            inputs[0] = inputs[0].contiguous(memory_format=torch.channels_last)

        def computed(*factors):
            return numeric.run(torch, operation, factors)

        if COMPILED in run.settings:
            computed = torch.compile(computed, dynamic=False)

        def seconds():
            self._wait(run.device)
            return timing.seconds_of(lambda: (computed(*inputs), self._wait(run.device)))

        with torch.no_grad(), contextlib.ExitStack() as stack:
            for setting in run.settings:
                if setting not in (LAYOUT, COMPILED):
                    stack.enter_context(modes.applied(torch, setting, run.device))
            result = computed(*inputs)
            return result.cpu(), timing.timed(seconds) if timed else None

    def _wait(self, device):
        if device.startswith("cuda"):
            self._torch.cuda.synchronize(device)
        elif device.startswith("xpu"):
            self._torch.xpu.synchronize(device)
        elif device == "mps" and hasattr(self._torch, "mps"):
            self._torch.mps.synchronize()

    # --- what is tried ---

    @property
    def _has_mkldnn(self):
        return self._torch.backends.mkldnn.is_available()

    def is_telling(self, setting):
        """Whether a setting is measured before the others."""
        return setting in self.telling or setting.startswith("threads-")

    def other_settings(self, operation, dtype):
        """The settings under which digits are measured, but for the batch."""
        if operation.name in PICTURES:
            yield LAYOUT
        for mode in modes.of_device(self._torch, self.device, dtype):
            if operation.products or mode.startswith("threads-"):
                yield mode

    def portraits(self):
        """The settings that most often tell two machines apart."""
        if self.device == "cpu":
            return ("threads-1", "mkldnn-off")
        return ("tf32-off", "cudnn-off") if self.device.startswith("cuda") else ()

    def matters(self, operation, setting):
        """Whether a portrait under a setting can differ."""
        if setting == "threads-1":
            return True
        return operation.products and (setting != "mkldnn-off" or self._has_mkldnn)

    def reviewed(self, facts):
        """Facts of a flip in which what deterministic mode refuses did not fail."""
        return settings.refused(facts)

    def pairs(self):
        """(Operation, names of the two runs, the two), the most telling first."""
        default, device = Run(self.device), self.device
        for operation in self.operations:
            if operation.terms == 1 or not self.available(operation):
                continue
            if device != "cpu":
                yield operation, ("cpu", device), Run("cpu"), default
                for peer in self._peers():
                    yield operation, (device, peer), default, Run(peer)
            if operation.batch:
                yield operation, ("batch-%d" % operation.batch, "batch-1"), default, default.changed(rows=1)
            if device == "cpu":
                yield from self._pairs_of_cpu(operation, default)
            if operation.name in PICTURES:
                yield operation, ("contiguous", LAYOUT), default, default.with_setting(LAYOUT)
            if device.startswith("cuda") and operation.name in PICTURES:
                yield operation, ("default", "autotune"), default, default.with_setting("autotune")

    def _pairs_of_cpu(self, operation, default):
        threads = self._torch.get_num_threads()
        counts = modes.thread_counts(self._torch)[:1]
        for count in counts:
            names = ("threads-%d" % threads, "threads-%d" % count)
            yield operation, names, default, default.with_setting(names[1])
        if self._has_mkldnn and operation.products:
            other = default.with_setting("mkldnn-off")
            yield operation, ("default", "mkldnn-off"), default, other
            if counts and operation.batch:  # everything at once, as between two machines
                both = other.with_setting("threads-%d" % counts[0]).changed(rows=1)
                yield operation, ("default", "mkldnn-off+threads-%d+batch-1" % counts[0]), default, both

    def _peers(self):
        """Other devices of the same kind, each pair once."""
        kind, _, number = self.device.partition(":")
        module = getattr(self._torch, kind, None)
        count = module.device_count() if number and hasattr(module, "device_count") else 0
        return ["%s:%d" % (kind, other) for other in range(int(number or 0) + 1, count)]

    def suspects(self, operation, first, second):
        """(Suspect, how a run is with it set to the same in both), what may differ most often first."""
        if first.rows != second.rows:
            yield BATCH, lambda run: run.changed(rows=1)
        if (LAYOUT in first.settings) != (LAYOUT in second.settings):
            yield "contiguous", lambda run: run.without(LAYOUT)
        for mode in self._modes_in_question(operation, first, second):
            yield set_in_both(mode)
        if all(has_float64(self._torch, run.device) for run in (first, second)):
            yield exact_in_both()

    def _modes_in_question(self, operation, first, second):
        if "cpu" in (first.device, second.device):
            yield "threads-1"
            if self._has_mkldnn and operation.products:
                yield "mkldnn-off"
        if any(run.device.startswith("cuda") for run in (first, second)):
            if operation.products:
                yield "tf32-off"
            if operation.name in PICTURES:
                yield "autotune-off"
                yield "cudnn-off"
            if operation.name == "attention":
                yield "attention-math"
        yield "deterministic"

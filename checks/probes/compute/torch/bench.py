"""PyTorch as compute_precision.py and compute_flip.py ask it (``compute.torch.bench``)."""

import contextlib
import time

from .. import difference, timing
from . import modes, numeric

LAYOUT, COMPILED = "channels-last", "compiled"


class Bench:
    """Computes operations on a device; results come back to the processor."""

    framework = "torch"

    def __init__(self, torch, device):
        self._torch, self.device = torch, device
        self.numbers = torch

    def available(self, operation):
        """Whether this version has the operation."""
        return numeric.available(self._torch, operation)

    def inputs(self, operation, dtype):
        """The portable inputs, on the device."""
        return numeric.inputs(self._torch, operation, getattr(self._torch, dtype), self.device)

    def exact(self, given):
        """The same numbers in float64, on the processor."""
        return [each.cpu().double() for each in given]

    def truth(self, operation, exact, operand=None):
        """The result in float64, of factors to which something was done."""
        return numeric.run(self._torch, operation, exact, operand)

    def condition(self, operation, exact):
        """How far rounding can move an element, at the most."""
        return float(numeric.condition(self._torch, operation, exact).max())

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

    def result(self, operation, given, run, _clock, timed=False):
        """What a run gives, and where it is timed how long it takes when everything is warm (see compute_timing)."""
        torch = self._torch
        dtype = getattr(torch, run.dtype) if run.dtype else None
        given = [each.to(run.device, dtype or each.dtype) for each in given]
        if run.rows is not None:
            given = operation.rows(given, run.rows)
        if LAYOUT in run.settings:
            given[0] = given[0].contiguous(memory_format=torch.channels_last)

        def computed(*factors):
            return numeric.run(torch, operation, factors)

        if COMPILED in run.settings:
            computed = torch.compile(computed, dynamic=False)
        with torch.no_grad(), contextlib.ExitStack() as stack:
            for setting in run.settings:
                if setting not in (LAYOUT, COMPILED):
                    stack.enter_context(modes.applied(torch, setting, run.device))
            result = computed(*given)
            return result.cpu(), timing.timed(lambda: self._seconds(computed, given, run.device)) if timed else None

    def _seconds(self, computed, given, device):
        _wait(self._torch, device)
        began = time.perf_counter()
        computed(*given)
        _wait(self._torch, device)
        return time.perf_counter() - began


def _wait(torch, device):
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device.startswith("xpu"):
        torch.xpu.synchronize(device)
    elif device == "mps" and hasattr(torch, "mps"):
        torch.mps.synchronize()

"""How many digits PyTorch gets right, by operation, data type and setting (``naosu_compute_torch_precision``).

Every result is set beside the same in float64 on the processor; that of a setting also beside that of the default.
Products of float32 are computed once more in float64 from factors rounded to shorter formats: where their errors are
the observed ones, element by element, it is that format in which the device computes, whatever a flag says.
"""

import contextlib
import os
import shutil
import tempfile
import time

import naosu_compute_difference as difference
import naosu_compute_kit as compute
import naosu_compute_torch_modes as modes
import naosu_compute_torch_numeric as numeric
from naosu_compute_operations import OPERATIONS

BATCH, LAYOUT, COMPILED = "batch-1", "channels-last", "compiled"
DTYPES = ("float32", "bfloat16", "float16")  # of float64 there is no truth to compare with
PICTURES = ("conv2d", "network")
COMPILE_NEEDS = 45.0  # seconds that must be left: a compiler is started, and cannot be interrupted
COMPILE_OF = ("softmax", "matmul")
TIMED = 3


def stage(argument, clock):
    """The facts of the kind "precision"."""
    import torch

    device = argument["device"]
    kept = _Kept(torch, device)
    yield from compute.measure(_entries(torch, device), clock, kept.measured)
    if clock.left > COMPILE_NEEDS and hasattr(torch, "compile"):
        with _folder() as folder:
            # Compiled code is kept in the user's folder otherwise, and made by processes that outlive this one.
            os.environ.update(TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
            yield from compute.measure(_compiled(device), clock, kept.measured)


@contextlib.contextmanager
def _folder():
    folder = tempfile.mkdtemp(prefix="naosu-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # on Windows a library that is loaded stays


def _named(operation, device, dtype, setting):
    return {
        "kind": "precision",
        "framework": "torch",
        "operation": operation.name,
        "device": device,
        "dtype": dtype,
        "setting": setting,
        "terms": operation.terms,
    }


def _entries(torch, device):
    """First float32: all operations by default, then what most often changes them; the other types at the end."""
    entries = (
        (_named(operation, device, dtype, setting), (operation, dtype, setting))
        for dtype in DTYPES
        for operation in OPERATIONS
        if numeric.available(torch, operation) and (dtype == "float32" or operation.terms > 1)
        for setting in ("default", *_settings(torch, operation, device, dtype))
    )
    return sorted(entries, key=lambda entry: _rank(*entry[1]))


def _rank(_operation, dtype, setting):
    """What tells most comes first; sorting keeps the order of the operations."""
    often = setting in (BATCH, LAYOUT, "tf32-off") or setting.startswith("threads-")
    return (dtype != "float32", 0 if setting == "default" else 1 if often else 2)


def _settings(torch, operation, device, dtype):
    if operation.terms == 1:
        return
    if operation.batch:
        yield BATCH
    if operation.name in PICTURES:
        yield LAYOUT
    for mode in modes.of_device(torch, device, dtype):
        if operation.products or mode.startswith("threads-"):
            yield mode


def _compiled(device):
    for operation in OPERATIONS:
        if operation.name in COMPILE_OF:
            yield _named(operation, device, "float32", COMPILED), (operation, "float32", COMPILED)


class _Kept:
    """What is computed once for all settings of an operation and data type. It is small, as the inputs are."""

    def __init__(self, torch, device):
        self._torch, self._device = torch, device
        self._of = {}

    def measured(self, what, _clock):
        """The figures of one entry."""
        operation, dtype, setting = what
        if (operation.name, dtype) not in self._of:
            self._of[operation.name, dtype] = _Prepared(self._torch, operation, dtype, self._device)
        return self._of[operation.name, dtype].measured(setting)


class _Prepared:
    """An operation with its inputs, its true result, and what shorter formats would make of it."""

    def __init__(self, torch, operation, dtype, device):
        self._torch, self._operation, self._device = torch, operation, device
        self._given = numeric.inputs(torch, operation, getattr(torch, dtype), device)
        exact = [each.cpu().double() for each in self._given]
        self._truth = numeric.run(torch, operation, exact)
        self._condition = float(numeric.condition(torch, operation, exact).max())
        self._default, self._seconds = _run(torch, operation, self._given, "default", device)
        self._rounded = {}
        if operation.products and dtype == "float32":
            for name, rounding in _ROUNDINGS.items():
                rounded = numeric.run(torch, operation, exact, lambda each, to=rounding: to(torch, each))
                self._rounded[name] = rounded - self._truth

    def measured(self, setting):
        """The figures under a setting."""
        torch = self._torch
        if setting == "default":
            result, seconds = self._default, self._seconds
        else:
            result, seconds = _run(torch, self._operation, self._given, setting, self._device)
        result = result.cpu()  # where every type can be compared
        rows = slice(0, 1) if setting == BATCH else slice(None)
        figures = _against(torch, self._truth[rows], result)
        figures.update(condition=self._condition, seconds=seconds)
        if setting != "default":
            figures["other"] = "default"
            figures["beside"] = difference.torch_difference(torch, self._default[rows].cpu().to(result.dtype), result)
        if self._rounded:
            figures["emulated"] = self._emulated(rows, result)
        return figures

    def _emulated(self, rows, result):
        observed = result.double() - self._truth[rows]
        found = {}
        for name, of_all in self._rounded.items():
            errors = of_all[rows]
            product = float(observed.norm() * errors.norm())
            found[name] = {
                "max_abs": float(errors.abs().max()),
                "rms": float(errors.pow(2).mean().sqrt()),
                # NaN where something overflowed, which is no number of JSON.
                "likeness": float((observed * errors).sum()) / product if 0 < product < float("inf") else None,
            }
        return found


def _against(torch, truth, result):
    """The errors; those of which the truth is rounded to the result's type count no rounding of the truth."""
    errors = result.double() - truth
    finite = errors[torch.isfinite(errors)]
    against = dict(difference.torch_difference(torch, truth.to(result.dtype), result))
    if finite.numel():
        against["max_abs"] = float(finite.abs().max())
    return {"against": against, "rms": float(finite.pow(2).mean().sqrt()) if finite.numel() else None}


def _run(torch, operation, given, setting, device):
    """The result under a setting, and the seconds that it took when everything was warm."""
    if setting == BATCH:
        given = operation.rows(given, 1)
    elif setting == LAYOUT:
        given = [given[0].contiguous(memory_format=torch.channels_last), *given[1:]]

    def computed(*factors):
        return numeric.run(torch, operation, factors)

    if setting == COMPILED:
        return _timed(torch, torch.compile(computed, dynamic=False), given, device)
    plain = setting in ("default", BATCH, LAYOUT)
    with modes.applied(torch, "default" if plain else setting, device):
        return _timed(torch, computed, given, device)


def _timed(torch, computed, given, device):
    with torch.no_grad():
        result, times = computed(*given), []
        for _ in range(TIMED):
            _wait(torch, device)
            began = time.perf_counter()
            result = computed(*given)
            _wait(torch, device)
            times.append(time.perf_counter() - began)
    return result, compute.median(times)


def _wait(torch, device):
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)
    elif device.startswith("xpu"):
        torch.xpu.synchronize(device)
    elif device == "mps" and hasattr(torch, "mps"):
        torch.mps.synchronize()


# --- shorter formats -------------------------------------------------------------------------------------------------

_CUT = 13  # of the 23 digits of float32 that TensorFloat-32 has not


def _tf32(torch, factor):
    """Rounded to the nearest of 11 significant digits."""
    bits = factor.float().contiguous().view(torch.int32)
    return ((bits + (1 << (_CUT - 1))) & -(1 << _CUT)).view(torch.float32).double()


def _tf32_cut(torch, factor):
    """The same with the digits cut off, as tensor cores do with a float32 that nobody rounded for them."""
    return (factor.float().contiguous().view(torch.int32) & -(1 << _CUT)).view(torch.float32).double()


def _bfloat16(torch, factor):
    return factor.to(torch.bfloat16).double()


_ROUNDINGS = {"tf32": _tf32, "tf32-cut": _tf32_cut, "bfloat16": _bfloat16}

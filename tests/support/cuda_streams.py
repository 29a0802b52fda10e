"""The random numbers that PyTorch draws on a CUDA card, by the number of threads that the card runs at once.

Written down from PyTorch's aten/src/ATen/native/cuda/DistributionTemplates.h (which thread makes which number) and
cuRAND's curand_philox4x32_x.h and curand_normal.h (the counter of a thread, Box and Muller's formula). What two real
cards drew stands in tests/checks/analysis/numbers/test_streams.py.
"""

import functools
import importlib
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from checks.facts import Portrait
from checks.probes import host  # noqa: F401 - it offers the modules of the probes

_inputs: Any = importlib.import_module("checks.probes.compute.bits.inputs")
_portraits: Any = importlib.import_module("checks.probes.compute.portrait")
_operations: Any = importlib.import_module("checks.probes.compute.operations")

BLOCK = 256  # threads
THREADS = {
    "T4": 40 * 1024,
    "L4": 58 * 1536,
    "A100": 108 * 2048,
    "H100": 132 * 2048,
}  # multiprocessors x threads of each
_STEP = np.float32(2.0**-32)


def normal(places: NDArray[np.int64], count: int, seed: int, card: str) -> NDArray[np.float32]:
    """``torch.randn(count, device="cuda")`` at these places, from ``torch.Generator("cuda").manual_seed(seed)``."""
    threads = min(THREADS[card], -(-count // BLOCK) * BLOCK)
    turn, thread = places // threads, places % threads
    zero = np.zeros_like(thread)
    words = _inputs.philox((turn // 4, zero, thread, zero), (seed & _inputs.MASK, seed >> 32))
    first, second = (
        np.where(turn % 4 < 2, words[at], words[at + 2]).astype(np.uint32).astype(np.float32) for at in (0, 1)
    )
    length = np.sqrt(np.float32(-2) * np.log(first * _STEP + _STEP / np.float32(2)))
    angle = (second * _STEP + _STEP / np.float32(2)) * np.float32(2 * np.pi)
    return np.where(turn % 2 == 0, np.sin(angle), np.cos(angle)) * length


@functools.cache
def portraits(card: str, device: str = "cuda:0") -> tuple[Portrait, ...]:
    """What the probe tells of the random numbers of a card."""
    return tuple(
        msgspec.convert(
            {"kind": "portrait", "framework": "torch", "operation": stream.name, "device": device, "dtype": "float32"}
            | {"setting": "default", "terms": 1}
            | _portraits.numpy_portrait(np, normal(np.arange(stream.count), stream.count, _operations.SEED, card)),
            Portrait,
        )
        for stream in _operations.STREAMS
    )

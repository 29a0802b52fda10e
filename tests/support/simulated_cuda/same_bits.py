"""Compares what is computed on the card with the same on the processor, and prints what is not the same.

And what the card accepts although a real one refuses it.
Run in a process that has a card (``planted``).
"""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import torch

DEVICE = "cuda:0"
inputs = importlib.import_module("checks.probes.compute.bits.inputs")
fingerprint = importlib.import_module("checks.probes.compute.bits.fingerprint")
difference = importlib.import_module("checks.probes.compute.bits.difference")
portrait = importlib.import_module("checks.probes.compute.portrait")
fingerprint._TRIAL_COPIES = (4, 4)  # how quick its ways are here is of no interest


def tensors():
    for name in (*inputs.FORMATS, *inputs.COMPLEX):
        yield name, inputs.torch_uniform(torch, (60, 70), name, 5)
    for name in ("bool", "uint8", "int32", "int64"):
        yield name, inputs.torch_integers(torch, (60, 70), 2, 5, dtype=name)
    yield "strided", torch.arange(6000.0).reshape(60, 100)[:, ::2]


def compared(name, here):
    there, other = here.to(DEVICE), here.clone()
    other[3, 4] = here[4, 4]
    yield "fingerprint", fingerprint.torch_fingerprint(torch, here) == fingerprint.torch_fingerprint(torch, there)
    yield "portrait", portrait.torch_portrait(torch, here) == portrait.torch_portrait(torch, there)
    apart = difference.tensor_difference(torch, here, other)
    yield "difference", is_same(apart, difference.tensor_difference(torch, there, other.to(DEVICE)))
    if name in inputs.FORMATS or name in inputs.COMPLEX:
        drawn = inputs.torch_uniform(torch, (60, 70), name, 5, DEVICE).cpu()
        yield "inputs", torch.equal(drawn.view(torch.uint8), here.view(torch.uint8))


def is_same(first, second):
    """The cosine has the digits that it promises: its sums are added in the device's own order."""
    cosines = [tally.pop("cosine") for tally in (first, second)]
    return first == second and (cosines[0] == cosines[1] or abs(cosines[0] - cosines[1]) < 1e-6)


def ways():
    known, expected = fingerprint._example(torch)
    state = fingerprint._Torch.of(torch, torch.device(DEVICE))
    yield "where", state.device == torch.device(DEVICE)
    for way in (state._matmul, state._words):
        yield way.__name__, way(known.to(DEVICE), 0).tolist() == expected


def refused():
    here, there = torch.ones(32, 32), torch.ones(32, 32, device=DEVICE)
    whole = there.to(torch.int64)
    yield "two devices", lambda: here + there
    yield "a result on another device", lambda: torch.add(there, there, out=torch.ones(32, 32))
    yield "an index on the processor", lambda: there.index_add(0, torch.zeros(32, dtype=torch.int64), there)
    yield "no copy to NumPy", there.numpy
    yield "a product of whole numbers", lambda: whole @ whole
    yield "few rows of bytes", lambda: torch._int_mm(*(each.to(torch.int8) for each in (there[:16], there)))
    yield "too much memory", lambda: torch.empty(1 << 40, device=DEVICE)
    yield "a time that nobody waited for", lambda: marks[0].elapsed_time(marks[1])


def accepted():
    for what, call in refused():
        try:
            call()
        except (RuntimeError, TypeError):
            continue
        yield what
    torch.manual_seed(7)
    first = torch.randn(3, device=DEVICE)
    torch.default_generator.manual_seed(7)
    if torch.equal(first.cpu(), torch.randn(3, device=DEVICE).cpu()):
        yield "the processor's seed"
    torch.cuda.synchronize(DEVICE)
    marks[0].elapsed_time(marks[1])


marks = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
for mark in marks:
    mark.record(torch.cuda.current_stream(DEVICE))
print(list(accepted()))
print([what for what, same in ways() if not same])
print([(name, what) for name, here in tensors() for what, same in compared(name, here) if not same])

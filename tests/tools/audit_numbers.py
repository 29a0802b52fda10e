"""What the program says of planted differences: a table of what was planted against what was said.

    python -m tests.tools.audit_numbers [--cases N] [--seed N] [--most TERMS] [--show]

Results are computed in NumPy in float32, in orders that libraries really use (one after the other, in blocks, in lanes,
by halves, by BLAS), and then something is planted in them: nothing, a shorter format, a flipped bit, a factor, a lost
term, two results swapped. They are shown to the program twice: as the probe of digits measures them, against the truth
in float64; and as portraits, beside another order of the same sum on another machine. Printed is how often each was
called what; ``--show`` lists what was wrong.
"""

from __future__ import annotations

import argparse
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from checks.analysis.numbers.digits import error_of
from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.side_by_side import pairs_here
from checks.facts import Portrait, Precision
from checks.probes.compute import kit, portrait, precision
from checks.probes.compute.numpy.backend import Backend
from checks.probes.compute.operations import IN_ALL, IN_BOTH, IN_COLUMNS, IN_ROWS, Operation

Floats = NDArray[np.float32]
Reduce = Callable[[Floats], Floats]  # adds up the terms along the first axis
Plant = Callable[[Floats, np.random.Generator], Floats]
Measurement = TypeVar("Measurement", Portrait, Precision)

# --- orders that libraries really use -----------------------------------------------------------------------------


def one_after_the_other(terms: Floats) -> Floats:
    return np.asarray(np.add.accumulate(terms, axis=0, dtype=np.float32)[-1])


def by_halves(terms: Floats) -> Floats:
    while len(terms) > 1:
        half = len(terms) // 2
        terms = np.concatenate([terms[:half] + terms[half : 2 * half], terms[2 * half :]])
    return terms[0]


def in_blocks(length: int) -> Reduce:
    def reduce(terms: Floats) -> Floats:
        whole = len(terms) // length * length
        blocks = np.swapaxes(terms[:whole].reshape(-1, length, *terms.shape[1:]), 0, 1)
        sums = [by_halves(blocks)] if whole else []
        left = [by_halves(terms[whole:])[None]] if whole < len(terms) else []
        return one_after_the_other(np.concatenate([*sums, *left]))

    return reduce


def in_lanes(count: int) -> Reduce:
    def reduce(terms: Floats) -> Floats:
        whole = len(terms) // count * count
        lanes = one_after_the_other(terms[:whole].reshape(-1, count, *terms.shape[1:])) if whole else terms[:0]
        return by_halves(np.concatenate([lanes, terms[whole:]]))

    return reduce


def by_numpy(terms: Floats) -> Floats:
    return np.asarray(np.moveaxis(terms, 0, -1).copy().sum(-1, dtype=np.float32))


ORDERS: dict[str, Reduce] = {
    "one after the other": one_after_the_other,
    "by halves": by_halves,
    "blocks of 32": in_blocks(32),
    "blocks of 256": in_blocks(256),
    "blocks of 4096": in_blocks(4096),
    "8 lanes": in_lanes(8),
    "64 lanes": in_lanes(64),
    "1024 lanes": in_lanes(1024),
    "numpy": by_numpy,
}

# --- the five operations ------------------------------------------------------------------------------------------


def products(first: Floats, second: Floats, reduce: Reduce) -> Floats:
    """A matrix product, its terms added by ``reduce``, some rows at a time."""
    most = max(1, (1 << 24) // second.size)
    parts = [
        reduce(np.ascontiguousarray(first[start : start + most].T)[:, :, None] * second[:, None, :])
        for start in range(0, len(first), most)
    ]
    return np.concatenate(parts)


def matmul(inputs: list[Floats], reduce: Reduce) -> Floats:
    return products(inputs[0], inputs[1], reduce)


def conv2d(inputs: list[Floats], reduce: Reduce) -> Floats:
    pictures, kernels = inputs
    side = kernels.shape[-1]
    padded = np.pad(pictures, ((0, 0), (0, 0), (side // 2,) * 2, (side // 2,) * 2))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side), axis=(2, 3))
    batch, _, height, width = windows.shape[:4]
    rows = windows.transpose(0, 2, 3, 1, 4, 5).reshape(batch * height * width, -1)
    flat = products(np.ascontiguousarray(rows), np.ascontiguousarray(kernels.reshape(len(kernels), -1).T), reduce)
    return np.ascontiguousarray(flat.reshape(batch, height, width, -1).transpose(0, 3, 1, 2))


def total(inputs: list[Floats], reduce: Reduce) -> Floats:
    return reduce(inputs[0]).reshape(1)


def softmax(inputs: list[Floats], reduce: Reduce) -> Floats:
    scaled = inputs[0] * np.float32(8)
    shifted = np.exp(scaled - scaled.max(-1, keepdims=True))
    return np.asarray(shifted / reduce(np.ascontiguousarray(shifted.T))[:, None])


def layer_norm(inputs: list[Floats], reduce: Reduce) -> Floats:
    row = inputs[0]
    count = np.float32(row.shape[-1])
    apart = row - (reduce(np.ascontiguousarray(row.T)) / count)[:, None]
    variance = reduce(np.ascontiguousarray((apart * apart).T)) / count
    return np.asarray(apart / np.sqrt(variance + np.float32(1e-5))[:, None])


RUN: dict[str, Callable[[list[Floats], Reduce], Floats]] = {
    "matmul": matmul,
    "conv2d": conv2d,
    "sum": total,
    "softmax": softmax,
    "layer-norm": layer_norm,
}


def operations() -> Iterator[Operation]:
    """Each of the five with few and with many terms; the sizes of results fall as the terms grow."""
    for terms, side in ((16, 64), (128, 64), (1024, 48), (16384, 12), (1_000_000, 2)):
        shapes = ((side, terms), (terms, side))
        yield Operation("matmul", shapes, terms=terms, products=True, batch=side, orders=IN_BOTH)
    for channels, side in ((2, 24), (16, 16), (128, 8)):
        shapes = ((2, channels, side, side), (8, channels, 3, 3))
        yield Operation("conv2d", shapes, terms=9 * channels, products=True, batch=2, orders=IN_COLUMNS)
    for terms in (16, 1024, 65536, 1_000_000):
        yield Operation("sum", ((terms,),), terms=terms, orders=IN_ALL)
    for name in ("softmax", "layer-norm"):
        for rows, terms in ((64, 16), (32, 512), (8, 4096), (2, 65536)):
            yield Operation(name, ((rows, terms),), terms=terms, batch=rows, orders=IN_ROWS, ordered=1)


# --- what is planted ----------------------------------------------------------------------------------------------


def rounded(digits: int) -> Callable[[Floats], Floats]:
    """To the nearest number with so many significant digits, ties to even."""
    cut = 24 - digits

    def of(values: Floats) -> Floats:
        bits = np.ascontiguousarray(values, np.float32).view(np.int32).astype(np.int64)
        kept = (bits + ((1 << (cut - 1)) - 1) + ((bits >> cut) & 1)) >> cut << cut
        return kept.astype(np.int32).view(np.float32)

    return of


def cut_off(digits: int) -> Callable[[Floats], Floats]:
    return lambda values: (np.ascontiguousarray(values, np.float32).view(np.int32) & -(1 << (24 - digits))).view(
        np.float32
    )


def half(values: Floats) -> Floats:
    return values.astype(np.float16).astype(np.float32)


def flipped(bit: int) -> Plant:
    def plant(result: Floats, random: np.random.Generator) -> Floats:
        result = result.copy()
        flat = result.reshape(-1)
        places = np.flatnonzero(flat)
        flat.view(np.int32)[random.choice(places)] ^= 1 << bit
        return result

    return plant


def scaled(factor: float) -> Plant:
    return lambda result, _random: result * np.float32(factor)


def swapped(result: Floats, random: np.random.Generator) -> Floats:
    result = result.copy()
    flat = result.reshape(-1)
    first, second = random.choice(flat.size, 2, replace=False)
    flat[[first, second]] = flat[[second, first]]
    return result


@dataclass(frozen=True)
class Cause:
    """``inputs``: done to every input; ``result``: to the result, once or (``lasting``) in every call."""

    name: str
    right: tuple[str, ...]
    inputs: Callable[[Floats], Floats] | None = None
    result: Plant | None = None
    lasting: bool = False
    loses_term: bool = False


SHORT = ("tf32 or half", "bfloat16")
WRONG = ("element", "scaled", "swapped", "wrong", "unusual")
NONE = Cause("another order", ("same", "rounding", "unusual"))
CAUSES = (
    Cause("tf32", SHORT[:1], rounded(11), lasting=True),
    Cause("tf32, cut off", SHORT[:1], cut_off(11), lasting=True),
    Cause("half", SHORT[:1], half, lasting=True),
    Cause("bfloat16", SHORT[1:], rounded(8), lasting=True),
    *(Cause(f"bit {bit}", WRONG, result=flipped(bit)) for bit in (12, 14, 16, 18, 20, 22)),
    *(Cause(f"exponent, bit {bit}", WRONG, result=flipped(bit)) for bit in (23, 25, 28, 30)),
    Cause("times 1.001", WRONG, result=scaled(1.001), lasting=True),
    Cause("times 0.999", WRONG, result=scaled(0.999), lasting=True),
    Cause("half as large", WRONG, result=scaled(0.5), lasting=True),
    Cause("two swapped", WRONG, result=swapped),
    Cause("a term lost", WRONG, lasting=True, loses_term=True),
)


class Planted(Backend):
    """NumPy with an order of its own, in which something is planted."""

    def __init__(self, operation: Operation, reduce: Reduce, cause: Cause, seed: int) -> None:
        super().__init__("cpu")
        self._reduce, self._cause, self._seed, self._calls = reduce, cause, seed, 0
        self.operations, self.streams = (operation,), ()
        random = np.random.default_rng(seed)
        self._drawn = [random.uniform(-1, 1, shape).astype(np.float32) for shape, _ in operation.inputs]

    def available(self, _operation: Operation) -> bool:
        return True

    def inputs(self, _operation: Operation, _dtype: str) -> list[Floats]:
        return self._drawn

    def portraits(self) -> tuple[str, ...]:
        return ()

    def settings(self, _operation: Operation, _dtype: str) -> tuple[str, ...]:
        return ()

    def result(self, operation: Operation, inputs: list[Floats], *_: Any, **__: Any) -> tuple[Floats, None]:
        cause, first = self._cause, self._calls == 0
        self._calls += 1
        changed = [cause.inputs(array) for array in inputs] if cause.inputs else inputs
        reduce = (lambda terms: self._reduce(terms[1:])) if cause.loses_term else self._reduce
        result = RUN[operation.name](changed, reduce)
        if cause.result and (cause.lasting or first):
            result = cause.result(result, np.random.default_rng(self._seed + 1))
        return result, None


# --- what is said -------------------------------------------------------------------------------------------------


def said(size: Magnitude) -> str:
    """In a word."""
    if len(size.sizes) > 1:
        return " or ".join(known.value for known in size.sizes)
    names = {Size.IDENTICAL: "same", Size.HALF: SHORT[0], Size.BFLOAT16: SHORT[1], Size.BEYOND: "wrong"}
    return names.get(size.size, size.size.value)


def _measured(stage: Iterator[dict[str, Any]], kind: type[Measurement]) -> list[Measurement]:
    return [msgspec.convert(fact, kind) for found in stage for fact in found.get("measurements+", ())]


def of_digits(operation: Operation, reduce: Reduce, cause: Cause, seed: int) -> str:
    """As the probe of digits measures it."""
    backend = Planted(operation, reduce, cause, seed)
    (measured,) = _measured(precision.stage(backend, {}, kit.Clock(600)), Precision)
    return said(error_of(measured))


def of_portraits(operation: Operation, reduce: Reduce, other: Reduce, cause: Cause, seed: int) -> str:
    """As the probe of portraits shows two machines."""
    found = []
    for order, planted, device in ((other, NONE, "cpu"), (reduce, cause, "cuda:0")):
        (measured,) = _measured(portrait.stage(Planted(operation, order, planted, seed), {}, kit.Clock(600)), Portrait)
        found.append(msgspec.structs.replace(measured, device=device))
    pairs = pairs_here(found)
    return said(pairs[0].size) if pairs else "not compared"


@dataclass
class Table:
    """What was said of what, and the cases that were wrong."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    right: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, cause: Cause, word: str, what: str) -> None:
        self.counts[cause.name][word] += 1
        if word in cause.right:
            self.right[cause.name] += 1
        else:
            self.wrong.append(f"{cause.name}: {word}: {what}")

    def show(self) -> None:
        for name, counts in self.counts.items():
            of = counts.total()
            words = ", ".join(f"{word} {count}" for word, count in counts.most_common())
            print(f"  {name:22} {self.right[name]:4} of {of:4} ({self.right[name] / of:6.1%})   {words}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=10**6, help="terms of a sum")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    tables = {"digits against float64": Table(), "portraits of two machines": Table()}
    digits, portraits = tables.values()
    by_operation: dict[str, Counter[bool]] = defaultdict(Counter)
    orders = list(ORDERS.items())
    turn = itertools.count(arguments.seed)
    for operation in (known for known in operations() if known.terms <= arguments.most):
        # Every order is tried without a cause; with one, some of them in turn.
        plan = [(NONE, order) for order in orders]
        plan += [(cause, orders[next(turn) % len(orders)]) for cause in CAUSES for _ in range(arguments.cases)]
        for cause, (name, reduce) in plan:
            if cause.name == "two swapped" and operation.name == "sum":
                continue
            seed = next(turn)
            other_name, other = orders[seed % len(orders)]
            what = f"{operation.name} of {operation.terms} terms, {name}"
            for table, word in (
                (digits, of_digits(operation, reduce, cause, seed)),
                (portraits, of_portraits(operation, reduce, other, cause, seed)),
            ):
                table.add(cause, word, what if table is digits else f"{what} beside {other_name}")
                by_operation[operation.name][word in cause.right] += 1
    for title, table in tables.items():
        print(f"{title}: {sum(counts.total() for counts in table.counts.values())} cases")
        table.show()
        if arguments.show:
            print(*table.wrong, sep="\n")
    for name, found in by_operation.items():
        print(f"{name}: {found[True]} of {found.total()}")


if __name__ == "__main__":
    main()

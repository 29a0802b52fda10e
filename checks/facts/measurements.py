"""Computations: what was computed, where and how, and what came of it."""

from collections import Counter
from itertools import zip_longest
from typing import TypeVar

import msgspec

from checks.facts.base import Fact
from checks.facts.machine import LogEntry, XidEvent
from checks.facts.measured import ArrayDifference, Measured
from checks.facts.models.files import TensorSpec
from checks.facts.models.graphs import MinimalGraph, QuantisationLoss


class Repeat(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="repeat"):
    """One operation again and again with the same inputs and seeds. Results are told apart by their fingerprints.

    The first call of all is not counted: libraries choose their algorithms then. ``counts`` and ``repetitions`` are of
    calls until so many gave another result than the usual one as show that it varies, or until the time was up.
    """

    repetitions: int = 0
    distinct: int | None = None
    fingerprints: tuple[str, ...] = ()  # of the distinct results in the order in which they came, the first 20
    counts: tuple[int, ...] = ()  # how often each of these came
    order: tuple[int, ...] = ()  # which of these each of the first 300 repetitions gave, where there is more than one
    warm_up: str = ""  # fingerprint of the first call, where it is not that of the first repetition
    spread: ArrayDifference | None = None  # the first result beside the one that is the farthest from it
    terms: int | None = None  # numbers that are added up for one element
    share: float | None = None  # of the time of all repetitions, what the operation itself took
    scale: float | None = None  # how many times the numbers of the suite it went through
    shrunk: int = 0  # how often it was made smaller, because the device had too little memory

    @property
    def varies(self) -> bool:
        """Whether it was seen to give another result, the first call apart."""
        return (self.distinct or 0) > 1

    @property
    def first_differs(self) -> bool:
        """Whether only the first call gave another result: all after it gave the same."""
        return self.distinct == 1 and bool(self.warm_up)

    @property
    def is_alike(self) -> bool:
        """Whether every call gave the same result, the first as well."""
        return not self.varies and not self.first_differs

    @property
    def others(self) -> int:
        """How many repetitions gave another result than the usual one, at the least."""
        if not self.varies:
            return 0
        return self.repetitions - max(self.counts) if self.counts else (self.distinct or 1) - 1


class Experiment(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="experiment"):
    """One of the two experiments of the articles: the sum of squares, the small network trained again.

    ``values``: of each run the figures that the article prints: the sum; the validation errors at ``steps``, as shares,
    the first before any training. ``exact``: bits in hexadecimal: of the sum; of the validation losses at ``steps``.
    ``fingerprints``: of each run's last weights. ``parted``: the step at which a run's loss was no longer that of the
    first run; None: never.
    """

    steps: tuple[int, ...] = ()
    values: tuple[tuple[float | None, ...], ...] = ()  # None: no number (NaN, infinite)
    exact: tuple[tuple[str, ...], ...] = ()
    fingerprints: tuple[str, ...] = ()
    parted: tuple[int | None, ...] = ()
    expected: float | None = None  # the true value, where there is one

    @property
    def distinct(self) -> int:
        """Different runs."""
        return len(self.counts)

    @property
    def counts(self) -> tuple[int, ...]:
        """How often each different run came."""
        return tuple(Counter(zip_longest(self.exact, self.fingerprints)).values())


class Reordered(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The same again with its terms in other orders.

    ``farthest``: as in Precision, the largest of all; ``moved``: how far ``runs`` of these results are at the most from
    the first of them, in the same unit.
    """

    moved: float
    runs: int
    farthest: float = 0.0


class Portrait(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="portrait"):
    """The result of an operation on portable inputs, so that another device or machine can be compared without it.

    ``samples``: elements at the places that checks/probes/compute/portrait.py draws, their bits in hexadecimal.
    ``block_sums``: sums of the elements of each block in float64, in hexadecimal (float.hex).
    """

    shape: tuple[int, ...] = ()
    fingerprint: str = ""
    samples: tuple[str, ...] = ()
    block_sums: tuple[str, ...] = ()
    scale: float | None = None  # the largest magnitude of what is finite
    nan: int = 0  # elements that are none; they and the infinite ones count as 0 in the sums
    infinite: int = 0
    terms: int | None = None
    condition: float | None = None  # as in Precision
    reordered: Reordered | None = None  # in units of the condition; ``farthest`` is left out
    shorter: dict[str, tuple[float, ...]] = {}  # the errors of the first samples in shorter formats, as in Precision


class Emulated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the operation gives in float64 from inputs that were rounded to a shorter format: errors against the truth.

    ``likeness``: the cosine between these errors and the observed ones; 1 where they are the same, element by element.
    """

    max_abs: float
    rms: float
    likeness: float | None = None


class ErrorShape(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How errors lie, where they are larger than those of other orders (checks/probes/compute/error_shape.py).

    Errors are in units of what rounding can make of their own element. ``ladder``: the largest, and those that are the
    2nd, 4th, 8th ... largest. ``slope``: how much of the true value the error is, by least squares; ``off_slope``: the
    largest error that is left without it; ``off_order``: the same where only the values count, not their places.
    ``places``: the indices of the eight largest. ``stored_in``: the shortest format in which every element is a number.
    """

    ladder: tuple[float, ...] = ()
    slope: float = 0.0
    off_slope: float | None = None
    off_order: float | None = None
    places: tuple[tuple[int, ...], ...] = ()
    stored_in: str = ""


class Precision(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="precision"):
    """The error of an operation under a setting, against the same in float64 on the processor.

    ``against``: the difference from the true result. ``beside``: from the result under the setting ``other`` on the
    same device, where the question is what the setting changes (batch size, threads, memory format).
    ``emulated``: by the format to which inputs were rounded: "tf32", "tf32-cut" (its digits cut off), "bfloat16".
    ``farthest``: the largest error in units of its own element's condition; ``reordered``: what other orders make.
    """

    against: ArrayDifference | None = None
    other: str = ""
    beside: ArrayDifference | None = None
    terms: int | None = None
    rms: float | None = None  # root mean square of the errors
    condition: float | None = None  # the largest sum of magnitudes of the terms of one element
    emulated: dict[str, Emulated] = {}
    farthest: float | None = None
    reordered: Reordered | None = None
    shape: ErrorShape | None = None
    timed: int = 0  # calls of which ``seconds`` is the median


class Flip(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="flip"):
    """Two runs that differ, and what becomes of the difference when one suspect is changed (``setting``).

    ``before``: the two runs as they were; ``after``: with the suspect changed in both. Both are None where the runs do
    not differ, so that there is nothing to attribute; then ``setting`` is "default".
    """

    pair: tuple[str, str] = ("", "")  # what the two runs are: devices, or settings, batch sizes
    before: ArrayDifference | None = None
    after: ArrayDifference | None = None
    terms: int | None = None
    condition: float | None = None  # as in Precision


class NodeApart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One node of the user's model in two runs: how far apart, in units of its largest number."""

    name: str
    op: str = ""
    apart: float | None = None  # None: nothing in it is finite in both
    bound: float | None = None  # what rounding makes; None: whole numbers, or all are 0
    odd: int = 0  # elements of which just one is NaN or infinite


class LostOperand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went into the node at which numbers got lost.

    ``lowest``, ``highest``: of what is finite. ``value``: its number at the place of the first lost result, where the
    node computes number by number.
    """

    name: str
    dtype: str = ""
    shape: tuple[int, ...] = ()
    lowest: float | None = None
    highest: float | None = None
    nan: int = 0
    infinite: int = 0
    value: str = ""


class NumbersLost(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """NaN and infinities in what a model gives, and where they come from.

    ``source``: "node" (``node`` makes them of what is neither), "weight" or "input" (``node`` is its name), "" where it
    was not found. ``choice_node``: of a model that gives places and not numbers, the node that chooses among NaN; then
    ``elements`` are those among which it does.
    """

    kind: str  # "nan" or "infinite": what the source makes
    nan: int = 0
    infinite: int = 0
    elements: int = 0  # of all outputs of fractions
    output: str = ""  # the one with the most of them
    outputs: int = 0  # of fractions
    outputs_whole: int = 0  # of these, those in which nothing is finite
    source: str = ""
    node: str = ""
    op: str = ""
    dtype: str = ""  # of what the node gives
    operands: tuple[LostOperand, ...] = ()
    numbers: tuple[str, ...] = ()  # which stand in the node itself
    infinite_node: str = ""  # where the infinities come from of which the source makes NaN
    infinite_op: str = ""
    choice_node: str = ""
    choice_op: str = ""
    searched_until: str = ""  # the node at which the time was up
    finite_with: str = ""  # how the drawn inputs are with which nothing gets lost: "above-zero", "both-signs", "small"


class ModelMeasured(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="model"):
    """The user's own model run twice or more: again, or on two devices, providers, levels, threads, batch sizes.

    ``operation``: the name of the output that is the farthest apart, of ``outputs``. ``device`` and ``setting`` beside
    ``other``, a device or a setting; the same where it was repeated. ``first_...``: the first node whose bits differ,
    ``beyond_...``: the first that differs by more than rounding, ``choice_...``: the first that decided otherwise
    (whole numbers) before that: what comes after it is no matter of rounding.
    """

    path: str = ""
    aspect: str = ""  # "repeat", "device", "level", "threads", "batch", "deterministic", "mode", "state", "lost"
    other: str = ""
    repetitions: int = 0
    distinct: int | None = None
    counts: tuple[int, ...] = ()  # how often each result came, the first 20
    outputs: int = 0
    outputs_apart: int = 0
    outputs_left_out: int = 0  # of a type that cannot be handed over for comparison
    nan_in_both: int = 0  # numbers of the outputs that are NaN in both runs, the first of them in ``nan_output``
    nan_output: str = ""
    lost: NumbersLost | None = None  # under the aspect "lost"
    difference: ArrayDifference | None = None
    bound: float | None = None  # the largest difference that rounding makes in this network; None: whole numbers
    inputs: tuple[TensorSpec, ...] = ()
    inputs_from: str = ""  # "file", "image", "drawn", "model"
    inputs_renamed: str = ""  # "image: foo": what was given for an input under another name
    inputs_wanted: tuple[TensorSpec, ...] = ()  # what the model takes, where the user's inputs do not fit
    shrunk: int = 0  # how often the batch was halved, because there was too little memory
    first_node: str = ""
    first_op: str = ""
    first_difference: ArrayDifference | None = None
    beyond_node: str = ""
    beyond_op: str = ""
    beyond_difference: ArrayDifference | None = None
    choice_node: str = ""
    choice_op: str = ""
    searched: int = 0  # nodes that were compared
    searched_until: str = ""  # the node at which the time was up
    nodes: tuple[NodeApart, ...] = ()  # in their order; of very many neighbours the one that is the farthest apart
    decisions: float | None = None  # share of the rows whose decision (the largest output) is the same


class HealthSample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A card at one moment of the load. Units as in NvidiaGpu; ``second`` since the load began.

    ``clock_sm`` of a processor is that of its fastest core.
    """

    second: float
    temperature: int | None = None
    memory_temperature: int | None = None
    clock_sm: int | None = None
    clock_memory: int | None = None
    power: float | None = None
    utilization: int | None = None
    throttle_mask: int | None = None  # NVML's clock event reasons, see hardware_errors.toml
    checked: int = 0  # results that were compared bit by bit until then
    wrong: int = 0  # of these, results with a wrong bit


class WrongBits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong result of the load: when, and where."""

    second: float
    operation: str
    index: tuple[int, ...]
    expected: str  # bits in hexadecimal
    found: str
    elements: int = 1  # how many were wrong in this result


class Health(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="health"):
    """A device under a load whose every result is checked bit by bit."""

    length: float | None = None  # seconds of load
    checked: int = 0
    bytes_checked: int = 0
    samples: tuple[HealthSample, ...] = ()
    wrong: tuple[WrongBits, ...] = ()
    xid: tuple[XidEvent, ...] | None = None  # that NVML reported while it ran
    log: tuple[LogEntry, ...] | None = None  # what the system's log got while it ran
    ecc_corrected: int | None = None  # errors that were counted while it ran
    ecc_uncorrected: int | None = None
    remapped_rows: int | None = None  # rows that were remapped while it ran
    shrunk: int = 0  # how often the matrices were made smaller, because the device had too little memory


Measurement = (
    Repeat | Experiment | Portrait | Precision | Flip | ModelMeasured | MinimalGraph | QuantisationLoss | Health
)


_M = TypeVar("_M", bound=Measured)


class Measurements(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All measurements of a case, for the checks; there is at least one."""

    all: tuple[Measurement, ...] = ()

    def of(self, kind: type[_M]) -> tuple[_M, ...]:
        """Those of one kind that were made, in their order; what could not be measured has a ``reason``."""
        return tuple(
            measurement for measurement in self.all if isinstance(measurement, kind) and not measurement.reason
        )

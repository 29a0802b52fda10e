"""What every measurement has: what was computed, where and how, and how far two arrays are apart."""

import msgspec

from checks.facts.base import Fact
from checks.facts.errors import ErrorText


class ArrayDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a candidate array is from a reference of the same shape (checks/probes/compute/bits/difference.py).

    Distances are of the elements that are finite in both; None where there is none.
    """

    elements: int
    differing: int  # elements whose bits differ; 0: the same bits
    max_abs: float | None = None
    max_rel: float | None = None  # the largest of |difference| / |reference|, of references that are not 0
    max_ulp: int | None = None  # representable numbers from one to the other
    scale: float | None = None  # the largest magnitude in the reference
    cosine: float | None = None
    ulp_histogram: tuple[int, ...] = ()  # elements that are 0, 1, 2-3, 4-7, 8-15, ... ULP apart
    nan: int = 0  # elements of which just one is NaN
    infinite: int = 0  # elements of which just one is infinite, or both with opposite signs
    first: tuple[int, ...] | None = None  # index of the first element whose bits differ
    worst: tuple[int, ...] | None = None  # index of the largest distance
    same_top: float | None = None  # rows (of the last axis) whose largest element is at the same place, as a share
    same_top5: float | None = None  # likewise with the set of the five largest


_LEFT_OUT = ("no-time", "too-slow", "process-ended")


class Measured(Fact, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """Base of all measurements: what was computed, where and how.

    ``reason``: an id [reason-...] of measurements.toml, why it was not measured, or not to the end. ``detail``: what
    belongs into that sentence.
    """

    framework: str = ""  # a field of Frameworks, or "numpy"
    operation: str = ""  # an id of resources/knowledge/frameworks/computations.toml; a node of the user's model
    device: str = ""  # "cpu", "cuda:0", "mps", "xpu:0"; of ONNX Runtime the execution provider
    dtype: str = ""
    setting: str = "default"  # an id of computations.toml: "default", "deterministic", "tf32-off", "threads-1"
    seconds: float | None = None  # of one repetition, the median
    reason: str = ""
    detail: str = ""
    error: ErrorText | None = None

    @property
    def is_left_out(self) -> bool:
        """Whether it never had its turn: that says nothing about what was to be measured."""
        return self.reason in _LEFT_OUT

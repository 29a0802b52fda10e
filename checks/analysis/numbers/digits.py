"""What the checks of computed numbers share: what they judge, how large a difference is, how loud to be."""

import dataclasses
from collections.abc import Iterable

from checks.analysis.numbers.magnitude import Magnitude, Size, Work, magnitude
from checks.analysis.numbers.mechanism import computed_in, precision_magnitude, recognised, tried_shorter
from checks.facts import ArrayDifference, Flip, Measured, Measurements, Precision
from checks.facts.finding import NotHere
from checks.knowledge.frameworks.computations import known_operations

DEFAULT = "default"
FULL = "float32"
SHORTER = (Size.HALF, Size.BFLOAT16)
MEASURED, BY_SIZE = 0.97, 0.85  # how sure: errors that were recognised element by element, or by their size alone


def precisions(measurements: Measurements) -> tuple[Precision, ...]:
    """What tells how many digits are right.

    Raises:
        NotHere: nothing of the kind was measured.
    """
    found = measurements.of(Precision)
    if not found:
        raise NotHere("precision", "not-measured")
    return found


def work_of(measured: Measured, *, terms: int | None, condition: float | None, sides: int = 2) -> Work:
    """What was computed, as far as sizes of differences depend on it."""
    known = known_operations().get(measured.operation)
    return Work(
        measured.dtype,
        terms,
        condition,
        products=known is not None and known.products,
        centred=known is not None and known.centred,
        sides=sides,
    )


def error_of(measured: Precision) -> Magnitude:
    """The size of its error."""
    known = known_operations().get(measured.operation)
    return precision_magnitude(
        measured, products=known is not None and known.products, centred=known is not None and known.centred
    )


def change_of(measured: Precision) -> Magnitude:
    """The size of what its setting changes."""
    if measured.beside is None:
        return Magnitude((Size.NOTHING,))
    work = work_of(measured, terms=measured.terms, condition=measured.condition)
    shorter = tried_shorter(measured)
    return magnitude(measured.beside, dataclasses.replace(work, dtype=computed_in(measured), shorter=shorter))


def flip_sizes(flip: Flip) -> tuple[Magnitude, Magnitude]:
    """The size of the difference before and after a suspect was changed."""
    work = work_of(flip, terms=flip.terms, condition=flip.condition)
    nothing = ArrayDifference(elements=0, differing=0)
    return magnitude(flip.before or nothing, work), magnitude(flip.after or nothing, work)


def shorter_format(measured: Precision) -> str | None:
    """The format with fewer digits in which float32 was computed: "tf32", "bfloat16"; None where it was not."""
    if measured.dtype != FULL or computed_in(measured) != FULL:
        return None
    alike = recognised(measured)
    if alike is not None:
        return "bfloat16" if alike == "bfloat16" else "tf32"
    found = error_of(measured)
    if not found.is_certain or found.size not in SHORTER:
        return None
    return "bfloat16" if found.size is Size.BFLOAT16 else "tf32"


def by_device(measured: Iterable[Precision]) -> dict[tuple[str, str], list[Precision]]:
    """The measurements of each framework and device."""
    found: dict[tuple[str, str], list[Precision]] = {}
    for run in measured:
        found.setdefault((run.framework, run.device), []).append(run)
    return found


def operations(measured: Iterable[Precision]) -> str:
    """The ids of their operations, each once."""
    return ", ".join(dict.fromkeys(run.operation for run in measured))


def settings(measured: Iterable[Measured]) -> str:
    """The ids of their settings, each once."""
    return ", ".join(dict.fromkeys(run.setting for run in measured))


def figure(value: float | None) -> str:
    """A size in figures: two digits, and no power of ten where it is a usual number."""
    if value is None:
        return ""
    return f"{float(f'{value:.2g}'):.0f}" if 100 <= value < 100_000 else f"{value:.2g}"

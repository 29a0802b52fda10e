"""Words that several sections of measurements share: sizes of differences, places, figures."""

from __future__ import annotations

from collections.abc import Iterable

from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.side_by_side import Place
from wizard.report.content.measured.line import framework_name
from wizard.words import known, words

# What rounding makes is as it has to be; fewer digits may be wanted; what cannot be explained is looked at.
STATES = {
    Size.NOTHING: "open",
    Size.IDENTICAL: "clear",
    Size.ROUNDING: "clear",
    Size.UNUSUAL: "note",
    Size.HALF: "note",
    Size.BFLOAT16: "note",
    Size.STREAM: "note",
    Size.BEYOND: "warning",
}


def size_words(size: Magnitude, language: str) -> str:
    """What a difference is as large as: "rounding order", "TF32 or half precision, or bfloat16"."""
    if size.form is not None:
        return words(f"measurements.form-{size.form.value}", language)
    parts = [words(f"measurements.size-{siz.value}", language) for siz in size.sizes]
    return words("measurements.size-or", language).join(parts)


def state_of(size: Magnitude) -> str:
    """The state of a row."""
    return STATES[size.size]


def relative(size: Magnitude, language: str) -> str:
    """A difference in relation to the largest value."""
    if size.size is Size.IDENTICAL:
        return words("measurements.same-bits", language)
    return "–" if size.relative is None else f"{size.relative:.1e}"


def place_words(framework: str, device: str, language: str) -> str:
    """Where it was computed: "PyTorch (cpu)"."""
    return words("measurements.computing", language, framework=framework_name(framework, language), device=device)


def place_of(place: Place, language: str) -> str:
    """The same of a place."""
    return place_words(place.framework, place.device, language)


def percent(share: float, digits: int = 0) -> str:
    """A share in percent, as the standard of units writes it (ISO 80000-1: with a space)."""
    return f"{100 * share:.{digits}f} %"


def part_words(part: str, language: str) -> str:
    """A part of an environment."""
    return known(f"measurements.part-{part}", part, language)


def from_to(fewest: int, most: int, language: str) -> str:
    """A range of counts, or the one that all have."""
    return str(fewest) if fewest == most else words("report.from-to", language, fewest=fewest, most=most)


def joined(parts: Iterable[str], language: str, separator: str = "report.list-separator") -> str:
    """A list in one sentence."""
    return words(separator, language).join(parts)

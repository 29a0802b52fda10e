"""The axis of a plot: where a value stands, and which round numbers stand beside it.

A scale places values at coordinates: themselves, less a common offset, or their decimal logarithm. A logarithm has no
place for zero, but "no difference at all" is what a plot of errors is about, so zero stands below all others, for
itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard

WANTED = 5  # numbers along an axis, about
_ENOUGH = 0.8  # of the step that would make just the wanted number of steps
_MARGIN = 0.05  # of the range, left free at both ends
_LARGEST, _LEAST = 1e300, 1e-300  # beyond, a number has no place: to compute with it would overflow
_SMALL = 1e-4  # a range that is smaller, as a share of the values, is shown as distance from a common number
_PLAIN = range(-3, 6)  # powers of ten that are written out
_MINUS = "\u2212"


@dataclass(frozen=True)
class Piece:
    """A part of a label; ``raised``: an exponent."""

    text: str
    raised: bool = False


Label = tuple[Piece, ...]


def plain(label: Label) -> str:
    """A label on one line: "10^-6"."""
    return "".join(f"^{piece.text}" if piece.raised else piece.text for piece in label)


@dataclass(frozen=True)
class Tick:
    """A number beside an axis, and its place."""

    place: float
    label: Label


@dataclass(frozen=True)
class Scale:
    """One axis. ``low`` to ``high``: the coordinates that are shown. ``zero``: where zero stands on a logarithm.

    ``offset`` is taken from every value, and ``exponent`` is the power of ten that all numbers share; the title says
    both. ``whole``: the values are counted, so nothing stands between two of them.
    """

    low: float
    high: float
    is_log: bool = False
    zero: float | None = None
    offset: float = 0.0
    exponent: int = 0
    whole: bool = False

    def at(self, value: float | None) -> float | None:
        """Where a value stands; None for what has no place."""
        if not _has_place(value):
            return None
        if not self.is_log:
            return value - self.offset
        return math.log10(value) if value > 0 else self.zero if value == 0 else None

    @property
    def base(self) -> float:
        """Where bars begin."""
        return self.low if self.is_log else max(self.low, min(self.high, -self.offset))

    def ticks(self, low: float | None = None, high: float | None = None, wanted: int = WANTED) -> list[Tick]:
        """The round numbers of the whole range or of a part of it."""
        low, high = self.low if low is None else low, self.high if high is None else high
        if self.is_log:
            return [
                *self._of_zero(low, high),
                *_powers(low if self.zero is None else max(low, self.zero + 0.5), high, wanted),
            ]
        step = nice_step(high - low, wanted)
        if self.whole:  # nothing is counted in halves
            step = max(1.0, step if _is_round(step) else 2 * step)
        last = math.floor(math.log10(step) + 1e-9)  # the place of its last digit
        last -= not _is_round(step / 10.0**last)
        digits = max(0, self.exponent - last)
        return [
            Tick(place, (Piece(_number(place / 10.0**self.exponent, digits)),)) for place in _multiples(low, high, step)
        ]

    def _of_zero(self, low: float, high: float) -> Iterator[Tick]:
        if self.zero is not None and low <= self.zero <= high:
            yield Tick(self.zero, (Piece("0"),))

    def title(self, name: str) -> Label:
        """The name of the axis with what is taken out of its numbers."""
        pieces = [Piece(name)]
        if self.offset:
            sign = _MINUS if self.offset > 0 else "+"
            pieces.append(Piece(f" {sign} {_number(abs(self.offset))}"))
        if self.exponent:
            pieces += [Piece(" (×10"), Piece(_number(self.exponent), raised=True), Piece(")")]
        return tuple(pieces)


def scale_of(values: Iterable[float | None], *, is_log: bool = False, from_zero: bool = False) -> Scale:
    """The scale on which these values are seen well. ``from_zero``: bars, whose length is the value."""
    known = [value for value in values if _has_place(value)]
    if is_log:
        return _logarithmic(known)
    low, high = min(known, default=0.0), max(known, default=1.0)
    whole = bool(known) and all(value.is_integer() for value in map(float, known))
    if from_zero:
        low, high = min(0.0, low), max(0.0, high)
    largest = max(abs(low), abs(high))
    span = high - low
    offset = 0.0
    if 0 < span < _SMALL * largest:
        power = math.floor(math.log10(span)) + 1
        offset = round(math.floor(low / 10.0**power) * 10.0**power, -power)
        low, high, largest, whole = low - offset, high - offset, span, False
    if span <= max(math.ulp(largest), _LEAST):  # one value
        span = abs(high) if abs(high) > _LEAST else 1.0
        low, high = (low - span / 2, high + span / 2) if not from_zero else (low, high or 1.0)
    margin = (high - low) * _MARGIN
    low, high = (
        (low - margin if low < 0 or not from_zero else low),
        (high + margin if high > 0 or not from_zero else high),
    )
    power = math.floor(math.log10(max(abs(low), abs(high))))
    return Scale(low, high, offset=offset, exponent=0 if power in _PLAIN else power, whole=whole)


def _logarithmic(known: list[float]) -> Scale:
    powers = [math.log10(value) for value in known if value > 0]
    low, high = min(powers, default=-1.0), max(powers, default=0.0)
    if high - low < 1:
        low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    margin = (high - low) * _MARGIN
    zero = None
    if any(value == 0 for value in known):
        zero = math.floor(low) - max(1.0, (high - low) * 0.12)
        return Scale(zero - margin, high + margin, is_log=True, zero=zero)
    return Scale(low - margin, high + margin, is_log=True)


def nice_step(span: float, wanted: int = WANTED) -> float:
    """A step of 1, 2, 2.5 or 5 times a power of ten that makes about the wanted number of steps."""
    rough = span / max(1, wanted)
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * _ENOUGH)


def _multiples(low: float, high: float, step: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def _powers(low: float, high: float, wanted: int) -> list[Tick]:
    """Powers of ten; where less than two of them are seen, also twice and five times each."""
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    exponents = range(first, last + 1)
    is_plain = all(exponent in _PLAIN for exponent in exponents)
    if len(exponents) >= 2:
        every = max(1, math.ceil(len(exponents) / max(2, wanted + 1)))
        return [Tick(exponent, _power(1, exponent, is_plain)) for exponent in exponents if exponent % every == 0]
    found = []
    for exponent in range(first - 1, last + 1):
        for factor in (1, 2, 5):
            place = exponent + math.log10(factor)
            if low - 1e-9 <= place <= high + 1e-9:
                found.append(Tick(place, _power(factor, exponent, exponent in _PLAIN)))
    return found


def _power(factor: int, exponent: int, is_plain: bool) -> Label:
    if is_plain:
        return (Piece(_number(factor * 10.0**exponent)),)
    first = "10" if factor == 1 else f"{factor}×10"
    return (Piece(first), Piece(_number(exponent), raised=True))


def _has_place(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value) and abs(value) <= _LARGEST


def _is_round(number: float) -> bool:
    return abs(number - round(number)) < 1e-6


def _number(value: float, digits: int | None = None) -> str:
    """A number with a true minus sign, with so many digits behind the point or with those that it needs."""
    text = f"{value:.15g}" if digits is None else f"{value:.{digits}f}"
    return text.replace("-", _MINUS) if float(text) else text.lstrip("-")


def figure(value: float) -> str:
    """A value that is read out, with six digits."""
    return f"{value:.6g}".replace("-", _MINUS)

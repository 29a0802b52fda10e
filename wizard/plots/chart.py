"""What stands where on a plot, for every view of it. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wizard.plots.scale import Scale, figure, scale_of
from wizard.report.content.blocks import Plot, Series

MOST_SERIES = 24  # so many can be told apart
MOST_POINTS = 2000  # of one series; more than a screen is wide
MOST_CATEGORIES = 60
_FLAT = 7.0  # so many counted values are few
_ALL_MARKED = 30  # a line of no more points has a symbol at each
_MARKS = 10  # else so many, to tell it from the others
_BARS = 0.78  # of the room of a category that its bars take
_WIDEST = 0.18  # of the whole axis that those of one take, where there are few


@dataclass(frozen=True)
class Place:
    """A value at its place on the axes, and in words."""

    x: float
    y: float
    words: str


@dataclass(frozen=True)
class Bar:
    """A bar over a category, from ``start`` to ``end`` along the axis of the categories."""

    start: float
    end: float
    top: float
    words: str


@dataclass(frozen=True)
class Drawn:
    """A series as it is drawn: pieces of a line between gaps, symbols, bars. ``number`` chooses its look."""

    number: int
    name: str
    lines: tuple[tuple[Place, ...], ...] = ()
    marks: tuple[Place, ...] = ()
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Chart:
    """A plot, placed. The scale ``x`` of bars counts their categories: the first lies between 0 and 1."""

    plot: Plot
    x: Scale
    y: Scale
    series: tuple[Drawn, ...]
    categories: tuple[str, ...] = ()
    left_out: int = 0  # series or categories that are not drawn

    @property
    def is_flat(self) -> bool:
        """Whether it shows few counted values, one above the other, which need little height."""
        return self.y.whole and self.y.high - self.y.low < _FLAT

    def readings(self) -> list[tuple[Drawn, Place | Bar]]:
        """Every value in the order in which it is read out."""
        read: list[tuple[Drawn, Place | Bar]] = []
        for series in self.series:
            read += [(series, bar) for bar in series.bars]
            read += [(series, place) for line in series.lines for place in line]
        return read


def chart_of(plot: Plot) -> Chart:
    """The plot with everything at its place."""
    shown = plot.series[:MOST_SERIES]
    left_out = len(plot.series) - len(shown)
    if plot.kind == "bars":
        categories = plot.categories[:MOST_CATEGORIES]
        values = [value for one_series in shown for value in one_series.y[: len(categories)]]
        y = scale_of(values, is_log=plot.log_y, from_zero=True)
        series = tuple(_bars(number, one_series, len(shown), y, categories) for number, one_series in enumerate(shown))
        x = Scale(0.0, float(max(1, len(categories))))
        return Chart(plot, x, y, series, categories, left_out + len(plot.categories) - len(categories))
    x = scale_of((value for one_series in shown for value in one_series.x), is_log=plot.log_x)
    y = scale_of((value for one_series in shown for value in one_series.y), is_log=plot.log_y)
    lines = tuple(_line(number, one_series, plot, x, y) for number, one_series in enumerate(shown))
    return Chart(plot, x, y, lines, (), left_out)


def _line(number: int, series: Series, plot: Plot, x: Scale, y: Scale) -> Drawn:
    parts: list[tuple[Place, ...]] = []
    part: list[Place] = []
    for one, other in _thinned(series):
        place = (x.at(one), y.at(other))
        if place[0] is None or place[1] is None or other is None:
            if part:
                parts.append(tuple(part))
            part = []
            continue
        words = f"{series.name}: {_where(plot, one)}, {plot.y_label} {figure(other)}"
        part.append(Place(place[0], place[1], words))
    if part:
        parts.append(tuple(part))
    places = [place for line in parts for place in line]
    if plot.kind == "points" or len(places) <= _ALL_MARKED:
        return Drawn(number, series.name, tuple(parts), tuple(places))
    every = len(places) // _MARKS
    return Drawn(number, series.name, tuple(parts), tuple(places[(number * every) // 4 :: every]))


def _where(plot: Plot, x: float) -> str:
    """A place on the x axis in words: by its name, where the places have names."""
    if plot.categories and 0 <= x < len(plot.categories):
        return plot.categories[int(x)]
    return f"{plot.x_label} {figure(x)}"


def _thinned(series: Series) -> Iterator[tuple[float, float | None]]:
    """Of a long series the smallest and the largest of each stretch, so that no peak is lost."""
    pairs = list(zip(series.x, series.y, strict=False))
    if len(pairs) <= MOST_POINTS:
        yield from pairs
        return
    long = -(-len(pairs) // (MOST_POINTS // 2))
    for start in range(0, len(pairs), long):
        stretch = pairs[start : start + long]
        known = [index for index in range(len(stretch)) if stretch[index][1] is not None]
        if not known:
            yield stretch[0][0], None
            continue
        ends = {pick(known, key=lambda index: stretch[index][1] or 0.0) for pick in (min, max)}
        yield from (stretch[end] for end in sorted(ends))


def _bars(number: int, series: Series, many: int, y: Scale, categories: Sequence[str]) -> Drawn:
    taken = min(_BARS, _WIDEST * len(categories))
    wide = taken / many
    bars = []
    for index, (category, value) in enumerate(zip(categories, series.y, strict=False)):
        top = y.at(value)
        if top is None or value is None:
            continue
        start = index + (1 - taken) / 2 + number * wide
        bars.append(Bar(start, start + wide, top, f"{series.name}: {category}, {figure(value)}"))
    return Drawn(number, series.name, bars=tuple(bars))

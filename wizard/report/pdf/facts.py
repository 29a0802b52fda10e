"""Facts over the whole width of a page of the PDF: those of a file that was looked into, and logs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from wizard.report.content.fact_sheet import FactRow, FactSection
from wizard.report.pdf.parts import Parts, short
from wizard.report.pdf.typeset import INK, SOFT, Block, Cell, Code, Run, Style, Table, visible, visible_lines
from wizard.words import words

LOG_LINES = 40  # of a log are printed, its end or what is marked; all of it is in the attached case
_BEFORE = 5  # lines before the first that is marked
_PAIRED = 4  # so many short facts at least stand in two pairs beside each other
_LONG_LABEL = 34  # characters; a section with a longer one gives the labels the larger part


class FactParts(Parts):
    """Sections of facts."""

    def section(self, section: FactSection) -> Iterator[Block]:
        """One section over the whole width."""
        yield self.heading_of(section.title, level=1)
        if section.rows:
            yield from self._pairs(section.rows)
        if section.text:
            yield from self.log(section.text)

    def log(self, text: str, marked: Collection[int] = ()) -> Iterator[Block]:
        """The end of a log, or the lines from the first on that is ``marked``, by its number."""
        lines: list[str] = []
        places: list[int] = []
        for number, raw in enumerate(text.removesuffix("\n").split("\n"), 1):
            made = visible_lines(raw) or [""]
            places += range(len(lines), len(lines) + len(made)) if number in marked else ()
            lines += made
        first = max(len(lines) - LOG_LINES, 0)
        if places:
            first = min(first, max(places[0] - _BEFORE, 0))
            yield self._small(words("window.report-marked-means", self.language))
        behind = len(lines) - first - LOG_LINES
        if first:
            yield self._small(words("report.log-shortened", self.language, count=first))
        here = frozenset(place - first for place in places)
        yield Code(lines[first : first + LOG_LINES], self.device, marked=here)
        if behind > 0:
            yield self._small(words("report.log-ends-early", self.language, count=behind), keep=False)

    def _small(self, text: str, *, keep: bool = True) -> Block:
        return self.paragraph(text, Style(size=8.5, color=SOFT), keep=keep)

    def _pairs(self, rows: Sequence[FactRow]) -> Iterator[Block]:
        """Labels with values: short ones in two pairs beside each other, then those that need the whole width."""
        if any(len(row.label) > _LONG_LABEL for row in rows):
            yield Table([self._pair(row) for row in rows], (58, 42), self.device)
            return
        paired = [row for row in rows if len(row.label) <= 26 and len(row.value) <= 18]
        if len(paired) < _PAIRED:
            paired = []
        alone = [row for row in rows if row not in paired]
        if paired:
            yield self._beside(paired, after=0 if alone else 8)
        if alone:
            yield Table([self._pair(row) for row in alone], (28, 72), self.device)

    def _beside(self, rows: list[FactRow], after: float) -> Block:
        cells = [self._pair(row) for row in rows]
        half = (len(cells) + 1) // 2
        empty: list[Cell] = [[Run("")], [Run("")]]
        right = cells[half:] + [empty] * (2 * half - len(cells))
        return Table(
            [[*a, *b] for a, b in zip(cells[:half], right, strict=True)], (28, 23, 26, 23), self.device, after=after
        )

    def _pair(self, row: FactRow) -> list[Cell]:
        style = Style(size=8.5, color=SOFT if row.is_unread else INK)
        return [
            [Run(visible(row.label), Style(size=8.5, color=SOFT))],
            [Run(short(row.value.replace("\n", " ; ")), style)],
        ]

"""Facts over the whole width of a page of the PDF: those of a file that was looked into, and logs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wizard.report.fact_sheet import FactRow, FactSection
from wizard.report.pdf_parts import Parts, short
from wizard.report.typeset import INK, SOFT, Block, Cell, Code, Run, Style, Table, visible, visible_lines
from wizard.words import words

LOG_LINES = 40  # the end of a log is printed; all of it is in the attached case
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

    def log(self, text: str) -> Iterator[Block]:
        """The end of a log."""
        lines = visible_lines(text)
        if len(lines) > LOG_LINES:
            left_out = words("report.log-shortened", self.language, count=len(lines) - LOG_LINES)
            yield self.paragraph(left_out, Style(size=8.5, color=SOFT), keep=True)
        yield Code(lines[-LOG_LINES:], self.device)

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

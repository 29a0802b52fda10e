"""Small blocks in columns beside each other, as an appendix sets them: filled one after the other, equally high."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from wizard.report.pdf.text import Sheet
from wizard.report.pdf.typeset import Block, Remembered

_STEP = 4.0  # points by which a height is tried
_PAGE = 2000.0  # points that no page has
_FEWEST = 4  # blocks that begin a page, or end one


@dataclass(frozen=True)
class _InColumn:
    """A block in its column, at its height."""

    block: Block
    column: int
    y: float


@dataclass
class Columns(Block):
    """Blocks that are short enough not to be split, in columns."""

    blocks: Sequence[Block]
    count: int = 2
    limit: float | None = None  # the height to which the columns are filled; None: as low as all of it needs
    _kept: Remembered = field(default_factory=Remembered, init=False, repr=False)

    GAP = 20.0

    def _wide(self, width: float) -> float:
        return (width - (self.count - 1) * self.GAP) / self.count

    def _filled(self, width: float, limit: float) -> Iterator[_InColumn]:
        """The blocks that fit into columns of this height; one that is too high for any has a column to itself."""
        wide, column, y = self._wide(width), 0, 0.0
        for number, block in enumerate(self.blocks):
            top = y + block.before if y else 0.0
            if y and top + self._together(number, wide) > limit:
                column, y, top = column + 1, 0.0, 0.0
                if column == self.count:
                    return
            yield _InColumn(block, column, top)
            y = top + block.height(wide) + block.after

    def _together(self, number: int, wide: float) -> float:
        """The height of a block, with those that it must stay with."""
        total = self.blocks[number].height(wide)
        for block, following in itertools.pairwise(self.blocks[number:]):
            if not block.keep_with_next:
                break
            total += block.after + following.before + following.height(wide)
        return total

    def _least(self, width: float) -> float:
        return sum(block.height(self._wide(width)) for block in self.blocks) / self.count

    def _placed(self, width: float) -> list[_InColumn]:
        def placed() -> list[_InColumn]:
            if self.limit is not None:
                return list(self._filled(width, self.limit))
            limit = self._least(width)
            while len(filled := list(self._filled(width, limit))) < len(self.blocks):
                limit += _STEP
            return filled

        kept: list[_InColumn] = self._kept.get(width, placed)
        return kept

    def height(self, width: float) -> float:
        """Of the highest column. What is longer than any page is not set only to be measured."""
        wide = self._wide(width)
        least = self._least(width)
        if self.limit is None and least > _PAGE:
            return least
        return max((placed.y + placed.block.height(wide) for placed in self._placed(width)), default=0.0)

    def draw(self, sheet: Sheet, x: float, y: float, width: float) -> None:
        """Column by column."""
        wide = self._wide(width)
        for placed in self._placed(width):
            placed.block.draw(sheet, x + placed.column * (wide + self.GAP), y + placed.y, wide)

    def split(self, width: float, available: float) -> tuple[Block, Block] | None:
        """Between two blocks: what fits into columns of this height, and the rest."""
        fit = sum(1 for _ in self._filled(width, available))
        while fit and self.blocks[fit - 1].keep_with_next:
            fit -= 1
        fit = min(fit, len(self.blocks) - _FEWEST)
        if fit < _FEWEST:
            return None
        return replace(self, blocks=self.blocks[:fit], limit=available, after=0), replace(
            self, blocks=self.blocks[fit:]
        )

    def anchors(self, width: float) -> Iterator[tuple[float, tuple[int, str]]]:
        """The headings in the columns, each at its height."""
        for placed in self._placed(width):
            if placed.block.anchor is not None:
                yield placed.y, placed.block.anchor

"""Small blocks in columns beside each other, as an appendix sets them: filled one after the other, equally high."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wizard.report.pdf.text import Sheet
from wizard.report.pdf.typeset import Block, Remembered

_STEP = 4.0  # points by which a height is tried
_PAGE = 2000.0  # points that no page has
_FEWEST = 4  # blocks that begin a page, or end one


class _Size(NamedTuple):
    """What a block takes of a column; ``together``: its height with those that it must stay with."""

    before: float
    height: float
    after: float
    together: float


class _InColumn(NamedTuple):
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
    _measured: Remembered = field(default_factory=Remembered, init=False, repr=False)

    GAP = 20.0

    def _wide(self, width: float) -> float:
        return (width - (self.count - 1) * self.GAP) / self.count

    def _sizes(self, width: float) -> list[_Size]:
        """What each block measures, asked once: the columns are filled many times before they are equally high."""
        wide = self._wide(width)

        def sizes() -> list[_Size]:
            heights = [block.height(wide) for block in self.blocks]
            return [
                _Size(block.before, heights[number], block.after, self._together(number, heights))
                for number, block in enumerate(self.blocks)
            ]

        return self._measured.get(width, sizes)

    def _together(self, number: int, heights: Sequence[float]) -> float:
        total, last = heights[number], len(heights) - 1
        while number < last and self.blocks[number].keep_with_next:
            total += self.blocks[number].after + self.blocks[number + 1].before + heights[number + 1]
            number += 1
        return total

    def _filled(self, width: float, limit: float) -> Iterator[tuple[int, float]]:
        """Column and height of the blocks that fit into columns so high; one too high for any has one to itself."""
        column, y = 0, 0.0
        for before, height, after, together in self._sizes(width):
            top = y + before if y else 0.0
            if y and top + together > limit:
                column, y, top = column + 1, 0.0, 0.0
                if column == self.count:
                    return
            yield column, top
            y = top + height + after

    def _least(self, width: float) -> float:
        return sum(size.height for size in self._sizes(width)) / self.count

    def _placed(self, width: float) -> list[_InColumn]:
        def placed() -> list[_InColumn]:
            limit = self._least(width) if self.limit is None else self.limit
            filled = list(self._filled(width, limit))
            while self.limit is None and len(filled) < len(self.blocks):
                limit += _STEP
                filled = list(self._filled(width, limit))
            return [_InColumn(block, *place) for block, place in zip(self.blocks, filled, strict=False)]

        return self._kept.get(width, placed)

    def height(self, width: float) -> float:
        """Of the highest column. What is longer than any page is not set only to be measured."""
        least = self._least(width)
        if self.limit is None and least > _PAGE:
            return least
        lower = (placed.y + size.height for placed, size in zip(self._placed(width), self._sizes(width), strict=False))
        return max(lower, default=0.0)

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

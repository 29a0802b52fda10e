"""Blocks broken over pages, as a printer would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wizard.report.pdf.typeset import Block


@dataclass
class Placed:
    """A block at its height on a page."""

    block: Block
    y: float


def paginate(blocks: Sequence[Block], width: float, height: float) -> list[list[Placed]]:
    """Break the blocks over pages of this height. What is too high for any page is cut by its lower edge."""
    pages: list[list[Placed]] = [[]]
    waiting = list(reversed(blocks))
    y = 0.0

    def new_page() -> None:
        nonlocal y
        pages.append([])
        y = 0.0

    while waiting:
        block = waiting.pop()
        top = y + block.before if pages[-1] else 0.0
        needed = _needed(block, waiting, width)
        if pages[-1] and top + needed > height and needed <= height:
            if _floated(block, waiting):
                continue
            new_page()
            waiting.append(block)
            continue
        is_over = top + block.height(width) > height
        parts = block.split(width, height - top) if is_over else None
        if is_over and parts is None and pages[-1]:  # what cannot begin here has more room on the next page
            new_page()
            waiting.append(block)
            continue
        if parts is not None:
            pages[-1].append(Placed(parts[0], top))
            waiting.append(parts[1])
            new_page()
            continue
        pages[-1].append(Placed(block, top))
        y = top + block.height(width) + block.after
    return pages


def _floated(block: Block, waiting: list[Block]) -> bool:
    """Whether a picture that has no room here went behind what follows it in its section, so that no page has a gap."""
    if not block.floats:
        return False
    at = len(waiting) - 1
    while at > 0 and (waiting[at].keep_with_next or waiting[at - 1].follows):
        at -= 1
    passed = waiting[at:] if at >= 0 else []
    if not passed or any(other.floats or other.anchor for other in passed):
        return False
    waiting.insert(at, block)
    return True


def _needed(block: Block, waiting: Sequence[Block], width: float) -> float:
    """The least height that must be free so that the block and what it must stay with begin on one page.

    ``waiting`` are the blocks behind it, the next one last.
    """
    total, at = 0.0, len(waiting) - 1
    while block.keep_with_next and at >= 0:
        following = waiting[at]
        total += block.height(width) + block.after + following.before
        block, at = following, at - 1
    return total + _least(block, width)


_MOST_LEAST = 360.0  # two rows of a table, each of many lines


def _least(block: Block, width: float) -> float:
    whole = block.height(width)
    step, available = 12.0, 0.0
    while available < min(whole, _MOST_LEAST):
        available += step
        if block.split(width, available) is not None:
            return available
    return whole

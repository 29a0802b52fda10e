"""A text that was sent, on the pages of the PDF: its end, or what is marked; all of it is in the attached case."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from PySide6.QtGui import QPagedPaintDevice

from wizard.report.pdf.text import SOFT, Run, Style, visible, visible_lines
from wizard.report.pdf.typeset import Block, Code, Paragraph
from wizard.words import words

LOG_LINES = 40  # lines that are printed
_BEFORE = 5  # lines before the first that is marked


def text_blocks(
    text: str, marked: Collection[int], marked_means: str, device: QPagedPaintDevice, language: str
) -> Iterator[Block]:
    """The end of a text, or the lines from the first on that is ``marked``, by its number."""

    def remark(line: str, *, keep: bool = True) -> Block:
        return Paragraph([Run(visible(line), Style(size=8.5, color=SOFT))], device, after=3, keep_with_next=keep)

    lines: list[str] = []
    places: list[int] = []
    for number, raw in enumerate(text.removesuffix("\n").split("\n"), 1):
        shown = visible_lines(raw) or [""]
        places += range(len(lines), len(lines) + len(shown)) if number in marked else ()
        lines += shown
    first = max(len(lines) - LOG_LINES, 0)
    if places:
        first = min(first, max(places[0] - _BEFORE, 0))
        yield remark(marked_means)
    behind = len(lines) - first - LOG_LINES
    if first:
        yield remark(words("report.log-shortened", language, count=first))
    here = frozenset(place - first for place in places)
    yield Code(lines[first : first + LOG_LINES], device, marked=here)
    if behind > 0:
        yield remark(words("report.log-ends-early", language, count=behind), keep=False)

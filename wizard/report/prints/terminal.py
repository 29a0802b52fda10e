"""The report as text for a terminal: the verdict, and what to do. Everything else is in the other forms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from checks.visible import visible
from wizard.report.content import blocks as b
from wizard.report.content.document import document_of
from wizard.report.content.report import Report
from wizard.report.text_columns import width
from wizard.words import words

_MOST_ITEMS = 8  # of a list


def to_terminal(report: Report, *, is_first_look: bool = False) -> str:
    """The summary. Control characters that came from outside are made visible: a terminal would obey them.

    ``is_first_look``: of what is folded the titles and their sentences alone, and how to see the rest.
    """
    return document_on_terminal(document_of(report), is_first_look=is_first_look)


def document_on_terminal(document: b.Document, *, is_first_look: bool = False) -> str:
    """Any document, as :func:`to_terminal` prints that of a report."""
    return "\n".join(map(visible, _Writer(document.language, is_first_look=is_first_look).document(document)))


class _Writer:
    """Blocks as lines, those of a section indented below its title."""

    def __init__(self, language: str, *, is_first_look: bool) -> None:
        self._language = language
        self._is_first_look = is_first_look
        self._has_folded = self._was_folded = False

    def document(self, document: b.Document) -> Iterator[str]:
        """The verdict, and every section that a summary shows."""
        yield f"{document.verdict.symbol} {document.verdict.sentence}"
        yield from (f"  {line}" for line in (*document.verdict.scope, *document.notes))
        for section in (*document.questions, *document.sections):
            yield from self._chapter(section)
        if self._has_folded:
            yield from ("", words("report.more-with-v", self._language))

    def _chapter(self, section: b.Section) -> Iterator[str]:
        """A section of the report. The cards in it are chapters of their own; its title is for what precedes them."""
        parts = [(is_card, list(group)) for is_card, group in groupby(section.blocks, _is_card)]
        for number, (is_card, blocks) in enumerate(parts):
            if is_card:
                for card in blocks:
                    yield from self._chapter(card) if isinstance(card, b.Section) else ()
                continue
            is_line = self._is_folded(section)
            lines = list(self._of(blocks) if number else self._section(replace(section, blocks=tuple(blocks))))
            is_below = is_line and self._was_folded
            self._was_folded = is_line if lines else self._was_folded
            yield from (*(() if is_below else ("",)), *lines) if lines else ()

    def _is_folded(self, section: b.Section) -> bool:
        return self._is_first_look and section.is_folded and bool(section.blocks) and b.in_summary(section)

    def _section(self, section: b.Section) -> Iterator[str]:
        if not b.in_summary(section):
            return
        if self._is_folded(section):
            self._has_folded = True
            yield from filter(None, (_in_one_line(section),))
            return
        inner = list(self._of(section.blocks))
        if not section.title:
            yield from inner
            return
        if not inner and not section.note and section.badge is None and not section.label:
            return
        yield _titled(section)
        below = [*filter(None, (section.badge.note if section.badge else "", section.note)), *inner]
        yield from (f"  {line}" if line else "" for line in below)

    def _of(self, blocks: Iterable[b.Block]) -> Iterator[str]:  # noqa: C901 - one case for each kind
        for block in blocks:
            match block:
                case b.Section():
                    yield from self._section(block)
                case b.Paragraph(text):
                    yield text
                case b.Items(items, mark):
                    sign = "-" if mark in ("–", "?") else mark
                    yield from (f"{sign} {': '.join(filter(None, (i.text, i.detail)))}" for i in items[:_MOST_ITEMS])
                    yield from self._left_out(len(items) - _MOST_ITEMS)
                case b.Quote(lines):
                    yield from (f"> {line}" for line in lines)
                case b.Code(text):
                    yield from text.splitlines()
                case b.Risk(label, text):
                    yield f"{label}: {text}"
                case b.Step():
                    yield from _step(block)
                case b.Table():
                    yield from self._table(block)
                case b.Plot():
                    yield f"{block.title}: {block.summary}"
                case b.Pairs(rows):
                    for row in rows:
                        first, *more = row.value.splitlines() or [""]
                        yield f"{row.label}: {first}"
                        yield from (f"  {line}" for line in more)
                case b.FactSheet(sections):
                    for title, pairs in sections:
                        yield title
                        yield from (f"  {line}" for line in self._of([pairs]))
                case b.Sources(label, sources):
                    yield f"{label}: {', '.join(sources)}"
                case b.SentText(_, text):
                    yield from text.splitlines()
                case b.Files(_, table, notes, pages):
                    if len(pages) > 1:
                        yield from self._table(table)
                        yield from notes
                    for page in pages:
                        yield from self._section(page)

    def _left_out(self, count: int) -> Iterator[str]:
        if count > 0:
            yield words("measurements.rows-left-out", self._language, count=count)

    def _table(self, table: b.Table) -> Iterator[str]:
        if table.title:
            yield f"{table.title}:"
        symbols = table.has_states
        head = (*[""] * symbols, *table.columns)
        rows = [(*[b.SYMBOLS[row.state]] * symbols, *row.full_cells) for row in table.telling]
        if rows:
            numeric = {column + symbols for column in table.numeric}
            yield from (f"  {line}" for line in _in_columns([head, *rows], numeric))
        yield from (f"  {line}" for line in self._left_out(len(table.rows) - len(rows)))
        if table.note:
            yield f"  {table.note}"


def _is_card(block: b.Block) -> bool:
    return isinstance(block, b.Section) and block.card is not None


def _in_one_line(section: b.Section) -> str:
    """A folded section: its title, and the sentence that says most of it."""
    title = _titled(section) if section.title else ""
    if section.badge:
        return " · ".join(filter(None, (title, section.badge.note)))
    return ": ".join(filter(None, (title, section.note)))


def _titled(section: b.Section) -> str:
    if section.label:
        return f"{section.label}: {section.title}"
    if section.badge is None:
        return section.title
    word = f"{section.badge.word}: " if section.badge.note else ""
    return f"{section.badge.symbol} {word}{section.title}"


def _step(step: b.Step) -> Iterator[str]:
    """The number or sign stands beside the first line."""
    head, *behind = [part for part in (step.label, step.text) if part] or [""]
    yield from (line for line in (f"{step.mark} {head}".strip(), *behind) if line)
    if step.code:
        yield from (f"  {line}" for line in step.code.text.splitlines())


def _in_columns(rows: Sequence[Sequence[str]], numeric: Collection[int] = ()) -> Iterator[str]:
    """Rows whose columns stand below each other, figures at the right; a Japanese character takes two places."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        gaps = (" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
        cells = (
            f"{gap}{cell}" if at in numeric else f"{cell}{gap}"
            for at, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        )
        yield "  ".join(cells).rstrip()

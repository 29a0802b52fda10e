"""How much of a report is shown: a folder of two thousand damaged models must not become a PDF of a gigabyte.

Every list is cut where nobody reads on, and a sentence says how much was left out; the JSON holds all of it. What is
read first comes first, so that the end is what is missing. Commands are never cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from wizard.report.content.blocks import (
    Block,
    FactRow,
    FactSheet,
    Files,
    Item,
    Items,
    Look,
    Pairs,
    Paragraph,
    Quote,
    Row,
    Section,
    SentText,
    Sources,
    Table,
)
from wizard.report.content.report import FindingView
from wizard.words import words

MOST_ENTRIES = 500  # of one list or table
MOST_FINDINGS = 60  # of which a folder of damaged models has thousands
MOST_SECTIONS = 100  # blocks of one section
MOST_LINES = 3_000  # entries, sentences and titles below one heading of the report
_OF_FILE = 300  # of them for each of many files
LONGEST = 20_000  # characters of one text; the output of a program that is kept has 16,000

_T = TypeVar("_T")


def bounded(sections: Iterable[Section], language: str) -> tuple[Section, ...]:
    """The sections of a report, each in bounds of its own."""
    return tuple(_Bounds(language, MOST_LINES).section(section) for section in sections)


def first_of_each(findings: Sequence[FindingView]) -> tuple[FindingView, ...]:
    """The findings that are shown, in their order: many of one cause crowd no other cause out."""
    first = {finding.cause: place for place, finding in reversed(tuple(enumerate(findings)))}
    chosen = sorted((first[finding.cause] != place, place) for place, finding in enumerate(findings))[:MOST_FINDINGS]
    return tuple(findings[place] for place in sorted(place for _, place in chosen))


class _Bounds:
    """How many lines of a section are still free."""

    def __init__(self, language: str, most: int) -> None:
        self._language = language
        self._left = most

    def blocks(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        """The blocks in bounds, and behind them what was left out."""
        shown, left_out = self._first(blocks, MOST_SECTIONS)
        kept = tuple(map(self._block, shown))
        return (*kept, Paragraph(left_out, Look.STRONG)) if left_out else kept

    def section(self, section: Section) -> Section:
        """A section in bounds."""
        return replace(
            section, title=short(section.title), note=short(section.note), blocks=self.blocks(section.blocks)
        )

    def _block(self, block: Block) -> Block:
        match block:
            case Section():
                return self.section(block)
            case Paragraph(text):
                return replace(block, text=short(text))
            case Items(items):
                shown, left_out = self._first(items)
                kept = tuple(Item(short(item.text), short(item.detail)) for item in shown)
                return replace(block, items=(*kept, Item(left_out)) if left_out else kept)
            case Quote(lines):
                few, left_out = self._first(lines)
                return replace(block, lines=(*map(short, few), *([left_out] if left_out else [])))
            case Pairs():
                return self._pairs(block)
            case FactSheet(sections):
                return FactSheet(tuple((short(title), self._pairs(pairs)) for title, pairs in self._first(sections)[0]))
            case Sources(_, sources):
                return replace(block, sources=tuple(map(short, self._first(sources)[0])))
            case Files(_, table, _, pages):
                listed = self._table(table)
                of_file = (_Bounds(self._language, _OF_FILE) for _ in listed.rows)
                kept_pages = tuple(bounds.section(page) for bounds, page in zip(of_file, pages, strict=False))
                return replace(block, table=listed, pages=kept_pages)
            case Table():
                return self._table(block)
            case SentText(name):
                return replace(block, name=short(name))
        return block

    def _pairs(self, pairs: Pairs) -> Pairs:
        shown, left_out = self._first(pairs.rows)
        rows = tuple(
            replace(row, label=short(row.label), value=short(row.value), origin=short(row.origin)) for row in shown
        )
        return replace(pairs, rows=(*rows, FactRow("…", left_out)) if left_out else rows)

    def _table(self, table: Table) -> Table:
        shown, left_out = self._first(table.rows)
        rows = tuple(_row(row) for row in shown)
        return replace(table, rows=rows, note=" ".join(filter(None, (table.note, left_out))))

    def _first(self, entries: Sequence[_T], most: int = MOST_ENTRIES) -> tuple[Sequence[_T], str]:
        """As many as there is room for, and a sentence about the rest; "" where there is none."""
        shown = entries[: max(0, min(most, self._left))]
        self._left -= len(shown)
        count = len(entries) - len(shown)
        return shown, words("report.more-in-json", self._language, count=count) if count else ""


def short(text: str) -> str:
    """A text, the beginning of one without end."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _row(row: Row) -> Row:
    if max(map(len, row.cells), default=0) <= LONGEST:
        return row
    return replace(row, cells=tuple(map(short, row.cells)), tip=short(row.tip))

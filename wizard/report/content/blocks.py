"""What a report consists of: blocks. A document is built once, and every form of the report only draws its blocks.

The order of the blocks and what stands in them is decided in ``document.py``. Beside that a block says how important
it is (:class:`Detail`) and where paper puts it (:class:`Place`), so that a form decides by these alone how much of it
to show. Texts are plain: each form escapes them for itself. No Qt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

_FEW_ABSENT = 3  # rows of what was not measured that a table keeps
_MANY_ROWS = 4  # from which on a column that is empty throughout tells nothing
_EMPTY = ("", "–")
_MANY_BRIEF = 6  # rows from which on it pays to print them in few words
FEW_ROWS = 12  # of a table that is shown whole where room is scarce
SYMBOLS = {"blocking": "×", "warning": "!", "note": "i", "clear": "✓", "open": "?", "absent": "–", "": ""}


@dataclass(frozen=True)
class Row:
    """A row of a table. ``state``: "blocking", "warning", "note", "clear", "open", "absent"; "" for plain figures.

    A print shows the state as a symbol before the row; a cell says in words what it is.
    """

    cells: tuple[str, ...]
    state: str = ""
    brief: str = ""  # where it tells nothing unusual: all that its group does not say, in few words
    group: str = ""  # what can be said of this and other such rows
    tip: str = ""  # the first cell in full, for where there is room

    @property
    def full_cells(self) -> tuple[str, ...]:
        """The cells, the first one in full."""
        return (self.tip, *self.cells[1:]) if self.tip else self.cells


@dataclass(frozen=True)
class Table:
    """A table. ``numeric``: the columns, counted from 0, that hold figures, to be set to the right.

    ``code``: the columns that hold names or paths, which Markdown shows as code. ``is_whole``: every row is shown
    everywhere, also where there are many.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    numeric: tuple[int, ...] = ()
    code: tuple[int, ...] = ()
    note: str = ""
    is_whole: bool = False

    @property
    def is_long(self) -> bool:
        """Whether it takes more room than it is worth to somebody who only looks over the report."""
        return len(self.rows) > FEW_ROWS and not self.is_whole

    @property
    def has_states(self) -> bool:
        """Whether some row has one."""
        return any(row.state for row in self.rows)

    @property
    def left_out(self) -> tuple[str, ...]:
        """What was not measured, by the names of the rows, where there are too many of them to print each."""
        absent = tuple(row.cells[0] for row in self.rows if row.state == "absent")
        return absent if len(absent) > _FEW_ABSENT and not self.is_whole else ()

    @property
    def printed(self) -> tuple[Row, ...]:
        """The rows of a print that names those left out in one sentence."""
        return tuple(row for row in self.rows if row.state != "absent") if self.left_out else self.rows

    @property
    def in_brief(self) -> dict[str, tuple[str, ...]]:
        """Where there are many rows that tell nothing unusual: each in few words, by what can be said of a group."""
        briefly = [row for row in self.rows if row.brief]
        if len(briefly) < _MANY_BRIEF:
            return {}
        return {
            group: tuple(row.brief for row in briefly if row.group == group)
            for group in dict.fromkeys(row.group for row in briefly)
        }

    @property
    def telling(self) -> tuple[Row, ...]:
        """The rows that are read first: of a long table those that tell of a trouble, as many as fit."""
        if self.is_whole or len(self.printed) <= FEW_ROWS:
            return self.printed
        return tuple(row for row in self.rows if row.state in ("blocking", "warning"))[:FEW_ROWS]


def trimmed(table: Table) -> Table:
    """The table without the columns in which none of many rows has anything."""
    kept = [
        index
        for index in range(len(table.columns))
        if len(table.printed) < _MANY_ROWS or any(row.cells[index] not in _EMPTY for row in table.printed)
    ]
    if len(kept) == len(table.columns):
        return table
    return replace(
        table,
        columns=tuple(table.columns[index] for index in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[index] for index in kept)) for row in table.rows),
        numeric=tuple(place for place, index in enumerate(kept) if index in table.numeric),
        code=tuple(place for place, index in enumerate(kept) if index in table.code),
    )


def in_full(table: Table) -> Table:
    """The table without the rows that are printed in brief."""
    return trimmed(replace(table, rows=tuple(row for row in table.rows if not row.brief))) if table.in_brief else table


@dataclass(frozen=True)
class Series:
    """A line or a set of bars. Points whose ``y`` is None are gaps."""

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]


@dataclass(frozen=True)
class Plot:
    """A plot. ``kind``: "lines", "points" or "bars" (then ``categories`` name the places on the x axis).

    Where a line goes through places with names, these are its ``categories``, too: 0 is the first.

    ``summary``: what it shows in one sentence, for those who cannot see it, and for prints without pictures.
    """

    title: str
    kind: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    summary: str
    categories: tuple[str, ...] = ()
    log_x: bool = False
    log_y: bool = False


class Detail(Enum):
    """In which forms a section is shown."""

    BRIEF = "brief"  # in the summary alone, where it stands for what is left out there
    SUMMARY = "summary"  # everywhere
    FULL = "full"  # everywhere but in the summary


class Place(Enum):
    """Where paper puts a section; a screen shows it where it belongs."""

    INLINE = "inline"
    PAGE = "page"  # behind the text, over the whole width
    APPENDIX = "appendix"  # set small, at the end


class Look(Enum):
    """How important a paragraph is."""

    PLAIN = "plain"
    LEAD = "lead"  # the first sentence of a finding
    STRONG = "strong"


@dataclass(frozen=True)
class Verdict:
    """``state`` is "blocking", "warning", "note", "clear", "incomplete" or "nothing-run".

    ``word`` and ``symbol`` show it.

    ``sentence`` is the answer; ``scope`` says how much was looked at, so that silence is not taken for health.
    """

    state: str
    word: str
    symbol: str
    sentence: str
    scope: tuple[str, ...]


@dataclass(frozen=True)
class Paragraph:
    """A sentence or more."""

    text: str
    look: Look = Look.PLAIN


@dataclass(frozen=True)
class Item:
    """One line of a list. ``detail`` explains it."""

    text: str
    detail: str = ""


@dataclass(frozen=True)
class Items:
    """A list. ``mark`` stands before each item, in the colour of ``state``."""

    items: tuple[Item, ...]
    mark: str = "–"
    state: str = "open"


@dataclass(frozen=True)
class Quote:
    """Lines of a text that was sent."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """Text to paste. ``language``: "python", "sh", "powershell", or "" where it is neither."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Risk:
    """What to know before the first step of a remedy. It stands before every command."""

    label: str
    text: str


@dataclass(frozen=True)
class Step:
    """One thing to do, or how to see that it worked: a sentence, code to paste, or both.

    ``mark``: its number or sign. ``label``: where it applies, if not everywhere. ``hint``: what to do with the code
    where no sentence says it.
    """

    mark: str
    text: str
    label: str = ""
    code: Code | None = None
    hint: str = ""
    state: str = ""


@dataclass(frozen=True)
class FactRow:
    """One value with its label. ``is_unread``: ``value`` says why it is missing. ``origin``: where it was read."""

    label: str
    value: str
    is_unread: bool = False
    origin: str = ""


@dataclass(frozen=True)
class Pairs:
    """Labels with their values. ``heads`` name the columns where the rows have an origin.

    ``are_settings``: the labels are names of a program, and many of them have the same value. ``are_words``: the values
    are words of ours, and no facts as they were read.
    """

    rows: tuple[FactRow, ...]
    heads: tuple[str, str, str] = ("", "", "")
    are_settings: bool = False
    are_words: bool = False


@dataclass(frozen=True)
class FactSheet:
    """All facts, section by section: title and rows. A screen lets the reader search them."""

    sections: tuple[tuple[str, Pairs], ...]


@dataclass(frozen=True)
class Sources:
    """Where it is written: addresses of pages, or documents in words."""

    label: str
    sources: tuple[str, ...]


@dataclass(frozen=True)
class SentText:
    """A text that was sent, as it came. ``marked``: the numbers of the lines that prove something, counted from 1."""

    name: str
    text: str
    marked: tuple[int, ...] = ()
    marked_means: str = ""


@dataclass(frozen=True)
class Files:
    """A table, and a page for each of its rows in the same order. ``name``: what they are."""

    name: str
    table: Table
    notes: tuple[str, ...]
    pages: tuple[Section, ...]


@dataclass(frozen=True)
class Badge:
    """The state of a section: a symbol and a word for it, what else to say beside it, and the id of what was found."""

    state: str
    symbol: str
    word: str = ""
    note: str = ""
    id: str = ""


@dataclass(frozen=True)
class Card:
    """A section that a screen folds, with the icon of a ``state``. ``count``: of its entries.

    ``subtitle``: what a reader sees before it is unfolded, where that is not the section's note.
    """

    state: str
    is_open: bool = False
    count: int = 0
    subtitle: str = ""


@dataclass(frozen=True)
class Section:
    """Blocks under a title; without a title they are only held together.

    ``note``: a sentence about all of it. ``label`` stands before the title ("What to do"). ``title_apart``: the title
    where paper sets it apart from what it belongs to. ``elsewhere``: the steps are described elsewhere, so that paper,
    where everything can be seen, shows the title and this remark in their place. ``is_folded``: a first look, such as
    the terminal gives where no more is asked for, shows the title and the note alone.
    """

    title: str
    blocks: tuple[Block, ...]
    id: str = ""
    note: str = ""
    label: str = ""
    detail: Detail = Detail.SUMMARY
    place: Place = Place.INLINE
    title_apart: str = ""
    elsewhere: str = ""
    badge: Badge | None = None
    card: Card | None = None
    is_folded: bool = False


Block = (
    Paragraph
    | Items
    | Quote
    | Code
    | Risk
    | Step
    | Pairs
    | FactSheet
    | Sources
    | SentText
    | Files
    | Table
    | Plot
    | Section
)


@dataclass(frozen=True)
class Document:
    """A whole report: the verdict, what must be known about how it came about, what to ask next, then the sections.

    ``subtitle``: when the case was created, and for which question. ``answer``: why, and the one thing to do, for a
    screen that shows these alone at first; all of it stands in the sections, too.
    """

    language: str
    title: str
    created: str
    subtitle: str
    verdict: Verdict
    notes: tuple[str, ...]
    questions: tuple[Section, ...]
    sections: tuple[Section, ...]
    answer: tuple[Block, ...] = ()


def in_summary(section: Section) -> bool:
    """Whether a summary shows it."""
    return section.detail is not Detail.FULL


def in_whole(section: Section) -> bool:
    """Whether the whole report shows it."""
    return section.detail is not Detail.BRIEF


@dataclass(frozen=True)
class MeasuredSection:
    """What was measured of one question."""

    id: str
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks below the first sentence."""
        return (*map(Paragraph, self.sentences[1:]), *self.plots, *self.tables)

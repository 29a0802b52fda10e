"""The blocks of the report as widgets: folds, text, code to copy, tables, plots."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontDatabase, QPixmap
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QPushButton, QVBoxLayout

from wizard.desktop.looks import LOOKS
from wizard.pages.fact_tree import fill_facts
from wizard.pages.files_view import FilesView
from wizard.pages.table_view import TableView
from wizard.report.content import blocks as b
from wizard.widgets.fold import Fold
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.long_text import LongText, value_text
from wizard.widgets.marked_text import fill_text

Say = Callable[..., str]

_TOP = Qt.AlignmentFlag.AlignTop
_SYMBOL, _SMALL_SYMBOL, _ARROW = 22, 16, 16  # logical pixels


class BlockWidgets:
    """Fills layouts with blocks. ``folds``: those at the level of the page, by the ids of their sections.

    ``say`` gives a text of window.toml; ``picture`` an icon by its name, colour and size; ``copy`` takes a text to the
    clipboard and tells the button's own feedback; ``reshaped`` is called when a fold inside another has opened or
    closed; ``mark`` is the colour of a marked line.
    """

    def __init__(
        self,
        say: Say,
        picture: Callable[[str, str, int], QPixmap],
        copy: Callable[[str, QPushButton], None],
        reshaped: Callable[[], object],
        mark: QColor,
    ) -> None:
        self._say = say
        self._picture = picture
        self._copy = copy
        self._reshaped = reshaped
        self._mark = mark
        self.folds: dict[str, Fold] = {}
        self.files: FilesView | None = None

    @functools.cached_property
    def _pictures(self) -> dict[str, QPixmap]:
        """The symbols of a table, of which most reports have none."""
        return {state: self._picture(*look, _SMALL_SYMBOL) for state, look in LOOKS.items()}

    def fill(self, layout: QVBoxLayout, blocks: Iterable[b.Block]) -> None:
        """The blocks below each other."""
        for block in blocks:
            self._add(layout, block)

    def _add(self, layout: QVBoxLayout, block: b.Block) -> None:  # noqa: C901 - one case for each kind of block
        match block:
            case b.Section():
                if b.in_whole(block):
                    self._section(layout, block)
            case b.Paragraph(text, look):
                layout.addWidget(value_text(text, "cardTitle" if look is b.Look.STRONG else ""))
            case b.Items(items):
                lines = (": ".join(filter(None, (item.text, item.detail))) for item in items)
                layout.addWidget(value_text("\n".join(f"•  {line}" for line in lines)))
            case b.Quote(lines):
                layout.addWidget(value_text("\n".join(f"> {line}" for line in lines), "muted"))
            case b.Code(text):
                layout.addLayout(self._code(text.rstrip()))
            case b.Risk(label, text):
                layout.addWidget(plain_label("tone-warning", f"{label}: {text}", selectable=True))
            case b.Step():
                self._step(layout, block)
            case b.Table():
                self._table(layout, block)
            case b.Plot():
                from wizard.plots.view import PlotView  # late: it loads pyqtgraph

                layout.addWidget(PlotView(block, self._say))
            case b.Pairs():
                layout.addLayout(_grid(block))
            case b.FactSheet(sections):
                fill_facts(layout, sections, self._say)
            case b.Sources(label, sources):
                layout.addWidget(plain_label("heading", label))
                layout.addWidget(value_text("\n".join(sources), "small"))
            case b.SentText(name, text, marked):
                fill_text(layout, text, name, marked, self._mark)
            case b.Files():
                self.files = FilesView(block, self._pictures, self.fill)
                layout.addWidget(self.files)

    def _section(self, layout: QVBoxLayout, section: b.Section) -> None:
        if section.card is not None:
            layout.addWidget(self._fold(section, section.card))
            return
        if section.title:
            layout.addWidget(plain_label("heading", ": ".join(filter(None, (section.label, section.title)))))
        if section.note:
            layout.addWidget(value_text(section.note))
        self.fill(layout, section.blocks)

    def _fold(self, section: b.Section, card: b.Card) -> Fold:
        title = self._say("report-counted", title=section.title, count=card.count) if card.count else section.title
        fold = Fold(title, lambda layout: self.fill(layout, section.blocks), self._arrow, self._say)
        badge = section.badge
        subtitle = self._say("report-weight", severity=badge.word, confidence=badge.note) if badge else section.note
        icon, colour = LOOKS[card.state]
        if badge:
            fold.setProperty("tone", colour)
        fold.set_symbol(self._picture(icon, colour, _SYMBOL), card.subtitle or subtitle)
        fold.unfold(card.is_open)
        self.folds[section.id] = fold
        return fold

    def _arrow(self, name: str) -> QPixmap:
        return self._picture(name, "muted", _ARROW)

    def _step(self, layout: QVBoxLayout, step: b.Step) -> None:
        text = step.text or (step.hint if step.code else "")
        text = self._say("report-step-for", step=text, labels=step.label) if step.label else text
        layout.addWidget(value_text(f"{step.mark} {text}".strip()))
        if step.code:
            layout.addLayout(self._code(step.code.text.rstrip()))

    def _code(self, code: str) -> QLayout:
        button = QPushButton(self._say("report-copy"))
        button.setAccessibleName(self._say("report-copy-code", code=code))
        button.clicked.connect(lambda: self._copy(code, button))
        line = filled(QHBoxLayout(), spacing=8)
        line.addWidget(self._monospaced(code), 1)
        line.addWidget(button, 0, _TOP)
        return line

    def _monospaced(self, text: str) -> LongText:
        box = LongText(text, "code", self._say("report-code"))
        box.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        return box

    def _table(self, layout: QVBoxLayout, table: b.Table) -> None:
        if not table.is_long:
            if table.title:
                layout.addWidget(plain_label("cardTitle", table.title, selectable=True))
            self._rows(layout, table)
            return
        fold = Fold(table.title, lambda inside: self._rows(inside, table), self._arrow, self._say)
        fold.toggled.connect(lambda _: self._reshaped())
        fold.set_subtitle(self._say("measured-rows", count=len(table.rows)))
        layout.addWidget(fold)

    def _rows(self, layout: QVBoxLayout, table: b.Table) -> None:
        if table.rows:
            layout.addWidget(TableView(table, self._pictures, self._say))
        if table.note:
            layout.addWidget(plain_label("muted", table.note, selectable=True))


def _grid(pairs: b.Pairs) -> QGridLayout:
    has_origin = any(row.origin for row in pairs.rows)
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(4)
    for index, row in enumerate(pairs.rows):
        grid.addWidget(plain_label("muted", row.label), index, 0, _TOP)
        grid.addWidget(value_text(row.value), index, 1, _TOP)
        if has_origin:
            grid.addWidget(value_text(row.origin, "small"), index, 2, _TOP)
    for column, stretch in enumerate((2, 3, 4) if has_origin else (1, 3)):
        grid.setColumnStretch(column, stretch)
    return grid

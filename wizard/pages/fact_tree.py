"""All facts in a tree that can be searched."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout

from wizard.report.content.blocks import Pairs

_FEW = 8  # rows of a section that is shown unfolded


def fill_facts(layout: QVBoxLayout, sections: Iterable[tuple[str, Pairs]], say: Callable[..., str]) -> None:
    """Add the facts with a field to filter them. ``say`` gives a text of window.toml."""
    search = QLineEdit()
    search.setClearButtonEnabled(True)
    search.setPlaceholderText(say("report-facts-filter"))
    search.setAccessibleName(say("report-facts-filter"))
    tree = QTreeWidget()
    tree.setColumnCount(2)
    tree.setHeaderLabels([say("report-facts-name"), say("report-facts-value")])
    tree.setAccessibleName(say("report-facts"))
    tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    tree.setMinimumHeight(360)
    tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
    tree.setColumnWidth(0, 280)
    for title, pairs in sections:
        top = QTreeWidgetItem(tree, [title, ""])
        for row in pairs.rows:
            item = QTreeWidgetItem(top, [row.label, row.value])
            if row.is_unread:
                font = item.font(1)
                font.setItalic(True)
                item.setFont(1, font)
        top.setExpanded(len(pairs.rows) <= _FEW)
    search.textChanged.connect(lambda wanted: filter_tree(tree, wanted))
    layout.addWidget(search)
    layout.addWidget(tree)


def filter_tree(tree: QTreeWidget, wanted: str) -> None:
    """Show the rows that contain the words, and their sections; everything for no words."""
    wanted = wanted.strip().casefold()
    for section in children(tree.invisibleRootItem()):
        title_fits = wanted in section.text(0).casefold()
        any_fits = False
        for line in children(section):
            fits = title_fits or wanted in f"{line.text(0)} {line.text(1)}".casefold()
            line.setHidden(not fits)
            any_fits = any_fits or fits
        section.setHidden(not (title_fits or any_fits))
        if wanted:
            section.setExpanded(any_fits)


def children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    """The rows below a row."""
    rows = (item.child(index) for index in range(item.childCount()))
    return [row for row in rows if row is not None]

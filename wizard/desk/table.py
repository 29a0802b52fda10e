"""The tickets as a table that fetches its rows as they are scrolled to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QIcon

from wizard.widgets.labels import escaped_tip
from wizard.words import words

if TYPE_CHECKING:
    from checks.desk.views import Row

_COLUMNS = ("ticket", "cause", "sure", "language", "product", "age", "count")
_NUMERIC = {2, 5, 6}
STATES = ("note", "open", "crashed")  # a cause is named; a human has to look; it could not be opened
_LONGEST = 200  # characters of a title
Index = QModelIndex | QPersistentModelIndex
_NOTHING = QModelIndex()


class TicketTable(QAbstractTableModel):
    """``more_asked`` with the number of rows that are there, when further ones are to be :meth:`add`-ed."""

    more_asked = Signal(int)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.language = "en"
        self.icons: dict[str, QIcon] = {}  # of STATES
        self._rows: list[Row] = []
        self._cells: list[tuple[str, ...]] = []
        self._count = 0
        self._is_asking = False

    def show_rows(self, rows: Sequence[Row], count: int) -> None:
        """Show these, the first of so many."""
        self.beginResetModel()
        self._rows, self._count, self._is_asking = [*rows], count, False
        self._cells = [self._texts(row) for row in rows]
        self.endResetModel()

    def add(self, rows: Sequence[Row]) -> None:
        """The next ones."""
        self._is_asking = False
        if rows:
            self.beginInsertRows(QModelIndex(), len(self._rows), len(self._rows) + len(rows) - 1)
            self._rows += rows
            self._cells += [self._texts(row) for row in rows]
            self.endInsertRows()

    def row_at(self, number: int) -> Row | None:
        """The ticket of a row."""
        return self._rows[number] if 0 <= number < len(self._rows) else None

    def place_of(self, key: str) -> int:
        """The row of a ticket, -1 where it is not among those that are there."""
        return next((place for place, row in enumerate(self._rows) if row.key == key), -1)

    def _texts(self, row: Row) -> tuple[str, ...]:
        from checks.desk.views import is_named
        from wizard.report.content.many.desk import cause_words, product_words

        number = row.number or row.source
        return (
            "  ".join(filter(None, (number, " ".join(row.title.split())[:_LONGEST]))),
            cause_words(row.cause, row.confidence, row.state, self.language),
            f"{round(row.confidence * 100)} %" if is_named(row.cause) else "–",
            row.language,
            product_words(row.product, self.language),
            "–" if row.age is None else str(row.age),
            str(row.alike),
        )

    # --- what Qt asks

    def rowCount(self, parent: Index = _NOTHING) -> int:
        """Those that were fetched."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOTHING) -> int:
        """The same for all."""
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A cell; the first has the symbol of the row's state."""
        text, row = self._cells[index.row()][index.column()], self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return text
            case Qt.ItemDataRole.ToolTipRole:
                return escaped_tip(text)
            case Qt.ItemDataRole.TextAlignmentRole:
                side = Qt.AlignmentFlag.AlignRight if index.column() in _NUMERIC else Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
            case Qt.ItemDataRole.DecorationRole if index.column() == 0:
                return self.icons.get(_state(row))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The names of the columns."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return words(f"desk.column-{_COLUMNS[section]}", self.language)
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in _NUMERIC else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def canFetchMore(self, parent: Index) -> bool:
        """Whether some are not there yet."""
        return not parent.isValid() and len(self._rows) < self._count and not self._is_asking

    def fetchMore(self, parent: Index) -> None:
        """Ask for the next ones."""
        if self.canFetchMore(parent):
            self._is_asking = True
            self.more_asked.emit(len(self._rows))


def _state(row: Row) -> str:
    if row.state == "unread":
        return "crashed"
    return "note" if row.is_decided or not row.cause else "open"

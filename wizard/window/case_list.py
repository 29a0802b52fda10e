"""The list of cases beside the pages: each is saved by itself, opens with one click, and is found by its words."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QFont, QFontMetrics, QKeySequence, QPainter, QPalette, QShortcut, QTextLayout
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel
from wizard.desktop import icons, theme
from wizard.desktop.looks import LOOKS
from wizard.widgets.labels import escaped_tip, filled, plain_label

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from checks.history.cases import Heading
    from wizard.jobs.cases import CaseJobs

_STATES = ("blocking", "warning", "note", "clear", "incomplete", "nothing-run")
_MANY = 6  # cases, above which there is a field to search them
_SYMBOL = 16  # logical pixels
_MOST_ROWS = 200  # of a longer list the others are searched for: rows of thousands would block the window
_LONGEST = 400  # characters of a title that are drawn
_NAME = Qt.ItemDataRole.UserRole
_STATE = Qt.ItemDataRole.UserRole + 1
_TITLE = Qt.ItemDataRole.UserRole + 2
_WHEN = Qt.ItemDataRole.UserRole + 3


class CaseList(QWidget):
    """The cases, the last changed first. A click or Enter opens one; F2 names it, Delete puts it aside."""

    def __init__(self, case: CaseModel, jobs: CaseJobs) -> None:
        super().__init__()
        self._case, self._jobs = case, jobs
        self._followed = ""  # the case that was shown when one was selected for that
        self._title = QLabel()
        self._title.setObjectName("cardTitle")
        self.new = QPushButton()
        self.new.setObjectName("flat")
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self.refresh)
        self._had_focus = False
        self._known: frozenset[str] = frozenset()  # the cases that were there at the last look
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self.search, self.search.clear)
        escape.setContext(Qt.ShortcutContext.WidgetShortcut)
        self.list = QListWidget()
        self.list.setObjectName("cases")
        self.list.setItemDelegate(_Row(self.list))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self._title.setBuddy(self.list)
        self._empty, self._more = plain_label("small"), plain_label("small")
        top = filled(QHBoxLayout(), self._title, spacing=4)
        top.addStretch(1)
        top.addWidget(self.new)
        column = filled(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=6)
        column.addLayout(top)
        filled(column, self.search, self._empty)
        column.addWidget(self.list, 1)
        column.addWidget(self._more)
        column.addStretch()
        self._build_actions()
        case.cases_changed.connect(self.refresh)
        case.changed.connect(self._follow)
        self.retranslate()

    def _build_actions(self) -> None:
        self.open_action, self.rename_action, self.answered_action, self.delete_action = (
            QAction(self) for _ in range(4)
        )
        self.open_action.triggered.connect(lambda: self._open(self.list.currentItem()))
        self.rename_action.triggered.connect(self._rename)
        self.rename_action.setShortcut(QKeySequence(Qt.Key.Key_F2))
        self.answered_action.setCheckable(True)
        self.answered_action.triggered.connect(self._mark)
        self.delete_action.triggered.connect(self._delete)
        self.delete_action.setShortcut(QKeySequence.StandardKey.Delete)
        for action in (self.rename_action, self.delete_action):
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.list.addAction(action)

    # --- showing

    def refresh(self) -> None:
        """Show the cases that the search finds."""
        language, sought = self._case.language, self.search.text()
        found = [heading for heading in self._case.headings if heading.has(sought)]
        shown = self._case.heading
        if sought and shown is not None and shown not in found and shown.id not in self._known:
            self.search.clear()  # what has just been saved is not hidden by a search of before
            return
        self._known = frozenset(heading.id for heading in self._case.headings)
        row, chosen = self.list.currentRow(), self._name_of(self.list.currentItem())
        self.list.blockSignals(True)
        self.list.clear()
        for heading in found[:_MOST_ROWS]:
            self.list.addItem(self._item(heading, language))
        self.list.blockSignals(False)
        self.search.setVisible(bool(sought) or len(self._case.headings) > _MANY)
        none = "cases-none" if self._case.keeps_cases else "cases-off"
        self._empty.setText(self._case.say("cases-none-found" if self._case.headings else none))
        self._empty.setVisible(not found)
        more = len(found) - _MOST_ROWS
        self._more.setText(self._case.say("cases-more", count=more))
        self._more.setVisible(more > 0)
        self.list.setVisible(bool(found))
        self._choose_again(chosen, row)
        self._follow()

    def _item(self, heading: Heading, language: str) -> QListWidgetItem:
        say = self._case.say
        when = _moment(heading.changed, language)
        item = QListWidgetItem()
        item.setData(_NAME, heading.id)
        item.setData(_STATE, heading.state)
        item.setData(_TITLE, heading.named(language))
        item.setData(_WHEN, say("cases-answered", when=when) if heading.is_answered else when)
        state = say(f"cases-state-{heading.state}") if heading.state in _STATES else ""
        read = say("list-separator").join(filter(None, (item.data(_TITLE), state, item.data(_WHEN))))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, read)
        item.setToolTip(escaped_tip(item.data(_TITLE)))
        return item

    @staticmethod
    def _name_of(item: QListWidgetItem | None) -> str:
        name: str = item.data(_NAME) if item is not None else ""
        return name

    def _choose(self, name: str) -> bool:
        rows = (row for row in range(self.list.count()) if self._name_of(self.list.item(row)) == name)
        row = next(rows, -1)
        self.list.setCurrentRow(row)
        return row >= 0

    def _choose_again(self, name: str, row: int) -> None:
        """What was selected stays so, and where that went, what follows it: else a key would act on another one."""
        if name and self._choose(name):
            return
        if name and self.list.hasFocus():
            self.list.setCurrentRow(min(row, self.list.count() - 1))
        else:
            self._choose(self._case.case_id)

    def _follow(self) -> None:
        """Mark the case that is shown when it becomes another one, and open none while something is being done."""
        before, self._followed = self._followed, self._case.case_id
        was_deleted = not self._followed and all(heading.id != before for heading in self._case.headings)
        if before != self._followed and not (was_deleted and self.list.hasFocus()):
            self._choose(self._followed)
        is_free = self._case.is_free
        for widget in (self.new, self.list):
            if widget.isEnabled() is not is_free:
                widget.setEnabled(is_free)

    def retranslate(self) -> None:
        """All its words in the present language."""
        say = self._case.say
        self._title.setText(say("cases"))
        self.list.setAccessibleName(say("cases-name"))
        self.new.setText(say("cases-new"))
        self.new.setToolTip(say("cases-new-means"))
        self.search.setPlaceholderText(say("cases-search"))
        self.search.setAccessibleName(say("cases-search"))
        for name in ("open", "rename", "answered", "delete"):
            getattr(self, f"{name}_action").setText(say(f"cases-{name}-act"))
        self.refresh()

    # --- what is done with one

    def _open(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self._had_focus = self.list.hasFocus()
            self._jobs.open(self._name_of(item))

    def take_back_focus(self) -> None:
        """Where the case that was opened was chosen here, so is the next: while it was opened, the list was closed."""
        if self._had_focus:
            self._had_focus = False
            self.list.setFocus()

    def _chosen(self) -> Heading | None:
        name = self._name_of(next(iter(self.list.selectedItems()), None))  # what is not seen to be chosen is not meant
        return next((heading for heading in self._case.headings if heading.id == name), None)

    def _show_menu(self, at: QPoint) -> None:
        item = self.list.itemAt(at)
        if item is None:
            return
        self.list.setCurrentItem(item)
        heading = self._chosen()
        from PySide6.QtWidgets import QMenu

        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.open_action, self.rename_action])
        if heading is not None and heading.is_ticket:
            self.answered_action.setChecked(heading.is_answered)
            menu.addAction(self.answered_action)
        menu.addAction(self.delete_action)
        if heading is not None:
            self._add_versions(menu, heading)
        menu.popup(self.list.viewport().mapToGlobal(at))

    def _add_versions(self, menu: QMenu, heading: Heading) -> None:
        """What the case was before it was checked again, the last first."""
        saved = self._jobs.versions(heading)
        if len(saved) < 2:
            return
        part = menu.addMenu(self._case.say("cases-versions"))
        for number, moment in sorted(saved.items(), reverse=True):
            is_latest = number == heading.shown
            when = _moment(moment.isoformat(), self._case.language, with_hour=True)
            action = part.addAction(self._case.say("cases-version-latest", when=when) if is_latest else when)
            version = None if is_latest else number
            action.triggered.connect(functools.partial(self._jobs.open, heading.id, version))

    def _rename(self) -> None:
        heading = self._chosen()
        if heading is None:
            return
        from PySide6.QtWidgets import QInputDialog

        dialog = QInputDialog(self)
        dialog.setWindowTitle(self._case.say("cases-rename-title"))
        dialog.setLabelText(self._case.say("cases-rename-label"))
        dialog.setTextValue(heading.named(self._case.language))
        dialog.textValueSelected.connect(lambda title: self._renamed(heading, title))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _renamed(self, heading: Heading, title: str) -> None:
        if title != heading.named(self._case.language):
            self._jobs.rename(heading.id, title)

    def _mark(self, answered: bool) -> None:
        heading = self._chosen()
        if heading is not None:
            self._jobs.mark(heading.id, answered=answered)

    def _delete(self) -> None:
        heading = self._chosen()
        if heading is not None:
            self._jobs.delete(heading.id)


class _Row(QStyledItemDelegate):
    """A symbol, the title in two lines, and below it when that was."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        self.initStyleOption(option, index)
        widget = option.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget)
        palette = widget.window().palette()  # the list's own is without a ground
        place = option.rect.adjusted(8, 5, -8, -5)
        look, tone = LOOKS.get(index.data(_STATE), LOOKS["nothing-run"])
        symbol = icons.pixmap(look, theme.colour(tone, palette), _SYMBOL, widget.devicePixelRatioF())
        painter.drawPixmap(place.topLeft() + QPoint(0, 2), symbol)
        text = place.adjusted(_SYMBOL + 8, 0, 0, 0)
        title, when = option.font, _small(option.font)
        line = QFontMetrics(title).height()
        painter.setFont(title)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        for number, shown in enumerate(_two_lines(index.data(_TITLE), title, text.width())):
            painter.drawText(QRect(text.left(), text.top() + number * line, text.width(), line), 0, shown)
        painter.setFont(when)
        painter.setPen(theme.colour("muted", palette))
        below = QRect(text.left(), text.bottom() - QFontMetrics(when).height(), text.width(), line)
        painter.drawText(below, 0, index.data(_WHEN))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:  # noqa: ARG002
        """Two lines of the title, and the time."""
        heights = 2 * QFontMetrics(option.font).height() + QFontMetrics(_small(option.font)).height()
        return QSize(80, heights + 12)


def _two_lines(title: str, font: QFont, width: int) -> list[str]:
    """The title broken where a line breaks, its end left out where it is longer than two."""
    layout = QTextLayout(title[:_LONGEST], font)
    layout.beginLayout()
    first = layout.createLine()
    first.setLineWidth(width)
    length = first.textLength()
    layout.endLayout()
    rest = title[length:].strip()
    return [title[:length], QFontMetrics(font).elidedText(rest, Qt.TextElideMode.ElideRight, width)]


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(max(font.pointSizeF() * 0.9, 6.0))
    return small


def _moment(changed: str, language: str, *, with_hour: bool = False) -> str:
    """A time in the user's own zone: of today the hour, of another day the date, with the hour where that is asked."""
    moment = QDateTime.fromString(changed, Qt.DateFormat.ISODate).toLocalTime()
    if not moment.isValid():
        return ""
    locale = QLocale(language)
    hour = locale.toString(moment.time(), QLocale.FormatType.ShortFormat)
    if moment.date() == QDateTime.currentDateTime().date():
        return hour
    day = moment.date().toString(Qt.DateFormat.ISODate)
    return f"{day} {hour}" if with_hour else day

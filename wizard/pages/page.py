"""What all pages share: a title, an introduction, a scrolling column, and texts that follow the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QEvent, Qt, Signal, SignalInstance
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QAbstractButton, QLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from wizard.case_model import CaseModel
from wizard.desktop import icons, theme
from wizard.jobs.background import Work
from wizard.widgets.disclosure import Disclosure
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.scroller import Scroller

READABLE = 940  # logical pixels: lines longer than this are hard to read


class Page(QWidget):
    """Base of the pages. ``body`` is the layout to fill; ``refresh`` repaints the state of the model."""

    reshaped = Signal()  # widgets came or went, so the order of the tab key has to be found anew
    name = ""  # the step's value; the keys of the page's texts begin with it
    has_intro = True

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.case = case
        self.work = work
        self._bound: list[tuple[Callable[[str], object], str]] = []
        self._drawn_for = theme.signature(self.palette())
        self._tinted: list[tuple[Callable[[QPixmap], object], str, str, int]] = []
        self.title = plain_label("title")
        self.intro = plain_label("intro")
        column = QWidget()
        column.setObjectName("column")
        self.body = filled(QVBoxLayout(column), self.title, self.intro, margins=(28, 22, 28, 22), spacing=12)
        column.setMaximumWidth(READABLE)
        self.scroller = Scroller()
        self.scroller.setWidget(column)
        filled(QVBoxLayout(self), self.scroller, margins=(0, 0, 0, 0))
        self.bind(self.title.setText, f"{self.name}-title")
        self.intro.setVisible(self.has_intro)
        if self.has_intro:
            self.bind(self.intro.setText, f"{self.name}-intro")

    # --- words and looks

    def bind(self, setter: Callable[[str], object], key: str) -> None:
        """Give a widget a text of window.toml, now and whenever the language changes."""
        self._bound.append((setter, key))
        setter(self.case.say(key))

    def bind_button(self, button: QAbstractButton, key: str, means: str) -> None:
        """Give a button its text, and another that says what it means."""
        self.bind(button.setText, key)
        self.bind(button.setToolTip, means)
        self.bind(button.setAccessibleDescription, means)

    def disclosure(self, key: str, act: Callable[[], object], means: str) -> Disclosure:
        """A button that shows and hides something; see :meth:`button`."""
        made = Disclosure(self.case.say)
        self.bind_button(made, key, means)
        made.clicked.connect(act)
        return made

    def button(self, key: str, act: Callable[[], object] | SignalInstance, means: str = "") -> QPushButton:
        """A button with a text of window.toml. ``means``: the key of a text that explains it."""
        button = QPushButton()
        if means:
            self.bind_button(button, key, means)
        else:
            self.bind(button.setText, key)
        button.clicked.connect(act)
        return button

    def tint(self, setter: Callable[[QPixmap], object], icon: str, colour: str, size: int) -> None:
        """Give a widget one of our icons, now and whenever the palette changes."""
        self._tinted.append((setter, icon, colour, size))
        setter(self.picture(icon, colour, size))

    def picture(self, icon: str, colour: str, size: int) -> QPixmap:
        """One of our icons for this screen and palette."""
        return icons.pixmap(icon, theme.colour(colour, self.palette()), size, self.devicePixelRatioF())

    def retranslate(self) -> None:
        """Show every text in the present language."""
        for setter, key in self._bound:
            setter(self.case.say(key))
        self.refresh()

    def refresh(self) -> None:
        """Show the state of the model. Pages with own state override this."""

    def start(self) -> None:
        """The page was entered: pages that need something done for them ask for it here."""

    def first_focus(self) -> QWidget | None:
        """The widget that gets the keyboard when the page is entered; None leaves it with the buttons."""
        return None

    def changeEvent(self, event: QEvent) -> None:
        """Tint the icons anew when the palette turns dark or light."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and theme.signature(self.palette()) != self._drawn_for:
            self._drawn_for = theme.signature(self.palette())
            for setter, icon, colour, size in self._tinted:
                setter(self.picture(icon, colour, size))
            self.repaint_states()

    def repaint_states(self) -> None:
        """Draw anew what is coloured by state. Pages with such rows override this."""


def in_reading_order(layout: QLayout) -> Iterator[QWidget]:
    """The widgets of a layout that take the keyboard, in the order in which they are read."""
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if item is None:
            continue
        inner, widget = item.layout(), item.widget()
        if inner is not None:
            yield from in_reading_order(inner)
        if widget is None:
            continue
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QAbstractButton):
            yield widget
        content = widget.widget() if isinstance(widget, QScrollArea) else widget
        below = content.layout() if content is not None else None
        if below is not None:
            yield from in_reading_order(below)

"""A box with a title that unfolds; what is inside is built when it is first looked at."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from wizard.widgets.disclosure import Disclosure
from wizard.widgets.labels import filled, plain_label


class Fold(QFrame):
    """The header is a button with the state in words for a screen reader; the body is built on the first unfolding."""

    toggled = Signal(bool)

    def __init__(
        self,
        title: str,
        fill: Callable[[QVBoxLayout], None],
        picture: Callable[[str], QPixmap],
        say: Callable[..., str],
    ) -> None:
        super().__init__()
        self.setObjectName("card")
        self._fill = fill
        self._picture = picture
        self._built = False
        self.header = Disclosure(say, title)
        self.header.setObjectName("foldHeader")
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.header.setCursor(Qt.CursorShape.PointingHandCursor)
        self._arrow = QLabel()
        self._arrow.setFixedSize(16, 16)
        self.symbol = QLabel()
        self.symbol.hide()
        self.title = plain_label("cardTitle", title)
        self.subtitle = plain_label("small")
        self.subtitle.hide()
        texts = filled(QVBoxLayout(), self.title, self.subtitle, spacing=2)
        top = filled(QHBoxLayout(self.header), margins=(14, 11, 14, 11), spacing=10)
        top.addWidget(self._arrow, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self.symbol, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(texts, 1)
        for label in (self._arrow, self.symbol, self.title, self.subtitle):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._body = QWidget()
        self._body.hide()
        self._inside = filled(QVBoxLayout(self._body), margins=(40, 0, 16, 16), spacing=8)
        filled(QVBoxLayout(self), self.header, self._body, margins=(0, 0, 0, 0), spacing=0)
        self.header.toggled.connect(self._show)
        self.redraw()

    def set_symbol(self, pixmap: QPixmap, subtitle: str) -> None:
        """A state's symbol before the title and its words below."""
        self.symbol.setPixmap(pixmap)
        self.symbol.show()
        self.set_subtitle(subtitle)

    def set_subtitle(self, subtitle: str) -> None:
        """Words below the title."""
        self.subtitle.setText(subtitle)
        self.subtitle.show()
        self.header.setAccessibleDescription(subtitle)

    def unfold(self, unfolded: bool = True) -> None:
        """Open or close it."""
        self.header.setChecked(unfolded)

    def redraw(self) -> None:
        """Draw the arrow for the present palette."""
        self._arrow.setPixmap(self._picture("fold" if self.header.isChecked() else "unfold"))

    def _show(self, unfolded: bool) -> None:
        if unfolded and not self._built:
            self._built = True
            self._fill(self._inside)
        self._body.setVisible(unfolded)
        self.redraw()
        self.toggled.emit(unfolded)

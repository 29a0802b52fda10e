"""Big buttons with an icon, a title and one sentence: one of several, or an act."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOption,
    QVBoxLayout,
)

from wizard.widgets.labels import filled, plain_label

ICON, SMALL_ICON = 30, 22  # logical pixels


class _Card:
    """What both kinds of card are: a button that holds a picture, a title and a sentence, and is as high as they ask.

    The button itself carries the name and the description for a screen reader; the labels are only seen.
    """

    def _build(self, button: QAbstractButton, icon: int) -> None:
        self._button = button
        self._icon = QLabel()
        self._icon.setVisible(icon > 0)
        self._icon.setFixedSize(icon, icon)
        self._title = plain_label("cardTitle")
        self._sentence = plain_label("muted")
        self._sentence.hide()  # until there is one
        texts = filled(QVBoxLayout(), self._title, self._sentence, spacing=3)
        if icon != SMALL_ICON:
            texts.addStretch(1)
        self._inside = filled(QHBoxLayout(button), margins=(14, 12, 14, 12), spacing=14)
        self._inside.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._inside.addLayout(texts, 1)
        for label in (self._icon, self._title, self._sentence):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        button.setSizePolicy(policy)
        button.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_title(self, text: str) -> None:
        """The answer or the act in a few words."""
        self._title.setText(text)
        self._button.setAccessibleName(text)

    def set_sentence(self, text: str) -> None:
        """What it means."""
        self._sentence.setText(text)
        self._sentence.setVisible(bool(text))
        self._button.setAccessibleDescription(text)

    def set_icon(self, pixmap: QPixmap) -> None:
        """The picture beside it."""
        self._icon.setPixmap(pixmap)

    def sizeHint(self) -> QSize:
        """As large as the words ask for."""
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As small as the words allow."""
        return self._inside.minimumSize()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Grow in height when the words wrap."""
        if self._inside.hasHeightForWidth():
            self._button.setMinimumHeight(self._inside.heightForWidth(self._button.width()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """Only the stylesheet's box; the labels draw themselves, and a radio button's indicator is the frame."""
        option = QStyleOption()
        option.initFrom(self._button)
        if self._button.isChecked():
            option.state |= QStyle.StateFlag.State_On
        painter = QPainter(self._button)
        self._button.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self._button)
        painter.end()


class ChoiceCard(_Card, QRadioButton):
    """One of several answers: a radio button as large as its words."""

    def __init__(self, value: str, *, has_icon: bool = True) -> None:
        super().__init__()
        self.value = value
        self._build(self, ICON if has_icon else 0)

    def hitButton(self, pos: QPoint) -> bool:
        """The whole card can be clicked, not only the indicator."""
        return self.rect().contains(pos)


class ActionCard(_Card, QPushButton):
    """An act that looks like a card."""

    def __init__(self, icon: int = ICON) -> None:
        super().__init__()
        self._build(self, icon)

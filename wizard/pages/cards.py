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

from wizard.pages.page import plain_label

ICON = 30  # logical pixels


class _Face:
    """The inside of a card. The button itself carries the name and the description for a screen reader."""

    def __init__(self, button: QAbstractButton, *, has_icon: bool) -> None:
        self.button = button
        self.icon = QLabel()
        self.icon.setVisible(has_icon)
        self.icon.setFixedSize(ICON, ICON)
        self.title = plain_label("cardTitle")
        self.sentence = plain_label("muted")
        texts = QVBoxLayout()
        texts.setSpacing(3)
        texts.addWidget(self.title)
        texts.addWidget(self.sentence)
        texts.addStretch(1)
        layout = QHBoxLayout(button)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(14)
        layout.addWidget(self.icon, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(texts, 1)
        for label in (self.icon, self.title, self.sentence):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        button.setSizePolicy(policy)
        button.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_title(self, text: str) -> None:
        self.title.setText(text)
        self.button.setAccessibleName(text)

    def set_sentence(self, text: str) -> None:
        self.sentence.setText(text)
        self.sentence.setVisible(bool(text))
        self.button.setAccessibleDescription(text)

    def fit(self) -> None:
        layout = self.button.layout()
        if layout is not None and layout.hasHeightForWidth():
            self.button.setMinimumHeight(layout.heightForWidth(self.button.width()))


def _paint(button: QAbstractButton) -> None:
    """Only the stylesheet's box; the labels draw themselves, and the indicator of a radio button is the frame."""
    option = QStyleOption()
    option.initFrom(button)
    if button.isChecked():
        option.state |= QStyle.StateFlag.State_On
    painter = QPainter(button)
    button.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, button)
    painter.end()


class ChoiceCard(QRadioButton):
    """One of several answers: a radio button as large as its words."""

    def __init__(self, value: str, *, has_icon: bool = True) -> None:
        super().__init__()
        self.value = value
        self.face = _Face(self, has_icon=has_icon)

    def set_title(self, text: str) -> None:
        """The answer in a few words."""
        self.face.set_title(text)

    def set_sentence(self, text: str) -> None:
        """What it means."""
        self.face.set_sentence(text)

    def set_icon(self, pixmap: QPixmap) -> None:
        """The picture beside it."""
        self.face.icon.setPixmap(pixmap)

    def hitButton(self, pos: QPoint) -> bool:
        """The whole card can be clicked, not only the indicator."""
        return self.rect().contains(pos)

    def sizeHint(self) -> QSize:
        """As large as the words ask for."""
        return self.face.button.layout().sizeHint()  # type: ignore[union-attr]

    def minimumSizeHint(self) -> QSize:
        """As small as the words allow."""
        return self.face.button.layout().minimumSize()  # type: ignore[union-attr]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Grow in height when the words wrap."""
        super().resizeEvent(event)
        self.face.fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """The frame alone."""
        _paint(self)


class ActionCard(QPushButton):
    """An act that looks like a card."""

    def __init__(self) -> None:
        super().__init__()
        self.face = _Face(self, has_icon=True)

    def set_title(self, text: str) -> None:
        """The act in a few words."""
        self.face.set_title(text)

    def set_sentence(self, text: str) -> None:
        """What it does."""
        self.face.set_sentence(text)

    def set_icon(self, pixmap: QPixmap) -> None:
        """The picture beside it."""
        self.face.icon.setPixmap(pixmap)

    def sizeHint(self) -> QSize:
        """As large as the words ask for."""
        return self.face.button.layout().sizeHint()  # type: ignore[union-attr]

    def minimumSizeHint(self) -> QSize:
        """As small as the words allow."""
        return self.face.button.layout().minimumSize()  # type: ignore[union-attr]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Grow in height when the words wrap."""
        super().resizeEvent(event)
        self.face.fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's signature
        """The frame alone."""
        _paint(self)

"""A row that goes on in the next line."""

from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from wizard.widgets.wrap_layout import GAP, WrapLayout


def test_lines_by_the_width(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    buttons = [QPushButton(f"button {index}") for index in range(3)]
    for button in buttons:
        button.setFixedSize(100, 30)
    layout = WrapLayout(*buttons)
    layout.setContentsMargins(0, 0, 0, 0)
    widget.setLayout(layout)
    widget.show()

    assert layout.sizeHint().width() == 300 + 2 * GAP
    for width, lines in ((400, 1), (300 + 2 * GAP, 1), (300, 2), (110, 3), (10, 3)):
        assert layout.heightForWidth(width) == lines * 30 + (lines - 1) * GAP

    widget.resize(250, 200)
    assert [(button.x(), button.y()) for button in buttons] == [(0, 0), (100 + GAP, 0), (0, 30 + GAP)]
    buttons[0].hide()
    layout.activate()
    assert (buttons[1].x(), buttons[1].y()) == (0, 0)
    assert layout.heightForWidth(250) == 30


def test_its_items() -> None:
    layout = WrapLayout()
    assert (layout.count(), layout.itemAt(0), layout.takeAt(0)) == (0, None, None)
    assert layout.heightForWidth(100) == 0

"""Text that never widens the page."""

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from wizard.widgets.labels import LABEL_LIMIT
from wizard.widgets.long_text import LongText, value_text

UNBREAKABLE = "C:\\Users\\somebody\\" + "a_very_long_folder_name" * 10


def test_megabytes_are_cut(qtbot: QtBot) -> None:
    for text in ("a b " * LABEL_LIMIT, "x" * LABEL_LIMIT * 4):
        shown = value_text(text)
        qtbot.addWidget(shown)
        seen = shown.toPlainText() if isinstance(shown, LongText) else shown.text()
        assert len(seen) == LABEL_LIMIT + 2


def test_a_label_where_lines_can_be_broken(qtbot: QtBot) -> None:
    for text in ("470.256.02", "/home/ai/project/.venv/bin/python", "このマシンのドライバーは古いバージョンです。" * 5):
        label = value_text(text)
        qtbot.addWidget(label)
        assert isinstance(label, QLabel)
        assert label.textFormat() is Qt.TextFormat.PlainText


def test_it_breaks_anywhere_and_grows_in_height(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    text = value_text(UNBREAKABLE)
    assert isinstance(text, LongText)
    QVBoxLayout(page).addWidget(text)
    page.resize(300, 400)
    page.show()
    qtbot.waitUntil(lambda: text.height() > 3 * text.fontMetrics().lineSpacing())
    narrow = text.height()
    assert page.minimumSizeHint().width() < 200
    page.resize(900, 400)
    qtbot.waitUntil(lambda: text.height() < narrow)


def test_it_is_copied_as_it_is(qtbot: QtBot) -> None:
    text = LongText(UNBREAKABLE, "code", "To copy")
    qtbot.addWidget(text)
    text.resize(200, 200)
    text.selectAll()
    text.copy()
    assert QGuiApplication.clipboard().text() == UNBREAKABLE
    assert text.isReadOnly()


def test_the_wheel_moves_the_page_not_the_text(qtbot: QtBot) -> None:
    text = LongText(UNBREAKABLE, "value", "path")
    qtbot.addWidget(text)
    turn = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(0, -40),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QGuiApplication.sendEvent(text.viewport(), turn)
    assert not turn.isAccepted()
    assert text.verticalScrollBar().value() == 0


def test_japanese_in_code_is_not_cut_off(qtbot: QtBot, dressed: QApplication) -> None:
    """Its characters come from another font, whose lines are higher."""
    text = LongText("\n".join(["# 毎回同じビットになるアルゴリズムを使う", "code()"] * 20), "code", "To copy")
    text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    qtbot.addWidget(text)
    text.resize(600, 50)
    text.show()
    assert text.verticalScrollBar().maximum() == 0
    last = text.document().lastBlock()
    end = text.blockBoundingGeometry(last).translated(text.contentOffset()).bottom()
    assert end <= text.viewport().height() + 1

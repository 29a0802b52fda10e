"""What a user does with the window whose cases save themselves: paste, drop, and wait for the list."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from pytestqt.qtbot import QtBot

from checks.history.cases import Heading
from wizard.flow import Step
from wizard.pages.symptom import SymptomPage
from wizard.window.case_list import CaseList
from wizard.window.main_window import Window


def urls(*paths: Path) -> QMimeData:
    """Files as a file manager copies or drags them."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(window: Window, *paths: Path) -> None:
    data = urls(*paths)
    none = Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, none))


def paste(window: Window, text: str) -> None:
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    data = QMimeData()
    data.setText(text)
    page.text.selectAll()
    page.text.insertFromMimeData(data)


def wait_for(qtbot: QtBot, shown: CaseList, condition: Callable[[tuple[Heading, ...]], bool]) -> None:
    qtbot.waitUntil(lambda: condition(shown._case.headings), timeout=20_000)

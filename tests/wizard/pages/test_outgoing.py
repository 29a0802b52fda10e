"""What goes out is seen before it does; values are taken back and added, and the exports follow."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from wizard.case_model import CaseModel
from wizard.flow import TICKET, Step
from wizard.jobs.background import Work
from wizard.pages.outgoing import OutgoingDialog
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window

KEY = "hf_abcdefghijklmnopqrstuvwxyzABCDEF12"
TEXT = f"""Here is what it says 🎉
alice@ws-kyoto-17:~/projects/falcon$ python train.py
  File "/home/alice/projects/falcon/train.py", line 7, in <module>
AssertionError: Torch not compiled with CUDA enabled
HF_TOKEN={KEY}
"""


@pytest.fixture
def page(qtbot: QtBot, window: Window, model: CaseModel, work: Work) -> ReportPage:
    model.begin(symptom=TICKET, text=TEXT)
    work.diagnose()
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    page.more.click()
    return page


@pytest.fixture
def dialog(qtbot: QtBot, page: ReportPage) -> OutgoingDialog:
    return opened(qtbot, page)


def opened(qtbot: QtBot, page: ReportPage) -> OutgoingDialog:
    qtbot.mouseClick(page.outgoing, Qt.MouseButton.LeftButton)
    dialog = page.findChildren(OutgoingDialog)[-1]
    qtbot.waitUntil(lambda: dialog.table.rowCount() > 0)
    return dialog


def rows(dialog: OutgoingDialog) -> dict[str, int]:
    """Kind -> its row."""
    cells = ((dialog.table.item(row, 0), row) for row in range(dialog.table.rowCount()))
    return {cell.text(): row for cell, row in cells if cell is not None}


def tick(dialog: OutgoingDialog, kind: str, *, is_hidden: bool) -> None:
    cell = dialog.table.item(rows(dialog)[kind], 0)
    assert cell is not None
    cell.setCheckState(Qt.CheckState.Checked if is_hidden else Qt.CheckState.Unchecked)


def test_every_hidden_value_is_listed_and_marked(dialog: OutgoingDialog) -> None:
    assert {"user name", "computer name", "key or password"} <= rows(dialog).keys()
    text: QPlainTextEdit = dialog.text
    marked = {mark.cursor.selectedText() for mark in text.extraSelections()}  # type: ignore[attr-defined]
    assert marked == {"<user-1>", "<host-1>", "<secret-1>"}
    assert KEY not in text.toPlainText()
    shown = [dialog.table.item(row, 1) for row in range(dialog.table.rowCount())]
    assert KEY not in {cell.text() for cell in shown if cell is not None}


def test_a_value_is_taken_back_and_hidden_again(
    qtbot: QtBot, page: ReportPage, dialog: OutgoingDialog, tmp_path: Path
) -> None:
    tick(dialog, "computer name", is_hidden=False)
    qtbot.waitUntil(lambda: "ws-kyoto-17" in dialog.text.toPlainText())
    assert "alice" not in dialog.text.toPlainText()
    page.work.export(tmp_path / "case.json", "json", "a4", hide=page.words_to_hide, keep=page.values_to_keep)
    qtbot.waitUntil((tmp_path / "case.json").exists, timeout=20_000)
    written = (tmp_path / "case.json").read_text()
    assert json.loads(written)
    assert "ws-kyoto-17" in written
    assert "alice" not in written
    tick(dialog, "computer name", is_hidden=True)
    qtbot.waitUntil(lambda: "ws-kyoto-17" not in dialog.text.toPlainText())
    assert page.values_to_keep == ()


def test_a_secret_is_never_taken_back(qtbot: QtBot, page: ReportPage, dialog: OutgoingDialog) -> None:
    cell = dialog.table.item(rows(dialog)["key or password"], 0)
    assert cell is not None
    assert not cell.flags() & Qt.ItemFlag.ItemIsUserCheckable
    taken: list[str] = []
    page.work.preview((), (KEY,), lambda found: taken.append(found.text))
    qtbot.waitUntil(lambda: len(taken) == 1)
    assert KEY not in taken[0]


def test_a_word_is_added_and_taken_away(qtbot: QtBot, page: ReportPage, dialog: OutgoingDialog) -> None:
    dialog.word.setText("falcon")
    qtbot.keyClick(dialog.word, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "falcon" not in dialog.text.toPlainText())
    assert dialog.isVisible()
    assert page.words_to_hide == ("falcon",)
    tick(dialog, "word of your own", is_hidden=False)
    qtbot.waitUntil(lambda: "falcon" in dialog.text.toPlainText())
    assert page.words_to_hide == ()
    dialog.accept()


def test_what_was_chosen_holds_until_the_next_case(
    qtbot: QtBot, page: ReportPage, dialog: OutgoingDialog, model: CaseModel
) -> None:
    tick(dialog, "computer name", is_hidden=False)
    dialog.accept()
    again = opened(qtbot, page)
    qtbot.waitUntil(lambda: "ws-kyoto-17" in again.text.toPlainText())
    again.accept()
    model.begin()
    assert page.values_to_keep == ()

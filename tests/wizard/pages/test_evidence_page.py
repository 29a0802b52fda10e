"""The second page."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from checks.facts import Facts
from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.readers.text import WHOLE
from wizard.case_model import CaseModel
from wizard.evidence_files import Given, Kind
from wizard.flow import EXACTNESS, MODELS, TICKET
from wizard.jobs.background import Work
from wizard.pages.evidence import MOST_ROWS, EvidencePage
from wizard.report.prints.json_report import to_json

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work) -> EvidencePage:
    page = EvidencePage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def test_empty(page: EvidencePage) -> None:
    assert (page.case.answers.text, page.case.answers.given) == ("", ())
    assert page._exactness[""].isChecked()


def test_typed_text(qtbot: QtBot, page: EvidencePage) -> None:
    qtbot.keyClicks(page._text, "RuntimeError: no kernel image")
    assert page.case.answers.text == "RuntimeError: no kernel image"


def test_pasted_text_is_cut_before_it_enters_the_box(qtbot: QtBot, page: EvidencePage) -> None:
    data = QMimeData()
    data.setText("a line of a log\n" * (WHOLE // 8) + "the error")
    with qtbot.waitSignal(page._text.pasted, timeout=20_000):
        page._text.insertFromMimeData(data)
        assert page._text.toPlainText() == ""  # what matters of it is found beside the window
    assert len(page._text.toPlainText()) < WHOLE
    assert page.case.answers.text.endswith("the error")
    assert not page._text.isReadOnly()


def test_a_long_text_of_a_case_is_shown_in_pieces_and_is_no_edit(qtbot: QtBot, page: EvidencePage) -> None:
    text = "".join(f"line {number}\n" for number in range(30_000))
    page.case.set_text(text)
    assert page._text.isReadOnly()
    qtbot.waitUntil(lambda: page._text.toPlainText() == text)
    assert not page._text.isReadOnly()
    assert page.case.answers.text == text
    page.case.set_text(text + "more\n")
    page.case.set_text("another")  # before it is all there
    qtbot.waitUntil(lambda: not page._text.isReadOnly())
    assert page._text.toPlainText() == "another"
    assert page.case.answers.text == "another"


def test_pasted_markup_stays_text(page: EvidencePage) -> None:
    data = QMimeData()
    data.setHtml("<img src='http://example.invalid/x.png'>")
    data.setText("<b>bold</b>")
    page._text.insertFromMimeData(data)
    assert page.case.answers.text == "<b>bold</b>"


def test_dropped_files_are_listed_and_removed(qtbot: QtBot, page: EvidencePage, tmp_path: Path) -> None:
    model, script = tmp_path / "a.onnx", tmp_path / "a.py"
    drop(page, model, script)
    assert page.case.answers.given == (Given(model, Kind.MODEL), Given(script, Kind.SCRIPT))
    drop(page, model)  # again
    assert len(page.case.answers.given) == 2
    remove = next(button for button in page.findChildren(QPushButton) if button.accessibleName() == "Remove a.onnx")
    qtbot.mouseClick(remove, LEFT)
    assert page.case.answers.given == (Given(script, Kind.SCRIPT),)


def test_a_picture_beside_a_model_is_shown_as_its_input(page: EvidencePage, tmp_path: Path) -> None:
    drop(page, tmp_path / "cat.png")
    assert "Model" in labels(page)
    drop(page, tmp_path / "net.onnx")
    assert {"Model", "Input of the model"} <= labels(page)


@pytest.mark.parametrize("symptom", ["everything", MODELS])
def test_inputs_are_chosen_where_there_is_a_model_and_are_one_file(
    page: EvidencePage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, symptom: str
) -> None:
    page.case.set_symptom(symptom)
    button = page._buttons[Kind.INPUT]
    assert not button.isVisible()
    page.case.add_files([tmp_path / "net.onnx"], Kind.MODEL)
    assert button.isVisible()
    for name in ("first.npz", "second.npy"):
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, name=name: ([str(tmp_path / name), "x"], ""))
        button.click()
    given = [file for file in page.case.answers.given if file.kind is Kind.INPUT]
    assert given == [Given(tmp_path / "second.npy", Kind.INPUT)]
    assert "Input of the model" in labels(page)
    page.case.set_symptom(TICKET)
    assert not button.isVisible()


def labels(page: EvidencePage) -> set[str]:
    return {label.text() for label in page.findChildren(QLabel)}


@pytest.mark.parametrize("content", ['{"name": "a package"}', "", '{"format": 1', "no JSON"])
def test_what_is_no_report_is_taken_back_with_a_sentence(
    qtbot: QtBot, page: EvidencePage, tmp_path: Path, content: str
) -> None:
    foreign, script = tmp_path / "package.json", tmp_path / "a.py"
    foreign.write_text(content)
    page.take([foreign], Kind.REPORT)
    page.take([script])
    qtbot.waitUntil(lambda: page.case.notice is not None)
    assert page.case.answers.given == (Given(script, Kind.SCRIPT),)
    assert page.case.notice is not None
    assert page.case.notice.is_error


def test_a_report_stays(qtbot: QtBot, page: EvidencePage, tmp_path: Path) -> None:
    report = tmp_path / "colleague.json"
    report.write_bytes(to_json(judged(Facts(), Answers()), "en"))
    page.take([report])
    qtbot.waitUntil(lambda: not page.work.threads.running)
    assert page.case.answers.given == (Given(report, Kind.REPORT),)
    assert page.case.notice is None


def test_all_files_are_removed_at_once(qtbot: QtBot, page: EvidencePage, tmp_path: Path) -> None:
    drop(page, tmp_path / "a.onnx")
    assert not removing_all(page)
    drop(page, tmp_path / "b.onnx", tmp_path / "c.log")
    qtbot.waitUntil(lambda: len(removing_all(page)) == 1)
    (button,) = removing_all(page)
    assert button.text() == "Remove all 3"
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert page.case.answers.given == ()
    assert not removing_all(page)


def test_thousands_of_files_are_given_at_once(page: EvidencePage, tmp_path: Path) -> None:
    """Only the first ones have a row; all of them are examined, and removed together."""
    drop(page, *(tmp_path / f"{number}.onnx" for number in range(MOST_ROWS + 500)))
    rows = [button for button in page.findChildren(QPushButton) if button.accessibleName().endswith(".onnx")]
    assert len(rows) == MOST_ROWS
    assert "and 500 more" in [label.text() for label in page.findChildren(QLabel)]
    assert len(page.case.answers.given) == MOST_ROWS + 500


def removing_all(page: EvidencePage) -> list[QPushButton]:
    buttons = page.findChildren(QPushButton)
    return [button for button in buttons if button.text().startswith("Remove all") and button.isVisible()]


def test_where_models_are_the_question_what_is_none_is_named(page: EvidencePage, tmp_path: Path) -> None:
    model, log, script = tmp_path / "a.onnx", tmp_path / "error.log", tmp_path / "a.py"
    log.write_text("RuntimeError")
    script.write_text("import torch")
    page.case.set_symptom(MODELS)
    drop(page, model, log, script)
    assert page.case.answers.given == (Given(model, Kind.MODEL),)
    assert page.case.notice is not None
    assert "error.log, a.py" in page.case.sentence(page.case.notice)


def test_of_many_names_a_sentence_holds_the_first(page: EvidencePage, tmp_path: Path) -> None:
    logs = [tmp_path / f"{number}.log" for number in range(20)]
    for log in logs:
        log.write_text("RuntimeError")
    page.case.set_symptom(MODELS)
    drop(page, *logs)
    assert page.case.notice is not None
    assert "7.log, and 12 more." in page.case.sentence(page.case.notice)


def test_the_drop_zone_lights_up(page: EvidencePage, tmp_path: Path) -> None:
    data = urls(tmp_path / "a.onnx")
    page.drop.dragEnterEvent(
        QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier)
    )
    assert page.drop.property("over") == "true"
    page.drop.dragLeaveEvent(QDragLeaveEvent())
    assert page.drop.property("over") == "false"


def test_what_lies_elsewhere_is_not_fetched(page: EvidencePage) -> None:
    data = QMimeData()
    data.setUrls([QUrl("http://example.invalid/model.onnx")])
    page.drop.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))
    assert page.case.answers.given == ()


@pytest.mark.parametrize("kind", Kind)
def test_chosen_files_are_of_the_kind_of_the_button(
    page: EvidencePage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: Kind
) -> None:
    path = tmp_path / "anything"
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(path)], ""))
    page._choose(kind)
    assert page.case.answers.given == (Given(path, kind),)


@pytest.mark.parametrize("exactness", EXACTNESS)
def test_exactness(qtbot: QtBot, page: EvidencePage, exactness: str) -> None:
    page._exactness["bits" if exactness == "" else ""].setChecked(True)
    qtbot.mouseClick(page._exactness[exactness], LEFT)
    assert page.case.answers.exactness == exactness


def test_japanese_while_files_are_listed(page: EvidencePage, tmp_path: Path) -> None:
    drop(page, tmp_path / "a.log")
    page.case.set_language("ja")
    page.retranslate()
    assert "a.logを取り消す" in {button.accessibleName() for button in page.findChildren(QPushButton)}


def urls(*paths: Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def drop(page: EvidencePage, *paths: Path) -> None:
    data = urls(*paths)
    page.drop.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier))

"""Two saved reports beside each other in the window: from the first page, the menu, or a drop; nothing is examined."""

import functools
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QLabel
from pytestqt.qtbot import QtBot
from support.recorded_computations import measurements

from checks.facts import Facts, Frameworks, TorchFacts
from checks.facts.case import Answers
from checks.facts.question import COMPARISON
from checks.judgement.judge import judged
from wizard.flow import Step
from wizard.pages.report import ReportPage
from wizard.pages.symptom import SymptomPage
from wizard.report.prints.json_report import to_json
from wizard.window.main_window import Window

DIGITS = "torch-2.13.0-cpu-digits"  # of which the first of them has something to say
RECORDED = ((("torch-2.13.0-cpu-portraits", DIGITS), 2), (("torch-2.13.0-cpu-one-thread-portraits",), 1))


@functools.cache
def saved(recordings: tuple[str, ...], threads: int) -> bytes:
    facts = Facts(
        frameworks=Frameworks(torch=TorchFacts(version="2.13.0", threads=threads)),
        measurements=measurements(*recordings),
    )
    return to_json(judged(facts, Answers(symptom="results-differ")), "en")


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """The same name in two folders, as reports have that were saved on two machines on one day."""
    paths = []
    for folder, (recordings, threads) in zip(("office", "server"), RECORDED, strict=True):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "report.json"
        path.write_bytes(saved(recordings, threads))
        paths.append(path)
    return paths[0], paths[1]


def drop(window: Window, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none))


def texts(window: Window) -> str:
    return "\n".join(label.text() for label in window.page(Step.REPORT).findChildren(QLabel))


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "office/report.json and server/report.json: "), ("ja", "office/report.jsonとserver/report.jsonの比較: ")],
)
def test_two_dropped_reports_are_compared_by_their_names(
    qtbot: QtBot, window: Window, two: tuple[Path, Path], language: str, sentence: str
) -> None:
    window.case.set_language(language)
    with qtbot.waitSignal(window.work.finished_opening):
        drop(window, *two)
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    case = window.case.case
    assert case is not None
    assert case.answers.symptom == COMPARISON
    assert case.facts.probes is None
    told = texts(window)
    assert sentence in told
    assert "this machine" not in told.lower()
    assert "このマシン" not in told
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert page._report is not None
    assert page._report.findings
    unfolded = {key for key, fold in page._folds.items() if fold.header.isChecked()}
    assert unfolded == {"measured/machines"}  # the answer; what was found on the first of them alone is below
    assert window.menus.export.isEnabled()  # as PDF, JSON and Markdown, like every report


def test_from_the_first_page_and_the_menu(
    qtbot: QtBot, window: Window, two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(case) for case in two], ""))
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    with qtbot.waitSignal(window.work.finished_opening):
        qtbot.mouseClick(page.tools["compare"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    window.go(Step.SYMPTOM)
    with qtbot.waitSignal(window.work.finished_opening):
        window.menus.compare.trigger()
    qtbot.waitUntil(lambda: window.step is Step.REPORT)


def test_a_dialog_that_was_cancelled(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    window.files.ask_compare()
    assert window.case.notice is None
    assert window.case.busy == ""


def test_two_in_different_folders_are_chosen_one_after_the_other(
    qtbot: QtBot, window: Window, two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(two[0])], ""))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    window.files.ask_compare()  # and thought better of it
    assert window.case.busy == ""
    asked: list[str] = []

    def second(_parent: object, title: str, folder: str, _kinds: str) -> tuple[str, str]:
        asked.extend((title, folder))
        return str(two[1]), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", second)
    with qtbot.waitSignal(window.work.finished_opening):
        window.files.ask_compare()
    assert asked == ["Choose the report to compare report.json with", str(two[0].parent)]
    assert window.case.case is not None
    assert window.case.case.facts.name == "office/report.json"


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_takes_two(window: Window, two: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    window.case.set_language(language)
    chosen = [str(two[0])] * 3
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    window.files.ask_compare()
    assert window.case.notice is not None
    assert "report.json" in window.case.sentence(window.case.notice)
    assert window.case.busy == ""


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_report_that_cannot_be_opened_is_named(
    qtbot: QtBot, window: Window, two: tuple[Path, Path], tmp_path: Path, language: str
) -> None:
    window.case.set_language(language)
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": 1')
    window.work.compare(two[0], broken)
    qtbot.waitUntil(lambda: window.case.notice is not None)
    notice = window.case.notice
    assert notice is not None
    assert window.case.sentence(notice).startswith("broken.json")
    assert "{" not in window.case.sentence(notice)
    assert window.step is Step.SYMPTOM

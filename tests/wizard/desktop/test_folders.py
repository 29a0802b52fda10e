"""What is remembered from one start to the next: where files were chosen, and which interpreters."""

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from wizard.case_model import CaseModel, Search
from wizard.desktop import folders
from wizard.desktop.folders import EXPORT, INTERPRETER, REPORT, chosen, last_folder, remember, remember_chosen
from wizard.jobs.background import Work
from wizard.jobs.interpreters import interpreters_here
from wizard.pages.evidence import EvidencePage
from wizard.window.main_window import Window

HOME = str(Path.home())


def test_nothing_was_chosen_yet() -> None:
    assert last_folder(REPORT) == HOME
    assert chosen() == ()


def test_the_folder_of_a_file_and_a_folder_itself_each_for_its_kind(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    remember(REPORT, tmp_path / "report.pdf")
    remember("model", tmp_path / "models")
    assert last_folder(REPORT) == str(tmp_path)
    assert last_folder("model") == str(tmp_path / "models")
    assert last_folder(EXPORT) == HOME


def test_a_folder_that_is_gone_falls_back(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    remember(REPORT, gone)
    remember_chosen(gone)
    gone.rmdir()
    assert last_folder(REPORT) == last_folder(INTERPRETER) == HOME
    assert chosen() == ()


@pytest.mark.parametrize("value", [7, "", "relative/folder", ["a", "b"], "\0", "/nowhere/at/all"])
def test_settings_that_somebody_edited(value: object) -> None:
    settings = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "naosu", "naosu")
    settings.setValue(f"folders/{REPORT}", value)
    settings.setValue("chosen", value)
    settings.sync()
    assert last_folder(REPORT) == HOME
    assert chosen() == ()


def test_the_last_chosen_interpreters_each_once(tmp_path: Path) -> None:
    made = [tmp_path / str(number) for number in range(7)]
    for path in (*made, made[4]):
        path.mkdir(exist_ok=True)
        remember_chosen(path)
    assert chosen() == (made[4], made[6], made[5], made[3], made[2])


def test_only_paths_are_kept(tmp_path: Path) -> None:
    remember(REPORT, tmp_path / "report.pdf")
    remember_chosen(tmp_path)
    settings = folders._settings()
    settings.sync()
    assert set(settings.allKeys()) == {"chosen", "folders/report", "folders/interpreter"}
    assert Path(settings.fileName()).name == "naosu.ini"


def test_an_interpreter_chosen_at_another_start_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: ())
    found, likely = interpreters_here(None, (Path(sys.executable), Path("/nowhere/python")))
    assert [path.path for path in found] == [sys.executable]
    assert "chosen" in found[0].found_by
    assert likely is None  # it is listed; what is examined is chosen anew


def test_who_chooses_an_interpreter_is_remembered(
    qtbot: QtBot, model: CaseModel, work: Work, tmp_path: Path, script: Path
) -> None:
    work.choose(script)
    qtbot.waitUntil(lambda: model.search is Search.DONE)
    assert chosen() == ()  # it is none
    work.choose(Path(sys.executable))
    qtbot.waitUntil(lambda: bool(model.interpreters))
    assert chosen() == (Path(sys.executable),)


def test_dialogs_begin_where_the_last_one_ended(
    window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: Path
) -> None:
    begun: list[str] = []

    def ask(_parent: object, _title: str, folder: str, *_: object) -> tuple[str, str]:
        begun.append(folder)
        return str(tmp_path / "report.pdf"), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    monkeypatch.setattr(window.work, "open", lambda path: None)
    window.files.ask_open()
    window.files.ask_open()
    assert begun == [HOME, str(tmp_path)]


def test_given_files_begin_where_their_kind_was_chosen_last(
    qtbot: QtBot, model: CaseModel, work: Work, monkeypatch: pytest.MonkeyPatch, script: Path
) -> None:
    from wizard.evidence_files import Kind

    begun: list[str] = []

    def ask(_parent: object, _title: str, folder: str) -> tuple[list[str], str]:
        begun.append(folder)
        return [str(script)], ""

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", ask)
    page = EvidencePage(model, work)
    qtbot.addWidget(page)
    page._choose(Kind.SCRIPT)
    page._choose(Kind.SCRIPT)
    page._choose(Kind.MODEL)
    assert begun == [HOME, str(script.parent), HOME]


def test_what_was_saved_is_looked_for_where_it_was_saved(
    qtbot: QtBot, at_report: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []
    monkeypatch.setattr(QFileDialog, "exec", lambda _: 1)
    monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _: [str(tmp_path / "saved.json")])
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *args: asked.append(args[2]) or ([], ""))
    at_report.files.ask_save()
    qtbot.waitUntil(lambda: not at_report.case.busy)
    at_report.files.ask_compare()
    assert asked == [str(tmp_path)]

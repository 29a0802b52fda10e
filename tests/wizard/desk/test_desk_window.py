"""The support desk as a window: filled, searched, answered, opened as cases, written out, and emptied."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from checks.desk.store import Store
from wizard.case_model import CaseModel
from wizard.desk.window import DeskWindow
from wizard.flow import Step
from wizard.jobs.desk import DeskJobs
from wizard.pages.symptom import SymptomPage
from wizard.window.main_window import Window

MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
TICKETS = {
    "first.txt": f"Training stops in the first step.\n{MEMORY}\n",
    "second.txt": f"Fine-tuning of a larger model ends with this:\n{MEMORY}\n",
    "third.txt": "The colours of my diagram look odd.\n",
}


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "tickets"
    folder.mkdir()
    for name, text in TICKETS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def desk(qtbot: QtBot, window: Window) -> Iterator[DeskWindow]:
    window.files.open_desk()
    (desk,) = window.findChildren(DeskWindow)
    qtbot.waitUntil(lambda: bool(desk.sentence.text()))
    yield desk
    window.files.close_desk()


def fill(qtbot: QtBot, desk: DeskWindow, *paths: Path) -> None:
    desk.add([*paths])
    qtbot.waitUntil(lambda: not desk.jobs.is_filling and "judged" in desk.told.text(), timeout=60_000)


def listed(desk: DeskWindow) -> list[str]:
    rows = desk.tickets.rows
    return [str(rows.data(rows.index(place, 0))).split("  ")[0] for place in range(rows.rowCount())]


def wait_for(qtbot: QtBot, desk: DeskWindow, *names: str) -> None:
    qtbot.waitUntil(lambda: sorted(listed(desk)) == sorted(names), timeout=20_000)


def choose(desk: DeskWindow, name: str) -> None:
    desk.tickets.table.setCurrentIndex(desk.tickets.rows.index(listed(desk).index(name), 0))


def test_there_is_one_and_it_says_what_to_do(qtbot: QtBot, window: Window) -> None:
    page = window.page(Step.SYMPTOM)
    assert isinstance(page, SymptomPage)
    qtbot.mouseClick(page.tools["desk"], Qt.MouseButton.LeftButton)
    window.menus.desk.trigger()
    (desk,) = window.findChildren(DeskWindow)
    qtbot.waitUntil(desk.nothing.isVisible)
    assert not desk.tabs.isVisible()
    assert not desk.export.isEnabled()
    window.files.close_desk()
    window.menus.desk.trigger()
    assert any(other is not desk for other in window.findChildren(DeskWindow))


def test_a_folder_is_read_listed_and_searched(qtbot: QtBot, desk: DeskWindow, folder: Path) -> None:
    fill(qtbot, desk, folder)
    wait_for(qtbot, desk, *TICKETS)
    assert desk.told.text() == "tickets is read. Tickets judged: 3."
    assert "Tickets: 3" in desk.sentence.text()
    assert not desk.stop.isVisible()
    desk.tickets.search.setText("fine-tuning")
    wait_for(qtbot, desk, "second.txt")
    desk.tickets.search.setText("nothing has this")
    qtbot.waitUntil(desk.tickets.empty.isVisible)
    desk.tickets.search.clear()
    desk.tickets.shown.setCurrentIndex(desk.tickets.shown.findData("undecided"))
    desk.tickets.shown.activated.emit(0)
    wait_for(qtbot, desk, "third.txt")


def test_those_that_are_alike_have_one_answer(qtbot: QtBot, desk: DeskWindow, folder: Path) -> None:
    fill(qtbot, desk, folder)
    wait_for(qtbot, desk, *TICKETS)
    choose(desk, "second.txt")
    assert desk.panel.write.text() == "Write one answer for all 2"
    qtbot.mouseClick(desk.panel.alike, Qt.MouseButton.LeftButton)
    wait_for(qtbot, desk, "first.txt", "second.txt")
    qtbot.mouseClick(desk.panel.write, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(desk.panel.text.isVisible, timeout=20_000)
    qtbot.mouseClick(desk.panel.copy, Qt.MouseButton.LeftButton)
    answer = QGuiApplication.clipboard().text()
    assert "batch" in answer
    assert "larger model" not in answer  # which only one of them says
    qtbot.mouseClick(desk.tickets.all_again, Qt.MouseButton.LeftButton)
    wait_for(qtbot, desk, *TICKETS)


def test_a_ticket_is_answered_and_opened_as_a_case(
    qtbot: QtBot, desk: DeskWindow, folder: Path, model: CaseModel, window: Window
) -> None:
    fill(qtbot, desk, folder)
    wait_for(qtbot, desk, *TICKETS)
    choose(desk, "third.txt")
    qtbot.mouseClick(desk.panel.write, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(desk.panel.text.isVisible, timeout=20_000)
    assert desk.panel.for_whom.text() == "An answer to this ticket"
    desk.tickets.table.activated.emit(desk.tickets.table.currentIndex())
    qtbot.waitUntil(lambda: window.step is Step.REPORT, timeout=20_000)
    assert "colours of my diagram" in model.answers.text


def test_what_was_read_is_there_the_next_time_but_for_its_texts(
    qtbot: QtBot, window: Window, desk: DeskWindow, folder: Path
) -> None:
    fill(qtbot, desk, folder)
    window.files.close_desk()
    window.files.open_desk()
    desk = window.findChildren(DeskWindow)[-1]
    wait_for(qtbot, desk, *TICKETS)
    choose(desk, "third.txt")
    qtbot.mouseClick(desk.panel.open, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: desk.told.text().startswith("The text of a ticket is not kept"))
    desk.add([folder])
    qtbot.waitUntil(lambda: "0 of 3" in desk.told.text(), timeout=20_000)


def test_it_is_emptied(qtbot: QtBot, desk: DeskWindow, folder: Path) -> None:
    fill(qtbot, desk, folder)
    qtbot.waitUntil(desk.forget.isVisible)
    qtbot.mouseClick(desk.forget, Qt.MouseButton.LeftButton)
    (box,) = desk.findChildren(QMessageBox)
    next(button for button in box.findChildren(QPushButton) if button.text() == "Forget them").click()
    qtbot.waitUntil(desk.nothing.isVisible)
    assert sorted(path.name for path in folder.iterdir()) == sorted(TICKETS)


def test_it_is_not_emptied_while_it_is_read_nor_read_while_it_is_emptied(
    qtbot: QtBot, desk: DeskWindow, folder: Path
) -> None:
    """As where mails are dropped on the wizard while the question is open."""
    desk.add([folder])
    desk._forget()
    qtbot.waitUntil(lambda: desk.told.text() == "tickets is read. Tickets judged: 3.", timeout=60_000)
    desk._forget()
    desk.add([folder])
    qtbot.waitUntil(lambda: desk.told.text() == "tickets is read. Tickets judged: 3.", timeout=60_000)
    wait_for(qtbot, desk, *TICKETS)


def test_what_is_read_twice_is_passed_over_once(qtbot: QtBot, desk: DeskWindow, folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    fill(qtbot, desk, folder)
    before = desk.jobs.reading()
    assert len(before.not_read) == 1
    desk.told.clear()
    fill(qtbot, desk, folder)
    assert desk.jobs.reading() == before


@pytest.mark.parametrize(("kind", "begins"), [("csv", b"\xef\xbb\xbfnumber"), ("json", b"{"), ("markdown", b"# ")])
def test_it_is_written_out(
    qtbot: QtBot,
    desk: DeskWindow,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    begins: bytes,
) -> None:
    fill(qtbot, desk, folder)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "out"), ""))
    qtbot.waitUntil(desk.export.isEnabled)
    action = desk.export.menu().actions()[["csv", "json", "markdown"].index(kind)]
    action.trigger()
    qtbot.waitUntil(lambda: desk.told.text().startswith("Written"), timeout=20_000)
    assert desk.show_told.isVisible()
    assert (tmp_path / "out").read_bytes().startswith(begins)


def test_answers_to_all_are_written_into_a_new_folder(
    qtbot: QtBot, desk: DeskWindow, folder: Path, tmp_path: Path
) -> None:
    fill(qtbot, desk, folder)
    desk.write(folder, "answers")
    assert desk.told.text() == f"{folder} is there already. Name a new folder for the answers."
    desk.write(tmp_path / "answers", "answers")
    qtbot.waitUntil(lambda: desk.told.text().startswith("Written"), timeout=20_000)
    with open(tmp_path / "answers" / "answers.csv", encoding="utf-8") as file:
        answered = {row["source"] for row in csv.DictReader(file)}
    assert answered == {*TICKETS}
    desk.write(tmp_path / "none" / "list.csv", "csv")
    qtbot.waitUntil(lambda: "could not be written" in desk.told.text())


def test_reading_is_stopped_and_what_was_judged_stays(qtbot: QtBot, desk: DeskWindow, tmp_path: Path) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for number in range(40):
        (many / f"{number:02}.txt").write_text(f"{MEMORY} in run {number}\n")
    desk.jobs.progressed.connect(lambda count: desk.stop.click() if count == 3 else None)
    desk.add([many])
    qtbot.waitUntil(lambda: "stopped after" in desk.told.text(), timeout=60_000)
    qtbot.waitUntil(lambda: 3 <= desk.tickets.rows.rowCount() < 40)


def test_what_cannot_be_read_is_said(qtbot: QtBot, desk: DeskWindow, tmp_path: Path) -> None:
    desk.add([tmp_path / "gone"])
    qtbot.waitUntil(lambda: desk.told.text().startswith("gone cannot be read"))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    desk.add([tmp_path / "picture.png"])
    qtbot.waitUntil(lambda: desk.told.text().startswith("picture.png holds no ticket"))


def test_a_desk_that_another_window_uses_or_that_is_damaged_is_told(
    qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "desk.duckdb").write_bytes(b"no store")
    window.files.open_desk()
    (desk,) = window.findChildren(DeskWindow)
    qtbot.waitUntil(lambda: "damaged" in desk.told.text())
    qtbot.waitUntil(desk.forget.isVisible)
    assert (kept / "desk.duckdb").read_bytes() == b"no store"
    desk._forget()
    qtbot.waitUntil(lambda: desk.told.text() == "The desk is empty.")
    assert (kept / "desk.duckdb").read_bytes() != b"no store"
    window.files.close_desk()
    monkeypatch.setenv("NAOSU_HISTORY", "off")
    window.files.open_desk()
    desk = window.findChildren(DeskWindow)[-1]
    qtbot.waitUntil(lambda: "remember nothing" in desk.told.text())
    window.files.close_desk()


def test_what_a_newer_version_keeps_is_not_removed(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "desk.duckdb"
    kept.parent.mkdir()
    with Store(kept) as store:
        store.connection.execute("UPDATE desk SET format = 99")
    before = kept.read_bytes()
    window.files.open_desk()
    (desk,) = window.findChildren(DeskWindow)
    qtbot.waitUntil(lambda: "newer version" in desk.told.text())
    desk._forget()
    qtbot.waitUntil(lambda: desk.told.text() == "The desk is empty.")
    window.files.close_desk()
    assert kept.read_bytes() == before


def test_closing_the_window_closes_the_desk(qtbot: QtBot, window: Window, folder: Path) -> None:
    window.files.open_desk()
    (desk,) = window.findChildren(DeskWindow)
    desk.add([folder])
    window.close()
    assert not desk.isVisible()
    jobs = DeskJobs(window)
    opened: list[str] = []
    jobs.open(opened.append, lambda error: pytest.fail(str(error)))
    qtbot.waitUntil(lambda: opened == [""])  # nobody holds its file
    jobs.close()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_control_has_a_name_in_every_language(
    qtbot: QtBot, desk: DeskWindow, model: CaseModel, folder: Path, language: str
) -> None:
    fill(qtbot, desk, folder)
    wait_for(qtbot, desk, *TICKETS)
    model.set_language(language)
    controls: list[QWidget] = [desk.tickets.search, desk.tickets.shown, desk.tickets.sort, desk.tickets.table]
    assert all(control.accessibleName() for control in controls)
    assert all(button.text() for button in desk.findChildren(QPushButton) if button.isVisible())
    desk.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: desk.overview.widget() is not None, timeout=20_000)
    assert ("問い合わせ" in desk.sentence.text()) == (language == "ja")


def test_a_mailbox_that_is_dropped_on_the_wizard_is_for_the_desk(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    mail = tmp_path / "customer.eml"
    mail.write_text(f"From: a@b.example\nSubject: Training stops\nMessage-ID: <1@b.example>\n\n{MEMORY}\n")
    window.files.sort_out([mail])
    (desk,) = window.findChildren(DeskWindow)
    qtbot.waitUntil(lambda: desk.told.text() == "customer.eml is read. Tickets judged: 1.", timeout=20_000)
    window.files.close_desk()

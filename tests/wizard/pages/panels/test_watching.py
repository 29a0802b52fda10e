"""Let Naosu start the user's program: from the command to the report, with the keyboard, in both languages."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.played_engine import INTERPRETERS, TOO_OLD, VENV, Engine

from checks.engine.watch.running import Running
from checks.facts import InterpreterFacts, ProgramRun
from wizard.case_model import Notice
from wizard.flow import SYMPTOMS, TICKET, WATCHABLE, Step
from wizard.jobs.program import LiveOutput, NotStartable, Program, watched
from wizard.pages.evidence import EvidencePage
from wizard.pages.panels.watching import WatchPanel
from wizard.window.main_window import Window

RUN = ProgramRun(command=("python", "train.py"), exit_code=1, seconds=1.0, interpreter=VENV.path)
Watched = tuple[ProgramRun, InterpreterFacts | None]


@pytest.fixture
def panel(qtbot: QtBot, window: Window) -> WatchPanel:
    """The panel on the second page, for a program that does not start."""
    window.case.set_symptom("does-not-start")
    window.go(Step.EVIDENCE)
    qtbot.waitUntil(lambda: bool(window.case.interpreters))
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    return page.watch


class Played:
    """What is started instead: it prints, and ends when the test says so, or when it is stopped."""

    def __init__(self, outcome: Watched | Exception) -> None:
        self.outcome = outcome
        self.program: Program | None = None
        self.may_end = threading.Event()

    def __call__(self, program: Program, output: LiveOutput, cancelled: Callable[[], bool]) -> Watched:
        self.program = program
        output.take("stdout", b"\x1b[31mit prints\x1b[0m\n")
        while not self.may_end.wait(0.01):
            if cancelled():
                break
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> Played:
    played = Played((RUN, VENV))
    monkeypatch.setattr("wizard.jobs.background.watched", played)
    return played


def test_it_is_offered_where_a_program_is_the_question(panel: WatchPanel, window: Window) -> None:
    for symptom in (*SYMPTOMS, TICKET):
        window.case.set_symptom(symptom)
        assert panel.isVisible() is (symptom in WATCHABLE), symptom


def test_nothing_starts_without_a_command(qtbot: QtBot, panel: WatchPanel, window: Window, played: Played) -> None:
    assert window.focusWidget() is panel.command
    assert not panel.start.isEnabled()
    qtbot.keyClick(panel.command, Qt.Key.Key_Return)
    assert played.program is None
    assert not window.case.is_watching


def test_it_is_noted_while_it_runs(
    qtbot: QtBot, panel: WatchPanel, window: Window, played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    played.outcome = NotStartable(Notice("watch-needs-python", {"name": "train.py"}))

    def notes() -> list[bytes]:
        return [path.read_bytes() for path in (tmp_path / "kept" / "drafts").glob("*.draft")]

    panel.command.setText("python train.py --token hf_abcdefghijklmnopqrstuvwxyzabcdefgh")
    qtbot.keyClick(panel.command, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: b"python train.py" in b"".join(notes()))
    assert b"hf_abc" not in b"".join(notes())
    played.may_end.set()
    qtbot.waitUntil(lambda: not notes())
    assert not window.case.is_watching


def test_from_the_command_to_the_report(
    qtbot: QtBot, panel: WatchPanel, window: Window, played: Played, engine: Engine
) -> None:
    engine.tell_all(TOO_OLD)
    qtbot.keyClicks(panel.command, "python train.py")
    qtbot.keyClick(panel.command, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "it prints" in panel._shown.toPlainText())
    assert panel._shown.toPlainText() == "it prints\n"
    assert played.program == Program("python train.py", str(Path.home()), 60, VENV.path)
    assert panel.stop.isVisible()
    assert not panel.command.isEnabled()
    assert window.case.lost_by_quitting() == "quit-while-watching"
    window.go(Step.TARGET)
    window.go(Step.RUN)
    assert window.step is Step.EVIDENCE  # nowhere else to go while it runs
    with qtbot.waitSignal(window.work.finished_run):
        played.may_end.set()
    (request,) = engine.requests
    assert (request.runs, request.target) == ((RUN,), VENV.path)
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    assert window.case.program_runs == ()  # of the next examination they would be old


@pytest.mark.parametrize("by", ["button", "escape", "cancel"])
def test_it_can_be_stopped(by: str, qtbot: QtBot, panel: WatchPanel, window: Window, played: Played) -> None:
    panel.command.setText("python train.py")
    panel.start.setFocus()
    qtbot.keyClick(panel.start, Qt.Key.Key_Space)
    assert window.focusWidget() is panel.stop
    with qtbot.waitSignal(window.work.finished_watch):
        if by == "button":
            qtbot.keyClick(panel.stop, Qt.Key.Key_Space)
        elif by == "escape":
            window.menus.cancel.trigger()
        else:
            window.cancel.click()
    assert not window.case.is_watching


def test_what_is_no_python_leads_to_the_choice_of_one(
    qtbot: QtBot, panel: WatchPanel, window: Window, played: Played
) -> None:
    played.outcome = (msgspec.structs.replace(RUN, interpreter=None), None)
    played.may_end.set()
    panel.command.setText("ollama serve")
    panel.start.click()
    qtbot.waitUntil(lambda: window.step is Step.TARGET)
    assert len(window.case.program_runs) == 1


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_named_wrongly_is_said(
    language: str, qtbot: QtBot, panel: WatchPanel, window: Window, played: Played
) -> None:
    window.case.set_language(language)
    played.outcome = NotStartable(Notice("commands.run-not-found", {"path": "./none"}))
    played.may_end.set()
    panel.command.setText("./none")
    panel.start.click()
    qtbot.waitUntil(lambda: window.case.notice is not None)
    assert window.step is Step.EVIDENCE
    assert "./none" in window.case.sentence(window.case.notice or Notice(""))
    assert panel.start.isEnabled()


def test_a_bug_of_ours_is_said(qtbot: QtBot, panel: WatchPanel, window: Window, played: Played) -> None:
    played.outcome = ZeroDivisionError("ours")
    played.may_end.set()
    panel.command.setText("x")
    panel.start.click()
    qtbot.waitUntil(lambda: window.case.notice is not None)
    assert not window.case.is_watching


def test_a_dropped_script_is_run_in_its_folder(panel: WatchPanel, tmp_path: Path) -> None:
    (tmp_path / "my train.py").touch()
    panel.on_files([tmp_path / "my train.py"])
    assert panel.command.text() in ("'my train.py'", '"my train.py"')
    assert panel._folder.text() == str(tmp_path)
    assert VENV.path in panel._python.text()
    assert panel._python.isVisible()


def test_the_python_of_the_folder_is_offered(qtbot: QtBot, panel: WatchPanel, window: Window, tmp_path: Path) -> None:
    (tmp_path / "main.py").touch()
    panel.on_files([tmp_path / "main.py"])
    assert panel.near.isHidden()
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    (tmp_path / ".venv/pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\nversion = 3.11.7\n")
    panel.refresh()
    assert panel.near.text().endswith(".venv/bin/python")
    assert str(python) in panel.near.toolTip()
    panel.near.click()
    qtbot.waitUntil(lambda: window.case.answers.target == str(python))
    assert str(python) in panel._python.text()
    assert panel.near.isHidden()
    panel.command.setText(f"{python} main.py")  # whoever writes a Python has chosen one
    assert panel.near.isHidden()


def test_naosus_own_python_runs_no_script(panel: WatchPanel, window: Window) -> None:
    own = InterpreterFacts(path="/opt/naosu/python", found_by=("naosu",))
    window.case.search_ended((own, *INTERPRETERS), own.path)
    window.case.set_target(own.path)
    panel.command.setText("train.py")
    assert own.path not in panel._python.text()
    assert panel._python_of_scripts() == ""


def test_again_starts_the_same_program_and_shows_what_changed(
    qtbot: QtBot, panel: WatchPanel, window: Window, played: Played, engine: Engine
) -> None:
    """An examination without the program would not show whether it works now."""
    engine.tell_all(TOO_OLD)
    played.may_end.set()
    panel.command.setText("python train.py")
    with qtbot.waitSignal(window.work.finished_run):
        panel.start.click()
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    shown = window.case.case
    assert shown is not None
    window.case.case = msgspec.structs.replace(shown, facts=msgspec.structs.replace(shown.facts, runs=(RUN,)))
    played.program = None
    engine.tell_all()
    with qtbot.waitSignal(window.work.finished_run):
        window.again()
    assert played.program == Program("python train.py", str(Path.home()), 60, VENV.path)
    assert [request.runs for request in engine.requests] == [(RUN,), (RUN,)]
    qtbot.waitUntil(lambda: window.step is Step.REPORT)


def test_again_asks_where_another_command_was_written_since(
    qtbot: QtBot, panel: WatchPanel, window: Window, played: Played, engine: Engine
) -> None:
    engine.tell_all(TOO_OLD)
    played.may_end.set()
    panel.command.setText("python train.py")
    with qtbot.waitSignal(window.work.finished_run):
        panel.start.click()
    qtbot.waitUntil(lambda: window.step is Step.REPORT)
    shown = window.case.case
    assert shown is not None
    window.case.case = msgspec.structs.replace(shown, facts=msgspec.structs.replace(shown.facts, runs=(RUN,)))
    panel.command.setText("rm -r data")
    window.again()
    assert window.step is Step.EVIDENCE
    assert not window.case.is_watching
    assert window.case.notice == Notice("watch-again", is_error=False)


def test_output_is_bounded() -> None:
    output = LiveOutput()
    for _ in range(100):
        output.take("stdout", b"x" * 10_000)
    output.take("stderr", b"end")
    text = output.drained()
    assert len(text) <= 64 * 1024
    assert text.endswith("xend")
    assert output.drained() == ""


@pytest.mark.skipif(sys.platform == "win32", reason="the commands of POSIX")
def test_a_real_program(tmp_path: Path) -> None:
    output = LiveOutput()
    run, python = watched(Program("echo out; exit 3", str(tmp_path), 60), output, lambda: False)
    assert (run.command, run.exit_code, run.output, python) == (("echo out; exit 3",), 3, "out\n", None)
    assert output.drained() == "out\n"


@pytest.mark.parametrize(
    ("line", "folder", "key"),
    [
        ("./none", "", "commands.run-not-found"),
        ("x", "/no/such/folder", "commands.run-no-folder"),
        ("a.py", "", "watch-needs-python"),
    ],
)
def test_what_cannot_be_started(line: str, folder: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    with pytest.raises(NotStartable) as error:
        watched(Program(line, folder or str(tmp_path), 60), LiveOutput(), lambda: False)
    assert error.value.notice.key == key


COMPUTES = Running(
    pid=4711, name="python", command=("python", "train.py"), folder="/home/user", memory=3 << 30, on_gpu=False
)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that were looked at."""
    asked: list[int] = []

    def look(pid: int, _: Callable[[], bool]) -> Watched:
        asked.append(pid)
        return msgspec.structs.replace(RUN, end="running", exit_code=None), VENV

    monkeypatch.setattr("wizard.jobs.background.looked_at", look)
    monkeypatch.setattr("wizard.jobs.background.listed", lambda: (COMPUTES,))
    return asked


def test_a_program_that_runs_already(
    qtbot: QtBot, panel: WatchPanel, window: Window, looked: list[int], engine: Engine
) -> None:
    engine.tell_all(TOO_OLD)
    assert not panel.running.isVisible()
    panel.others.setFocus()
    qtbot.keyClick(panel.others, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.running.table.topLevelItemCount() == 1)
    row = panel.running.table.topLevelItem(0)
    assert row is not None
    assert [row.text(column) for column in range(4)] == ["python (4711)", "not in use", "3 GiB", "python train.py"]
    window.case.set_language("ja")
    with qtbot.waitSignal(window.work.finished_run):
        qtbot.keyClick(panel.running.table, Qt.Key.Key_Return)
    assert looked == [4711]
    (request,) = engine.requests
    assert (request.runs[0].end, request.target) == ("running", VENV.path)


def test_none_runs(qtbot: QtBot, panel: WatchPanel, looked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.jobs.background.listed", tuple)
    panel.others.click()
    qtbot.waitUntil(panel.running.again.isEnabled)
    assert not panel.running.table.isVisible()
    assert not panel.running.choose.isEnabled()
    assert "No Python with an AI framework" in panel.running._state.text()
    assert looked == []


def test_while_it_is_looked_at_nothing_of_it_is_ended(
    qtbot: QtBot, panel: WatchPanel, window: Window, looked: list[int]
) -> None:
    window.case.watch_began(looking=True)
    assert panel.stop.text() == "Stop looking"
    assert "goes on as it is" in panel._state.text()
    assert not panel._shown.isVisible()
    assert window.case.lost_by_quitting() == "quit-while-running"
    window.case.watch_ended(None, None, None)

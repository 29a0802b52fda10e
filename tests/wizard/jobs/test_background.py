"""Jobs in the background: each ends in exactly one call of the model, and none is left when the window closes."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from support.played_engine import INTERPRETERS, TOO_OLD, VENV, Engine, case

from wizard.case_model import CaseModel, Search
from wizard.evidence_files import Kind
from wizard.jobs.background import Work


def test_shutdown_waits_for_a_job(model: CaseModel, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    began, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(*_: object) -> tuple[tuple[()], None]:
        began.set()
        may_end.wait()
        ended.set()
        return (), None

    monkeypatch.setattr("wizard.jobs.background.interpreters_here", slow)
    work.search()
    assert began.wait(60)
    threading.Timer(0.01, may_end.set).start()
    work.shutdown()
    assert ended.is_set()


def test_one_search_at_a_time(qtbot: QtBot, model: CaseModel, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def found(near: Path | None, *_: object) -> tuple[object, str]:
        searched.append(near)
        return INTERPRETERS, VENV.path

    monkeypatch.setattr("wizard.jobs.background.interpreters_here", found)
    work.search()
    work.search()
    qtbot.waitUntil(lambda: model.search is Search.DONE)
    assert searched == [None]
    assert not model.needs_search()
    model.add_files([Path("/home/ai/project/train.py")], Kind.SCRIPT)
    assert model.needs_search()
    work.search()
    qtbot.waitUntil(lambda: model.search is Search.DONE)
    assert searched == [None, Path("/home/ai/project")]
    assert not model.needs_search()


def test_an_engine_that_ends_without_a_case(qtbot: QtBot, model: CaseModel, work: Work, engine: Engine) -> None:
    model.case = case(TOO_OLD)
    engine.tell(ValueError("broken"))
    work.run()
    qtbot.waitUntil(lambda: not model.is_running)
    assert model.case == case(TOO_OLD)  # the one before stays
    assert model.notice is not None
    assert model.notice.is_error
    engine.tell_all()
    with qtbot.waitSignal(work.finished_run):  # and it can run again
        work.run()
    assert model.case == case()
    assert model.notice is None


def test_cancel_without_a_run_is_nothing(work: Work, model: CaseModel) -> None:
    work.cancel()
    work.shutdown()
    assert not model.is_running


def test_the_evidence_reaches_the_engine(
    qtbot: QtBot, model: CaseModel, work: Work, engine: Engine, script: Path
) -> None:
    model.set_symptom("results-differ")
    model.answer(exactness="bits")
    model.set_text("RuntimeError")
    model.add_files([script])
    engine.tell_all()
    with qtbot.waitSignal(work.finished_run):
        work.run()
    (request,) = engine.requests
    assert (request.answers.symptom, request.answers.exactness) == ("results-differ", "bits")
    assert [log.text for log in request.logs] == ["RuntimeError"]
    assert [file.name for file in request.scripts] == ["train.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes with a path in a folder")
def test_a_pipe_is_no_report_and_is_not_waited_for(qtbot: QtBot, model: CaseModel, work: Work, tmp_path: Path) -> None:
    pipe = tmp_path / "sent.json"
    os.mkfifo(pipe)
    work.open(pipe)
    qtbot.waitUntil(lambda: model.notice is not None)
    assert model.notice.key == "errors.file-unreadable"


def test_a_fault_of_ours_while_opening_is_one_sentence(
    qtbot: QtBot, model: CaseModel, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: Path) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("wizard.jobs.background.opened", broken)
    work.open(Path("sent.json"))
    assert model.busy
    qtbot.waitUntil(lambda: model.notice is not None)
    assert not model.busy
    assert "sent.json" in model.sentence(model.notice)
    assert "oops" in model.sentence(model.notice)


def test_the_plots_are_loaded_before_the_window_needs_them() -> None:
    """And on the worker thread, without a word of Qt's about the wrong thread."""
    program = (
        "import sys, threading\n"
        "from PySide6.QtWidgets import QApplication\n"
        "application = QApplication([])\n"
        "from checks.engine.events import ProbeStarted\n"
        "from wizard.jobs.engine_thread import _prepare_plots\n"
        "_prepare_plots(ProbeStarted('torch'))\n"
        "assert 'pyqtgraph' not in sys.modules\n"
        "worker = threading.Thread(target=_prepare_plots, args=(ProbeStarted('computations:torch:cpu'),))\n"
        "worker.start(); worker.join()\n"
        "assert 'pyqtgraph' in sys.modules\n"
        "from wizard.plots.view import PlotView\n"
        "from wizard.report.content.blocks import Plot, Series\n"
        "view = PlotView(Plot('t', 'lines', 'x', 'y', (Series('s', (1, 2), (1.0, 2.0)),), ''), lambda key: key)\n"
        "view.grab()\n"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (done.returncode, [line for line in done.stderr.splitlines() if "propagateSizeHints" not in line]) == (0, [])

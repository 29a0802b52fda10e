"""A window whose engine the test leads."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.played_engine import INTERPRETERS, TOO_OLD, VENV, Engine

from wizard.case_model import CaseModel
from wizard.desktop import garbage
from wizard.flow import Step
from wizard.jobs.background import Work
from wizard.window.app import dress
from wizard.window.main_window import Window


@pytest.fixture(autouse=True)
def _own_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the program remembers from one start to the next is neither read nor changed by a test."""
    folder = str(tmp_path_factory.mktemp("settings"))
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)


@pytest.fixture(autouse=True)
def _garbage() -> Iterator[None]:
    """What is left of windows is collected on this thread, as in the program: on one of their jobs it may hang."""
    gc.disable()
    yield
    garbage.collect_due()
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def _application(qapp: QApplication) -> None:
    """Before a PDF makes an application without windows, which stays for all tests behind it."""


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture(scope="session")
def dressed(qapp: QApplication) -> QApplication:
    dress(qapp)
    return qapp


@pytest.fixture
def model(dressed: QApplication) -> CaseModel:
    return CaseModel("en")


@pytest.fixture
def work(model: CaseModel, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """The real jobs on real threads; only what they do is played."""
    monkeypatch.setattr("wizard.jobs.background.interpreters_here", lambda *_: (INTERPRETERS, VENV.path))
    work = Work(model, engine)
    yield work
    work.shutdown()


@pytest.fixture
def window(qtbot: QtBot, model: CaseModel, work: Work) -> Window:
    window = Window(model, work)
    qtbot.addWidget(window)
    window.show()
    return window


@pytest.fixture
def at_target(qtbot: QtBot, window: Window) -> Window:
    """The window at the third step, with the interpreters found."""
    window.case.set_symptom("not-on-gpu")
    window.go_next()
    window.go_next()
    qtbot.waitUntil(lambda: bool(window.case.answers.target))
    return window


@pytest.fixture
def at_report(qtbot: QtBot, at_target: Window, engine: Engine) -> Window:
    """The window at the last step, with a report of one finding."""
    engine.tell_all(TOO_OLD)
    with qtbot.waitSignal(at_target.work.finished_run):
        at_target.go_next()
    qtbot.waitUntil(lambda: at_target.step is Step.REPORT)
    return at_target


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text("import torch\n")
    return path

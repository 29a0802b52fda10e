"""The smallest part of a model is looked for on a click, the report says what came of it, and it can be stopped."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from support.recorded_computations import measurements

from checks.engine import minimal
from checks.facts import ArrayDifference, Facts, ModelFacts, ModelMeasured
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from wizard.flow import Step
from wizard.pages.panels.cutting import CuttingPanel
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window

(PART,) = measurements("model-onnxruntime-1.32.0-minimal-layer-norm")
PATIENCE = 20_000


@pytest.fixture
def differing() -> Case:
    run = ModelMeasured(
        framework="onnxruntime", path="/m/net.onnx", device="CPUExecutionProvider", aspect="level",
        setting="ORT_ENABLE_ALL", other="ORT_DISABLE_ALL", bound=1e-6,
        difference=ArrayDifference(elements=10, differing=9, max_abs=0.5, scale=1.0),
    )  # fmt: skip
    model = ModelFacts(path="/m/net.onnx", name="net.onnx", format="onnx")
    known = Facts(models=(model,), measurements=(run,), target="/venv/bin/python", here=True)
    return judged(known, Answers(symptom="models"))


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    return tmp_path


def shown(window: Window, case: Case) -> CuttingPanel:
    window.case.run_began()
    window.case.run_ended(case)
    window.go(Step.REPORT)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    return page.cutting


def test_a_click_writes_it_and_the_report_says_so(
    qtbot: QtBot, window: Window, differing: Case, chosen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def cut(case: Case, folder: Path, *_: Any, **__: Any) -> Generator[Any, None, Case]:
        asked.append(folder)
        yield None
        found = msgspec.structs.replace(case.facts, measurements=(*case.facts.measurements, PART))
        return judged(found, case.answers)

    monkeypatch.setattr(minimal, "cut_down", cut)
    (chosen / "naosu-minimal").mkdir()
    panel = shown(window, differing)
    assert panel.isVisibleTo(window)
    panel.start.click()
    assert panel.stop.isVisibleTo(window)
    qtbot.waitUntil(lambda: not window.case.busy, timeout=PATIENCE)
    assert asked == [chosen / "naosu-minimal-1"]
    assert not panel.isVisibleTo(window), "it was done"
    assert window.case.case is not None
    assert PART in window.case.case.facts.measurements


def test_it_can_be_stopped_and_what_goes_wrong_is_told(
    qtbot: QtBot, window: Window, differing: Case, chosen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def cut(case: Case, *_: Any, cancelled: Callable[[], bool]) -> Generator[Any, None, Case]:
        begun.set()
        while not cancelled():
            yield None
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(minimal, "cut_down", cut)
    panel = shown(window, differing)
    panel.start.click()
    assert begun.wait(20)
    panel.stop.click()
    qtbot.waitUntil(lambda: not window.case.busy, timeout=PATIENCE)
    assert window.case.notice is not None
    assert window.case.notice.key == "error-folder"
    assert panel.start.isVisibleTo(window)
    assert chosen.is_dir()


def test_nothing_is_offered_where_nothing_differs_or_the_case_is_from_elsewhere(
    window: Window, differing: Case, tmp_path: Path
) -> None:
    same = msgspec.structs.replace(differing, facts=msgspec.structs.replace(differing.facts, measurements=()))
    panel = shown(window, same)
    assert not panel.isVisibleTo(window)
    window.case.show_opened(differing, tmp_path / "sent.json")
    assert not panel.isVisibleTo(window)

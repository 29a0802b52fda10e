"""A whole examination looks back and is remembered; without a folder, or when it is cancelled, it is not."""

import dataclasses
import sys
from pathlib import Path

import pytest

from checks.engine.events import Finished
from checks.engine.examination import examine
from checks.engine.request import Request
from checks.facts.case import Answers, Case
from checks.history.store import Store
from checks.interpreters import read_interpreter

REQUEST = Request(
    answers=Answers(symptom="does-not-start", effort="quick"),
    target=sys.executable,
    interpreters=(read_interpreter(sys.executable),),
)


def case_of(request: Request, *, cancelled: bool = False) -> Case:
    return next(event.case for event in examine(request, lambda: cancelled) if isinstance(event, Finished))


@pytest.mark.usefixtures("shared_probes")
def test_two_examinations(tmp_path: Path) -> None:
    request = dataclasses.replace(REQUEST, history=tmp_path / "history")
    store = Store(tmp_path / "history")
    first = case_of(request)
    assert first.facts.history is not None
    assert not first.facts.history.worked
    assert store.numbers() == (1,)
    second = case_of(request)
    assert second.facts.history is not None
    assert second.facts.history.number == 1
    assert not second.facts.history.changes
    assert not [found for found in second.findings if found.cause == "changed-since-it-worked"]
    kept = store.read(1)
    assert kept is not None
    assert kept.worked
    assert {"package", "python", "machine", "variable", "file"} <= kept.state.keys()


@pytest.mark.usefixtures("shared_probes")
def test_without_a_folder_nothing_is_remembered() -> None:
    assert case_of(REQUEST).facts.history is None


def test_a_cancelled_one_is_not_remembered(tmp_path: Path) -> None:
    request = dataclasses.replace(REQUEST, history=tmp_path / "history")
    assert case_of(request, cancelled=True).facts.history is None
    assert Store(tmp_path / "history").numbers() == ()

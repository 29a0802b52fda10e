"""Model files that are read and tried nowhere: told as an examination, ended by a cancel."""

from collections.abc import Iterator
from pathlib import Path

from checks.engine.events import CheckEnded, Finished, Planned, Progress
from checks.engine.read_only import read_only
from checks.facts.case import Answers, Case
from checks.facts.finding import Status
from checks.facts.question import MODELS

RECORDED = Path(__file__).parents[2] / "recordings" / "models" / "onnx"
FILES = (RECORDED / "abs.onnx", RECORDED / "mul_1.onnx")


def finished(events: Iterator[object]) -> Case:
    *_, last = events
    assert isinstance(last, Finished)
    return last.case


def test_it_is_told_as_an_examination() -> None:
    first, *events = read_only(FILES, Answers(symptom=MODELS))
    assert isinstance(first, Planned)
    assert first.probes == {}
    ended = [event.outcome.cause for event in events if isinstance(event, CheckEnded)]
    assert set(ended) == set(first.checks)
    shares = [event.share for event in events if isinstance(event, Progress)]
    assert (shares, shares[-1]) == (sorted(shares), 1.0)


def test_two_files_are_read_and_compared_and_nothing_is_said_of_any_interpreter() -> None:
    case = finished(read_only(FILES, Answers(symptom=MODELS)))
    assert [model.name for model in case.facts.models] == ["abs.onnx", "mul_1.onnx"]
    assert len(case.facts.comparisons) == 1
    assert case.complete
    assert case.facts.target is None
    assert case.verdicts == ()
    reasons = {outcome.reason for outcome in case.outcomes if outcome.status is Status.SKIPPED}
    assert reasons <= {"no-target", "none-given", "not-asked"}


def test_after_a_cancel_there_is_what_was_read() -> None:
    answers = iter([False, False])
    case = finished(read_only(FILES, Answers(symptom=MODELS), lambda: next(answers, True)))
    assert not case.complete
    assert len(case.facts.models) < len(FILES) or case.facts.models[-1].problem == "cancelled"

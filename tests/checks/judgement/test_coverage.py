"""How much was covered: untested is never called stable."""

import msgspec
import pytest

from checks.facts import (
    ArrayDifference,
    Experiment,
    Facts,
    Flip,
    Health,
    Measurement,
    ModelMeasured,
    Portrait,
    Precision,
    Repeat,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Outcome, Status
from checks.judgement.coverage import is_tested, is_untested, outcome_counts

SAME = ArrayDifference(elements=3, differing=0)


def repeat(count: int = 300, distinct: int | None = 1, **more: object) -> Repeat:
    named = Repeat(framework="torch", device="cpu", operation="matmul", repetitions=count, distinct=distinct)
    return msgspec.structs.replace(named, **more)


def case_of(*measured: Measurement, outcomes: tuple[Outcome, ...] = (), symptom: str = "results-change") -> Case:
    facts = Facts(measurements=measured)
    return Case(created="", answers=Answers(symptom=symptom), facts=facts, outcomes=outcomes, findings=())


@pytest.mark.parametrize(
    ("measured", "expected"),
    [
        pytest.param(repeat(), True, id="repeated"),
        pytest.param(repeat(1), False, id="once-shows-nothing"),
        pytest.param(repeat(300, None), False, id="nothing-to-compare"),
        pytest.param(repeat(300, 1, reason="crashed"), False, id="broke-off"),
        pytest.param(Experiment(exact=(("a",), ("a",))), True, id="experiment"),
        pytest.param(Experiment(exact=(("a",),)), False, id="experiment-once"),
        pytest.param(ModelMeasured(difference=SAME), True, id="model"),
        pytest.param(ModelMeasured(), False, id="model-without-result"),
        pytest.param(Precision(against=SAME), True, id="precision"),
        pytest.param(Flip(), False, id="flip-without"),
        pytest.param(Portrait(), False, id="portrait"),
        pytest.param(Health(checked=9), False, id="health"),
    ],
)
def test_is_tested(measured: Measurement, expected: bool) -> None:
    assert is_tested(case_of(measured)) is expected


@pytest.mark.parametrize(
    ("symptom", "expected"), [("results-change", True), ("results-differ", True), ("not-on-gpu", False)]
)
def test_only_a_question_about_results_can_be_untested(symptom: str, expected: bool) -> None:
    assert is_untested(case_of(symptom=symptom)) is expected
    assert not is_untested(case_of(repeat(), symptom=symptom))


def test_what_had_nothing_to_look_at_is_not_missing() -> None:
    endings = [
        (Status.CLEAR, ""),
        (Status.SKIPPED, "not-installed"),
        (Status.SKIPPED, "probe-failed"),
        (Status.CRASHED, ""),
    ]
    outcomes = tuple(Outcome(cause=f"c{n}", status=status, reason=reason) for n, (status, reason) in enumerate(endings))
    counts = outcome_counts(case_of(outcomes=outcomes))
    assert counts == {"decided": 1, "open": 0, "not_run": 1, "no_need": 1, "crashed": 1}

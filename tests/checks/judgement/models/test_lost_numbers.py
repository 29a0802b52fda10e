"""Weights that hold NaN, and outputs that have it from these: one finding."""

import msgspec
import pytest

from checks.facts import Facts, ModelFacts, ModelMeasured, NotFiniteWeight, NumbersLost, WeightValues
from checks.facts.case import Answers, Case
from checks.facts.finding import Severity, Status
from checks.judgement.judge import judged

PATH = "/m/net.onnx"
WEIGHTS, OUTPUTS = "weights-not-finite", "non-finite-output"


def case_of(source: str, path: str = PATH) -> Case:
    """A file whose weight W holds NaN, and a run of a file that gave NaN because of ``source``."""
    values = WeightValues(not_finite=(NotFiniteWeight(name="W", nan=1, infinite=0, count=4),))
    lost = NumbersLost(kind="nan", nan=4, elements=4, outputs=1, outputs_whole=1, source=source, node="W")
    run = ModelMeasured(path=path, framework="onnxruntime", aspect="lost", inputs_from="drawn", lost=lost)
    model = ModelFacts(path=PATH, name="net.onnx", weight_values=values)
    return judged(Facts(models=(model,), measurements=(run,)), Answers(symptom="models"))


def causes(case: Case) -> list[str]:
    return [finding.cause for finding in case.findings if finding.cause in (WEIGHTS, OUTPUTS)]


def test_what_was_seen_to_happen_is_told_with_the_weights_that_make_it() -> None:
    case = case_of("weight")
    (finding,) = (finding for finding in case.findings if finding.cause in (WEIGHTS, OUTPUTS))
    assert (finding.cause, finding.severity) == (OUTPUTS, Severity.BLOCKING)
    assert {shown.name: shown.value for shown in finding.evidence}["not_finite_weights"] == "W: 1 NaN, 0 Inf / 4"
    assert next(outcome.status for outcome in case.outcomes if outcome.cause == WEIGHTS) is Status.FOUND


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case_of("node"), id="from-a-node"),
        pytest.param(case_of("weight", "/m/other.onnx"), id="of-another-file"),
    ],
)
def test_two_troubles_stay_two(case: Case) -> None:
    assert sorted(causes(case)) == sorted((WEIGHTS, OUTPUTS))


def test_without_a_run_the_weights_stay() -> None:
    case = case_of("weight")
    assert causes(judged(msgspec.structs.replace(case.facts, measurements=()), case.answers)) == [WEIGHTS]

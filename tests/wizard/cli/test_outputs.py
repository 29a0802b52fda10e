"""The exit status: 0 only where nothing was found and nothing of ours failed."""

import argparse

import pytest

from checks.facts import Facts, ModelFacts, ModelMeasured, Repeat
from checks.facts.case import Answers, Case
from checks.facts.finding import Outcome, Status
from checks.facts.question import MODELS
from checks.judgement.coverage import has_own_error
from wizard.cli.outputs import deliver

QUIET = argparse.Namespace(quiet=True, lang="en", no_redact=False)


def case(reason: str = "", status: Status = Status.CLEAR) -> Case:
    made = (ModelMeasured(path="/m/net.onnx", aspect="repeat", distinct=1, repetitions=99, reason=reason), Repeat())
    return Case(
        created="2026-11-23T00:00:00+00:00",
        answers=Answers(symptom=MODELS),
        facts=Facts(models=(ModelFacts(path="/m/net.onnx", name="net.onnx"),), measurements=made),
        outcomes=(Outcome(cause="rng-unseeded", status=status),),
        findings=(),
    )


@pytest.mark.parametrize(
    ("made", "status"),
    [
        pytest.param(case(), 0, id="fine"),
        pytest.param(case("failed"), 0, id="the-models-own-error-is-no-finding-by-itself"),
        pytest.param(case("own-error"), 1, id="an-error-of-ours-in-a-comparison"),
        pytest.param(case(status=Status.CRASHED), 1, id="a-check-of-ours-that-crashed"),
    ],
)
def test_an_error_of_ours_is_never_status_0(made: Case, status: int) -> None:
    assert deliver(made, QUIET) == status
    assert has_own_error(made) is bool(status)

"""When first-call-differs speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of
from support.recorded_repeats import frameworks, left_out, measurements, repeat

from checks.causes.reproducibility.first_call_differs import first_call_differs
from checks.facts import Repeat, Symptom
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.phrases import in_language


def findings(*made: Repeat, exactness: str = "") -> list[Finding]:
    asked = Symptom(name="results-change", exactness=exactness)
    return list(first_call_differs(measurements(*made), frameworks(), asked))


def test_one_note_with_what_is_known_of_it() -> None:
    (finding,) = findings(repeat("fft", device="cpu", n=48, warm_up="ffff"), repeat("sum", device="cpu"))
    assert finding.severity is Severity.NOTE
    assert evidence_of(finding)["first_call"] == "fft: 1 / 49"
    assert "one process alone" in in_language(finding.values["again"], "en")
    assert "oneMKL" in in_language(finding.values["reason"], "en")
    assert "cuDNN" not in in_language(finding.values["reason"], "en")


def test_who_needs_the_same_bits_is_warned() -> None:
    (finding,) = findings(repeat("conv2d", warm_up="ffff"), exactness="bits")
    assert finding.severity is Severity.WARNING
    assert "cuDNN" in in_language(finding.values["reason"], "en")


def test_what_has_one_result_in_any_order_has_no_known_reason() -> None:
    (finding,) = findings(repeat("elementwise", device="cpu", warm_up="ffff"))
    assert "is not known" in in_language(finding.values["reason"], "en")


@pytest.mark.parametrize(
    ("again", "said", "confidence"),
    [
        pytest.param(repeat("sum", "fresh-process", warm_up="ffff"), "differed again", 0.95, id="again"),
        pytest.param(repeat("sum", "fresh-process"), "did not differ", 0.7, id="not-again"),
        pytest.param(left_out("sum", "fresh-process", "no-time"), "one process alone", 0.7, id="not-tried"),
    ],
)
def test_what_came_of_it_in_a_new_process(again: Repeat, said: str, confidence: float) -> None:
    (finding,) = findings(repeat("sum", warm_up="ffff"), again)
    assert said in in_language(finding.values["again"], "en")
    assert finding.confidence == confidence


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(repeat("sum"), id="same-bits"),
        pytest.param(repeat("sum", distinct=2, warm_up="ffff"), id="later-calls-vary-as-well"),
        pytest.param(repeat("sum", distinct=2), id="the-first-is-like-others"),
    ],
)
def test_silent(made: Repeat) -> None:
    assert findings(made) == []


def test_nothing_repeated_is_no_health() -> None:
    with pytest.raises(NotHere, match="not-measured"):
        findings(left_out("sum", "default", "no-time"))

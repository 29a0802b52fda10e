"""When deterministic-mode-op-unsupported speaks, and when it keeps silent."""

import pytest
from support.recorded_repeats import NO_FORM, left_out, measurements, recorded, repeat

from checks.causes.reproducibility.deterministic_mode_op_unsupported import deterministic_mode_op_unsupported
from checks.facts import Facts, Repeat, TorchFacts
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.frameworks.computations import known_operations
from checks.knowledge.frameworks.deterministic_replacements import ReplacementTable
from checks.remedies.plan import plan_remedies


def findings(*made: Repeat, version: str = "2.13.0") -> list[Finding]:
    return list(deterministic_mode_op_unsupported(measurements(*made), TorchFacts(version=version)))


def refused(operation: str) -> Repeat:
    return left_out(operation, "deterministic", "no-deterministic-form", NO_FORM)


def test_speaks_with_the_error() -> None:
    (finding,) = findings(repeat("histc"), refused("histc"), repeat("sum"), repeat("sum", "deterministic"))
    told = {each.name: each.value for each in finding.evidence}
    assert finding.severity is Severity.NOTE
    assert told["refused_operations"] == "histc"
    assert told["error_text"].startswith("histc_cuda does not have a deterministic implementation")
    assert told["repeats_all_the_same"] == "histc"
    assert "not_documented" not in told


def test_a_refusal_that_no_document_names() -> None:
    (finding,) = findings(repeat("fft"), refused("fft"))
    assert {each.name: each.value for each in finding.evidence}["not_documented"] == "fft"


@pytest.mark.parametrize(
    ("operation", "language", "told", "untold"),
    [
        ("max-unpool2d", "en", "Maximum unpooling 2D: upsample with", "CTC"),
        ("max-unpool2d", "ja", "ConvTranspose2d", "CTC"),
        ("ctc-loss-backward", "en", "on the CPU", "bilinear"),
        ("fft", "en", "for example", "{"),  # of which nothing is known
    ],
)
def test_what_to_take_instead_is_of_the_refused_operation(
    operation: str, language: str, told: str, untold: str
) -> None:
    (finding,) = findings(repeat(operation), refused(operation))
    (plan,) = plan_remedies(finding, Facts(), language)
    text = " ".join(step.text for step in plan.steps)
    assert told in text
    assert untold not in text


def test_every_replacement_is_of_an_operation_that_is_computed() -> None:
    rows = ReplacementTable.read().row
    named = [operation for row in rows for operation in row.operations]
    assert set(named) <= set(known_operations())
    assert len(set(named)) == len(named)


def test_silent_where_all_compute() -> None:
    assert findings(repeat("sum"), repeat("sum", "deterministic")) == []


def test_silent_where_another_error_ended_it() -> None:
    assert findings(repeat("sum"), left_out("sum", "deterministic", "failed", NO_FORM)) == []


def test_the_mode_that_was_not_tried_is_no_health() -> None:
    with pytest.raises(NotHere, match="not-measured"):
        findings(repeat("sum"))


def test_a_real_processor_refuses_to_unpool() -> None:
    (finding,) = findings(*recorded("torch-2.13.0-cpu-repeat"))  # type: ignore[arg-type]
    told = {each.name: each.value for each in finding.evidence}
    assert told["refused_operations"] == told["repeats_all_the_same"] == "max-unpool2d"

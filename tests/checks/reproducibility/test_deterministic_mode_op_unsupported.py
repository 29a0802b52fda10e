"""When deterministic-mode-op-unsupported speaks, and when it keeps silent."""

import pytest

from checks.facts import Repeat, TorchFacts
from checks.finding import Finding, NotHere, Severity
from checks.reproducibility.deterministic_mode_op_unsupported import deterministic_mode_op_unsupported
from tests.checks.recorded_repeats import NO_FORM, left_out, measurements, recorded, repeat


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

"""A conversion by coremltools that failed."""

import msgspec
import pytest
from support.recorded_exports import NAMES, export, facts, model

from checks.causes.model.coreml_op_unsupported import coreml_op_unsupported
from checks.facts import ErrorText, ModelFacts, ModelFiles
from checks.facts.finding import Finding, NotHere, Severity

SPEAKING = "coremltools-9.0-svd"
LESS = "coremltools-9.0-bfloat16"  # a type of numbers, and no operation
OTHER_ERROR = ErrorText(type="IndexError", message="list index out of range")


def findings(of: ModelFacts) -> list[Finding]:
    return list(coreml_op_unsupported(ModelFiles(files=(of,)), facts(of)))


def test_the_operation_and_the_versions_are_named() -> None:
    (finding,) = findings(model(SPEAKING))
    told = {each.name: each.value for each in finding.evidence}
    assert finding.severity is Severity.BLOCKING
    assert "linalg_svd" in told["clue"]
    assert (told["needed"], told["found"]) == ("torch<=2.7.0", "torch 2.13.0+cpu")


def test_a_type_of_numbers_is_named() -> None:
    (finding,) = findings(model(LESS))
    assert "BFloat16" in next(each.value for each in finding.evidence if each.name == "clue")


@pytest.mark.parametrize("name", sorted(set(NAMES) - {SPEAKING, LESS}))
def test_silent(name: str) -> None:
    assert findings(model(name)) == []


def test_another_error_beside_untested_versions_is_likely_theirs() -> None:
    run = msgspec.structs.replace(export(SPEAKING), error=OTHER_ERROR, log=None)
    (finding,) = findings(model(exports=(run,)))
    assert finding.confidence < 0.7
    assert finding.remedies == ("use-tested-torch-for-coremltools",)


def test_silent_for_another_error_beside_tested_versions() -> None:
    run = msgspec.structs.replace(export(SPEAKING), error=OTHER_ERROR, log=None, fit="fits", unmet=())
    assert findings(model(exports=(run,))) == []


def test_nothing_asked_for() -> None:
    with pytest.raises(NotHere):
        findings(model())

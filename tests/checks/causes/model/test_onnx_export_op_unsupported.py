"""An exporter to ONNX that does not know an operation."""

import msgspec
import pytest
from support.recorded_exports import NAMES, export, facts, model

from checks.causes.model.onnx_export_op_unsupported import onnx_export_op_unsupported
from checks.facts import ExportRun, ModelFacts, ModelFiles
from checks.facts.finding import Finding, NotHere, Severity

SPEAKING = ("torch-2.13.0-dynamo-svd", "torch-2.13.0-torchscript-svd")


def findings(of: ModelFacts) -> list[Finding]:
    return list(onnx_export_op_unsupported(ModelFiles(files=(of,)), facts(of)))


@pytest.mark.parametrize("name", SPEAKING)
def test_the_operation_is_named(name: str) -> None:
    (finding,) = findings(model(name))
    assert finding.severity is Severity.BLOCKING
    assert "linalg_svd" in next(each.value for each in finding.evidence if each.name == "clue")
    assert finding.values["runtime"] == export(name).exporter


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(SPEAKING)))
def test_silent(name: str) -> None:
    assert findings(model(name)) == []


def test_another_exporter_that_can_do_it_makes_it_a_warning() -> None:
    (finding,) = findings(model("torch-2.13.0-torchscript-svd", "torch-2.13.0-dynamo"))
    assert finding.severity is Severity.WARNING
    (finding,) = findings(model("torch-2.13.0-torchscript-svd", "torch-2.13.0-export"))  # writes another format
    assert finding.severity is Severity.BLOCKING


def test_versions_that_do_not_fit_explain_an_error_that_names_no_operation() -> None:
    assert findings(model("torch-2.13.0-torchscript-without-onnx")) == []
    named = msgspec.structs.replace(export("torch-2.13.0-torchscript-svd"), fit="misfit")
    assert len(findings(model(exports=(named,)))) == 1


def test_nothing_asked_for() -> None:
    with pytest.raises(NotHere):
        findings(model())
    assert findings(model(exports=(ExportRun(exporter="torch-onnx-dynamo", reason="exporter-not-installed"),))) == []

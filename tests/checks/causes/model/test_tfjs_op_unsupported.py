"""When TensorFlow.js has no code for a part of a model."""

from pathlib import Path

import pytest

from checks.causes.model.tfjs_op_unsupported import tfjs_op_unsupported
from checks.facts import ModelFacts, ModelFiles, ModelNeeds, OperatorUse
from checks.facts.finding import Finding, Severity
from checks.readers.models import read_model

RECORDED = Path(__file__).parents[3] / "recordings" / "models" / "tfjs"


def graph(*operators: str, kind: str = "graph-model") -> ModelFacts:
    uses = tuple(OperatorUse(name=name) for name in operators)
    return ModelFacts(
        path="/m/model.json", format="tfjs", details={"model-kind": kind}, needs=ModelNeeds(operators=uses)
    )


def findings(model: ModelFacts) -> list[Finding]:
    return list(tfjs_op_unsupported(ModelFiles(files=(model,))))


def test_an_operator_that_no_release_knows() -> None:
    (found,) = findings(graph("Conv2D", "Bincount2", "SortOp"))
    assert found.severity is Severity.BLOCKING
    assert found.values == {"model_path": "/m/model.json", "runtime": "tfjs"}
    assert {each.name: each.value for each in found.evidence}["operators"] == "Bincount2, SortOp"


def test_a_layer_with_python_code() -> None:
    (found,) = findings(read_model(RECORDED / "made" / "lambda" / "model.json"))
    assert (found.severity, found.remedies) == (Severity.BLOCKING, ("convert-to-tfjs-graph-model",))
    assert {each.name: each.value for each in found.evidence}["layer_classes"] == "Lambda"


def test_an_operator_that_some_backends_lack() -> None:
    (found,) = findings(graph("Conv2D", "Unique", "Einsum"))
    assert (found.severity, found.remedies) == (Severity.NOTE, ("use-other-tfjs-backend",))
    evidence = {each.name: each.value for each in found.evidence}
    assert (evidence["operators"], evidence["tfjs_backends"]) == ("Einsum, Unique", "wasm, webgpu")


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(read_model(RECORDED / "antispoof.json"), id="a-graph"),
        pytest.param(read_model(RECORDED / "made" / "layers-2.15" / "model.json"), id="layers"),
        pytest.param(ModelFacts(format="tfjs", details={"model-kind": "weights"}), id="weights-alone"),
    ],
)
def test_silent(model: ModelFacts) -> None:
    assert findings(model) == []

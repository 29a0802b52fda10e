"""When TensorFlow.js's loader does not find what it expects; the made files were tried with tfjs 4.22 in Node.js."""

from pathlib import Path

import pytest

from checks.causes.model.tfjs_format_mismatch import tfjs_format_mismatch
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Finding, Severity
from checks.readers.models import read_model

MADE = Path(__file__).parents[3] / "recordings" / "models" / "tfjs" / "made"


def findings(*models: ModelFacts) -> list[Finding]:
    return list(tfjs_format_mismatch(ModelFiles(files=models)))


@pytest.mark.parametrize("name", ["layers-3.15", "layers-of-zip"])
def test_not_in_the_words_of_the_loader(name: str) -> None:
    (found,) = findings(read_model(MADE / name / "model.json"))
    assert (found.severity, found.remedies) == (Severity.BLOCKING, ("convert-tfjs-with-keras-2",))
    assert found.values["runtime"] == "tfjs"
    assert found.evidence[2].name == "written_with"


def test_weights_alone() -> None:
    model = ModelFacts(format="tfjs", details={"model-kind": "layers-model", "topology": "none"})
    (found,) = findings(model)
    assert (found.severity, found.remedies) == (Severity.WARNING, ("load-tfjs-model-with-its-loader",))


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(read_model(MADE / "layers-2.15" / "model.json"), id="layers-of-keras-2"),
        pytest.param(read_model(MADE / "uint8" / "model.json"), id="a-graph-of-keras-3"),
        pytest.param(ModelFacts(format="tfjs", details={"model-kind": "weights"}), id="a-list-of-weights"),
    ],
)
def test_silent(model: ModelFacts) -> None:
    assert findings(model) == []

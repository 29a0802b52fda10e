"""When a part of a model is not beside it."""

import pytest

from checks.facts import ModelFacts, ModelFiles, ModelNeeds, ModelRun, NeededFile
from checks.finding import Finding, NotHere, Severity
from checks.model.model_file_not_found import model_file_not_found

HERE = NeededFile(name="a.bin", present=True)
MISSING = NeededFile(name="b.bin", present=False)
ELSEWHERE = NeededFile(name="../c.bin")


def model(*files: NeededFile, format: str = "tfjs", runs: tuple[ModelRun, ...] = ()) -> ModelFacts:
    return ModelFacts(path="/m/model", name="model", format=format, needs=ModelNeeds(files=files), runs=runs)


def findings(facts: ModelFacts) -> list[Finding]:
    return list(model_file_not_found(ModelFiles(files=(facts,))))


def test_a_missing_shard() -> None:
    (found,) = findings(model(HERE, MISSING, ELSEWHERE))
    assert found.severity is Severity.BLOCKING
    assert found.values == {"model_path": "/m/model", "runtime": ""}
    assert {each.name: each.value for each in found.evidence}["missing_files"] == "b.bin"


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(model(HERE, ELSEWHERE), id="all-that-is-looked-for-is-there"),
        pytest.param(model(MISSING, runs=(ModelRun(runtime="x", loaded=True),)), id="it-loads"),
    ],
)
def test_silent(facts: ModelFacts) -> None:
    assert findings(facts) == []


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(model(MISSING, format="onnx"), id="onnx-has-a-cause-of-its-own"),
        pytest.param(ModelFacts(format="gguf"), id="no-other-files"),
    ],
)
def test_nothing_to_check(facts: ModelFacts) -> None:
    with pytest.raises(NotHere):
        findings(facts)

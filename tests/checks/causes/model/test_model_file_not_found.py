"""When a part of a model is not beside it."""

import msgspec
import pytest

from checks.causes.model.model_file_not_found import model_file_not_found
from checks.facts import ModelFacts, ModelFiles, ModelNeeds, ModelRun, NeededFile
from checks.facts.finding import Finding, NotHere, Severity
from checks.knowledge.catalogue import cause_of

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
    assert found.values == {
        "model_path": "/m/model",
        "model_name": "model",
        "part": "b.bin",
        "runtime": "",
        "wanted_file": "/m/model/b.bin",
    }
    assert {each.name: each.value for each in found.evidence}["missing_files"] == "b.bin"


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/m/model.json", "/m/b.bin"),
        ("/m/net.prototxt", "/m/b.bin"),
        ("/m/model.safetensors.index.json", "/m/b.bin"),
        ("/m/Llama-3.2", "/m/Llama-3.2/b.bin"),
        ("/m/net.mlpackage", "/m/net.mlpackage/b.bin"),
        ("C:\\m\\model.json", "C:\\m\\b.bin"),
        ("model.json", "b.bin"),
    ],
)
def test_the_remedy_looks_where_the_part_should_be(path: str, wanted: str) -> None:
    (found,) = findings(msgspec.structs.replace(model(MISSING), path=path))
    assert found.values["wanted_file"] == wanted


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


def test_what_is_said_of_a_file_claims_nothing_of_a_program_and_puts_the_part_in_its_place() -> None:
    (found,) = findings(msgspec.structs.replace(model(MISSING, format="ncnn"), path="/m/net.param", name="net.param"))
    text = cause_of(found.cause).text_with(found.values, "en")
    assert "{part}" in text.title
    assert "program says" not in text.why
    assert found.remedies[0] == "put-missing-part"

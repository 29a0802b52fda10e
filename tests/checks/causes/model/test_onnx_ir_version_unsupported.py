"""When a model's format version is newer than ONNX Runtime."""

import msgspec
import pytest
from support.onnx_files import evidence, loaded, model, ort

from checks.causes.model.onnx_ir_version_unsupported import onnx_ir_version_unsupported
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Finding, NotInTable, Severity, Unread


def findings(facts: ModelFacts, version: str | None) -> list[Finding]:
    return list(onnx_ir_version_unsupported(ModelFiles(files=(facts,)), ort(version)))


@pytest.mark.parametrize(
    ("name", "version", "highest", "remedies"),
    [
        ("made/external.onnx", "1.14.1", "8", ("update-onnxruntime", "lower-onnx-ir-version")),
        ("made/opset28.onnx", "1.31.1", "13", ("lower-onnx-ir-version",)),
        ("cast_INT4_to_FLOAT.onnx", "1.17.3", "9", ("update-onnxruntime",)),  # int4 came with IR 10
        ("cast_FLOAT8E4M3FN_to_FLOAT16.onnx", "1.14.1", "8", ("update-onnxruntime",)),
    ],
)
def test_refused(name: str, version: str, highest: str, remedies: tuple[str, ...]) -> None:
    (found,) = findings(model(name), version)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.97)
    assert evidence(found)["runtime_ir"] == highest
    assert found.remedies == remedies
    assert found.values["runtime"] == "onnxruntime"


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param("made/external.onnx", "1.15.0", id="the-highest"),
        pytest.param("made/ir1.onnx", "1.31.1", id="old"),
        pytest.param("made/opset28.onnx", "1.0.0", id="does-not-look"),
    ],
)
def test_silent(name: str, version: str) -> None:
    assert findings(model(name), version) == []


def test_what_was_loaded_is_taken() -> None:
    assert findings(model("made/opset28.onnx", loaded()), "1.31.1") == []


def test_a_damaged_file_is_another_cause() -> None:
    assert findings(msgspec.structs.replace(model("made/opset28.onnx"), problem="truncated"), "1.31.1") == []


def test_what_is_not_known_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        findings(model("abs.onnx"), None)
    with pytest.raises(NotInTable):
        findings(model("abs.onnx"), "2.0.0")

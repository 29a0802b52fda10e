"""When a model's operator set is newer than the runtime."""

import msgspec
import pytest
from support.onnx_files import evidence, loaded, model, models, ort

from checks.causes.model.onnx_opset_unsupported import onnx_opset_unsupported
from checks.facts import ModelFacts, ModelFiles, TensorRtFacts
from checks.facts.finding import Finding, NotHere, NotInTable, Severity, Unread


def with_opsets(**opsets: int) -> ModelFacts:
    """A real model under other numbers; "onnx" is ai.onnx, "ml" ai.onnx.ml."""
    facts = model("made/external.onnx")
    names = {"onnx": "", "ml": "ai.onnx.ml"}
    needs = msgspec.structs.replace(
        facts.needs, opsets={names.get(key, key): version for key, version in opsets.items()}
    )
    return msgspec.structs.replace(facts, needs=needs)


def findings(facts: ModelFacts, onnxruntime: str | None = None, tensorrt: str | None = None) -> list[Finding]:
    return list(
        onnx_opset_unsupported(
            ModelFiles(files=(facts,)),
            ort(onnxruntime) if onnxruntime else None,
            TensorRtFacts(version=tensorrt) if tensorrt else None,
        )
    )


@pytest.mark.parametrize(
    ("facts", "version", "highest"),
    [
        pytest.param(with_opsets(onnx=18), "1.13.1", "ai.onnx 17", id="one-above"),
        pytest.param(with_opsets(onnx=27), "1.31.1", "ai.onnx 26", id="newer-than-the-newest"),
        pytest.param(with_opsets(onnx=17, ml=4), "1.16.3", "ai.onnx.ml 3", id="of-classical-learning"),
        pytest.param(with_opsets(onnx=12), "1.2.0", "ai.onnx 11", id="long-ago"),
        pytest.param(with_opsets(onnx=22), "1.20.7", "ai.onnx 21", id="a-patch-release-of-the-future"),
    ],
)
def test_refused(facts: ModelFacts, version: str, highest: str) -> None:
    (found,) = findings(facts, version)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.97)
    assert evidence(found)["runtime_opset"] == highest
    assert found.values == {"model_path": "/m/external.onnx", "runtime": "onnxruntime"}


def test_a_newer_release_is_offered_only_where_one_takes_it() -> None:
    assert findings(with_opsets(onnx=18), "1.13.1")[0].remedies == ("update-onnxruntime", "export-with-another-opset")
    assert findings(with_opsets(onnx=27), "1.31.1")[0].remedies == ("export-with-another-opset",)


def test_an_opset_that_was_never_released_cannot_be_converted() -> None:
    assert findings(with_opsets(onnx=99), "1.31.1")[0].remedies == ("export-model-anew",)
    assert findings(with_opsets(onnx=99), tensorrt="8.6.1")[0].remedies == ("export-model-anew",)
    assert findings(with_opsets(onnx=18), tensorrt="8.6.1")[0].remedies == ("export-with-another-opset",)


def test_what_changed_has_no_code_yet() -> None:
    (found,) = findings(with_opsets(onnx=19), "1.15.1")
    assert found.severity is Severity.WARNING


@pytest.mark.parametrize(
    ("facts", "version"),
    [
        pytest.param(with_opsets(onnx=17), "1.13.1", id="the-highest"),
        pytest.param(with_opsets(onnx=17), "1.12.0", id="the-first-that-takes-it"),
        pytest.param(with_opsets(onnx=26, ml=5), "1.31.1", id="the-newest"),
        pytest.param(with_opsets(onnx=27), "1.1.0", id="does-not-look"),
        pytest.param(with_opsets(**{"onnx": 17, "com.example": 99}), "1.31.1", id="another-domain"),
    ],
)
def test_silent(facts: ModelFacts, version: str | None) -> None:
    assert findings(facts, version) == []


def test_nothing_is_fine_where_nothing_could_read_it() -> None:
    with pytest.raises(NotHere) as raised:
        findings(with_opsets(onnx=18), None)
    assert (raised.value.fact, raised.value.reason) == ("onnxruntime", "not-collected")


def test_what_was_loaded_is_taken() -> None:
    facts = msgspec.structs.replace(with_opsets(onnx=27), runs=(loaded(),))
    assert findings(facts, "1.31.1") == []


@pytest.mark.parametrize(
    ("opset", "tensorrt", "is_found"),
    [
        (18, "8.6.1", True),
        (17, "8.6.1", False),
        (21, "10.1.0.27", True),
        (20, "10.1.0.27", False),
        (22, "10.8.0.43", False),  # between 20 and 24
        (25, "10.8.0.43", True),
        (25, "10.15.1.29", True),
        (25, "11.4.0", False),
        (26, "11.4.0", True),
        (26, "11.5.0", False),  # newer than what was read
    ],
)
def test_in_tensorrt(opset: int, tensorrt: str, is_found: bool) -> None:
    found = findings(with_opsets(onnx=opset), tensorrt=tensorrt)
    assert [each.severity for each in found] == ([Severity.WARNING] if is_found else [])
    assert all(each.values["runtime"] == "tensorrt" for each in found)


def test_one_finding_per_runtime() -> None:
    found = findings(with_opsets(onnx=18), "1.13.1", "8.6.1")
    assert {each.values["runtime"] for each in found} == {"onnxruntime", "tensorrt"}


def test_what_is_not_known_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        list(onnx_opset_unsupported(models("abs.onnx"), ort(None), None))
    with pytest.raises(NotInTable):
        findings(with_opsets(onnx=18), "1.99.0")

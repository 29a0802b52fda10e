"""When an engine's TensorRT is not the one that is installed."""

import pytest

from checks.causes.model.trt_engine_version_mismatch import trt_engine_version_mismatch
from checks.facts import ModelFacts, ModelFiles, TensorRtFacts
from checks.facts.finding import Finding, Severity, Unread


def engine(version: str | None, producer: str = "TensorRT", **details: str) -> ModelFacts:
    return ModelFacts(
        path="/m/model.engine",
        name="model.engine",
        format="tensorrt",
        producer=producer,
        producer_version=version,
        details={key.replace("_", "-"): value for key, value in details.items()},
    )


def findings(model: ModelFacts, installed: str | None) -> list[Finding]:
    return list(trt_engine_version_mismatch(ModelFiles(files=(model,)), TensorRtFacts(version=installed)))


@pytest.mark.parametrize(
    ("built", "installed", "confidence"),
    [
        pytest.param("8.6.1.6", "10.9.0.34", 0.85, id="newer-major"),
        pytest.param("8.5.1.7", "8.5.3.1", 0.85, id="newer-patch"),
        pytest.param("10.9.0.34", "10.3.0", 0.97, id="older"),
        pytest.param("10.13.2.6", "10.13.3.9", 0.85, id="two-digits"),
    ],
)
def test_another_version(built: str, installed: str, confidence: float) -> None:
    (found,) = findings(engine(built), installed)
    assert (found.severity, found.confidence) == (Severity.BLOCKING, confidence)
    assert found.values == {"model_path": "/m/model.engine", "runtime": "tensorrt", "engine_file": "/m/model.engine"}
    assert {each.name: each.value for each in found.evidence}["engine_tensorrt"] == built


@pytest.mark.parametrize(
    ("model", "installed"),
    [
        pytest.param(engine("10.9.0.34"), "10.9.0.34", id="the-same"),
        pytest.param(engine("8.6.1.6"), "8.6.1", id="the-package-names-three-numbers"),
        pytest.param(engine("8.6.1.6"), "8.6.1.post1", id="a-post-release-of-the-package"),
        pytest.param(engine("10.0.1.6", plan_sections="LEAN"), "10.9.0.34", id="carries-its-runtime"),
        pytest.param(engine(None), "10.9.0.34", id="header-not-read"),
        pytest.param(engine("0.17.0", "TensorRT-LLM"), "10.9.0.34", id="version-of-another-program"),
    ],
)
def test_silent(model: ModelFacts, installed: str) -> None:
    assert findings(model, installed) == []


def test_a_runtime_of_its_own_does_not_serve_an_older_tensorrt() -> None:
    assert findings(engine("10.9.0.34", plan_sections="LEAN"), "10.3.0.26")


def test_an_unread_version_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        findings(engine("10.9.0.34"), None)

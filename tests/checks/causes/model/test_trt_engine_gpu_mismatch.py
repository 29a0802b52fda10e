"""When no GPU here is of the kind that an engine was built for."""

import pytest

from checks.causes.model.trt_engine_gpu_mismatch import trt_engine_gpu_mismatch
from checks.facts import MachineFacts, ModelFacts, ModelFiles, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Finding, Severity, Unread


def engine(built_for: str, format: str = "tensorrt", **details: str) -> ModelFacts:
    told = {"compute-capability": built_for} | {key.replace("_", "-"): value for key, value in details.items()}
    return ModelFacts(path="/m/model.plan", name="model.plan", format=format, details=told if built_for else {})


def findings(model: ModelFacts, *capabilities: str | None) -> list[Finding]:
    gpus = tuple(
        NvidiaGpu(index=index, name=f"GPU of {each}", compute_capability=each)
        for index, each in enumerate(capabilities)
    )
    machine = MachineFacts(nvidia=NvidiaFacts(nvml="ok", devices=gpus))
    return list(trt_engine_gpu_mismatch(ModelFiles(files=(model,)), machine))


def test_built_on_another_generation() -> None:
    (found,) = findings(engine("7.5"), "8.6")
    assert (found.severity, found.confidence) == (Severity.BLOCKING, 0.93)
    assert found.values == {"model_path": "/m/model.plan", "runtime": "tensorrt", "engine_file": "/m/model.plan"}
    evidence = {each.name: each.value for each in found.evidence}
    assert (evidence["engine_gpu"], evidence["compute_capability"], evidence["gpu"]) == ("7.5", "8.6", "GPU of 8.6")


def test_the_same_generation_with_another_minor_number() -> None:
    assert findings(engine("8.6"), "8.9")


def test_an_engine_of_tensorrt_rtx_for_none_of_these() -> None:
    (found,) = findings(engine("8.9, 12.0", "tensorrt-rtx"), "7.5")
    assert found.values["runtime"] == ""


@pytest.mark.parametrize(
    ("model", "capabilities"),
    [
        pytest.param(engine("8.6"), ("8.6",), id="the-same"),
        pytest.param(engine("8.6"), ("7.5", "8.6"), id="one-of-two"),
        pytest.param(engine("7.5, 12.0", "tensorrt-rtx"), ("12.0",), id="one-of-its-targets"),
        pytest.param(engine("8.0", hardware_compatible_guessed="1"), ("8.9",), id="perhaps-hardware-compatible"),
        pytest.param(engine(""), ("8.6",), id="gpu-not-read"),
        pytest.param(engine("8.6"), (), id="no-gpu-here"),
    ],
)
def test_silent(model: ModelFacts, capabilities: tuple[str | None, ...]) -> None:
    assert findings(model, *capabilities) == []


def test_a_gpu_of_unknown_capability_is_not_called_fitting() -> None:
    with pytest.raises(Unread):
        findings(engine("8.6"), None)

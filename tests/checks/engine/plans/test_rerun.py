"""Which models are run again, in which runtime and for how long, and what becomes of one that ends its process."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from checks.engine.plans import compute as compute_plan
from checks.engine.plans.compute import budget_of_models
from checks.engine.plans.rerun import LEAST, RerunJob, rerun_jobs
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.engine.resume import lost_device
from checks.facts import (
    ErrorText,
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    MachineFacts,
    MemoryFacts,
    ModelFacts,
    ModelMeasured,
    ModelRun,
    OnnxRuntimeFacts,
    Package,
    ProbeRun,
    ProviderStart,
    Repeat,
    TorchFacts,
)
from checks.facts.case import Answers

GIB = 1 << 30


def facts(*packages: str, **more: Any) -> Facts:
    found = InterpreterFacts(
        path="/venv/bin/python", packages=tuple(Package(name=name, version="1.0") for name in packages)
    )
    return Facts(interpreters=(found,), target=found.path, **more)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "net.onnx"
    made.write_bytes(b"x")
    return made


def model(path: Path, form: str | None = "onnx", **more: Any) -> ModelFacts:
    return ModelFacts(**{"path": str(path), "name": path.name, "format": form, "size": 1, **more})


def jobs(models: list[ModelFacts], known: Facts, effort: str = "standard", **more: Any) -> tuple[RerunJob, ...]:
    """The jobs of a request that asks for nothing but that the models are run again."""
    request = Request(answers=Answers(symptom="models", effort=effort), repeat=True, **more)
    return rerun_jobs(msgspec.structs.replace(known, models=tuple(models)), request)


def planned(models: list[ModelFacts], known: Facts) -> list[tuple[str, str]]:
    return [(job.spec.runtime, job.reason) for job in jobs(models, known)]


@pytest.mark.parametrize(
    ("form", "packages", "wanted"),
    [
        pytest.param("onnx", ("onnxruntime", "torch"), [("onnxruntime", "")], id="onnx"),
        pytest.param("ort", ("onnxruntime-gpu",), [("onnxruntime", "")], id="ort"),
        pytest.param("torchscript", ("torch",), [("torch", "")], id="torchscript"),
        pytest.param("pt2", ("torch",), [("torch", "")], id="exported-program"),
        pytest.param("onnx", ("torch",), [("onnxruntime", "no-runtime")], id="what-runs-it-is-not-there"),
        pytest.param("gguf", ("torch",), [("", "not-repeatable-format")], id="another-format"),
        pytest.param("pickle", ("torch",), [("", "not-repeatable-format")], id="loading-it-runs-code"),
    ],
)
def test_the_runtime_of_each_format(
    path: Path, form: str, packages: tuple[str, ...], wanted: list[tuple[str, str]]
) -> None:
    assert planned([model(path, form)], facts(*packages)) == wanted


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        pytest.param(ModelRun(runtime="onnxruntime", loaded=True, ran=True), "", id="ran"),
        pytest.param(ModelRun(runtime="onnxruntime", loaded=True, reason="inputs-refused"), "", id="lacks-an-input"),
        pytest.param(ModelRun(runtime="onnxruntime", loaded=False), "model-not-run", id="did-not-load"),
        pytest.param(ModelRun(runtime="onnxruntime", loaded=True, ran=False), "model-not-run", id="did-not-run"),
        pytest.param(
            ModelRun(runtime="onnxruntime", loaded=True, reason="timed-out"), "model-not-run", id="never-ended"
        ),
        pytest.param(ModelRun(runtime="openvino", loaded=False), "", id="another-runtime"),
    ],
)
def test_what_did_not_run_when_it_was_tried_is_not_run_again(path: Path, run: ModelRun, reason: str) -> None:
    assert planned([model(path, runs=(run,))], facts("onnxruntime")) == [("onnxruntime", reason)]


def test_too_large_for_the_memory_or_the_effort(path: Path) -> None:
    known = facts("onnxruntime", machine=MachineFacts(memory=MemoryFacts(available=4 * GIB)))
    assert planned([model(path, size=3 * GIB)], known) == [("onnxruntime", "no-memory")]
    assert planned([model(path, size=9 * GIB)], facts("onnxruntime")) == [("onnxruntime", "too-large")]


def test_the_time_is_shared_and_what_gets_too_little_is_left_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute_plan, "BUDGET", {"standard": 3 * LEAST, "quick": 1.0})
    shared = jobs([model(path)] * 4, facts("onnxruntime"))
    assert [(dict(job.seconds), job.reason) for job in shared] == [({"model": LEAST}, "")] * 3 + [({}, "no-time")]
    (alone,) = jobs([model(path)], facts("onnxruntime"), "quick")
    assert (dict(alone.seconds), alone.reason) == ({"model": 1.0}, "")
    assert budget_of_models("quick", alone=False) < budget_of_models("quick", alone=True)


def test_what_the_probe_is_told(path: Path, tmp_path: Path) -> None:
    works, broken = KernelLaunch(ran=True), KernelLaunch(ran=False)
    known = facts(
        "onnxruntime",
        frameworks=Frameworks(
            torch=TorchFacts(
                devices=(
                    FrameworkDevice(device="cpu", kernel=works),
                    FrameworkDevice(device="cuda:0", kernel=works),
                    FrameworkDevice(device="cuda:1", kernel=broken),
                )
            ),
            onnxruntime=OnnxRuntimeFacts(
                providers=(
                    ProviderStart(name="CUDAExecutionProvider", started=False),
                    ProviderStart(name="CPUExecutionProvider", started=True),
                )
            ),
        ),
    )
    (job,) = jobs([model(path)], known, "quick", inputs=tmp_path / "inputs.npz")
    told = job.argument
    assert (told["path"], told["format"], told["runtime"]) == (str(path), "onnx", "onnxruntime")
    assert told["inputs"] == str(tmp_path / "inputs.npz")
    assert told["providers"] == ["CPUExecutionProvider"]
    assert told["devices"] == ["cpu", "cuda:0"]


def ended(device: str, reason: str = "crashed", **more: str) -> ModelMeasured:
    return ModelMeasured(
        framework="onnxruntime", device=device, reason=reason, error=ErrorText(type="SIGSEGV", message=""), **more
    )


@pytest.mark.parametrize(
    ("made", "lost"),
    [
        pytest.param([ended("OpenVINOExecutionProvider")], "OpenVINOExecutionProvider", id="a-provider"),
        pytest.param([ended("cuda:0", "timed-out")], "cuda:0", id="a-device-that-hangs"),
        pytest.param([ended("CPUExecutionProvider")], "", id="the-processor"),
        pytest.param([ended("cpu")], "", id="the-processor-of-torch"),
        pytest.param([ended("cpu", aspect="repeat")], "", id="it-cannot-even-be-repeated"),
        pytest.param([ended("cpu", "too-much-memory", aspect="level")], "level", id="a-search-took-all-memory"),
        pytest.param([ended("cpu", aspect="threads", setting="threads-1")], "threads-1", id="one-of-two-steps"),
        pytest.param([ended("cpu", "timed-out", aspect="level")], "", id="what-is-behind-it-would-be-as-slow"),
        pytest.param([ended("cuda:0", "failed")], "", id="an-error-ends-no-process"),
        pytest.param([ended("cuda:0"), Repeat()], "", id="something-else-came-last"),
        pytest.param([], "", id="nothing"),
    ],
)
def test_the_device_that_ended_the_process(made: list[ModelMeasured], lost: str) -> None:
    assert lost_device(made) == lost


def test_the_path_is_the_one_that_was_given(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    (job,) = jobs([model(Path("net.onnx"))], facts("onnxruntime"))
    assert job.argument["path"] == str(path)
    measured = {"kind": "model", "framework": "onnxruntime", "device": "cpu", "path": str(path)}
    run = ProbeRun(probe=job.id, status="ok")
    assert [each.path for each in job.result([Answer({"measurements": [measured]}, run)])] == ["net.onnx"]  # type: ignore[union-attr]


def test_a_device_that_ends_its_process_is_left_out_of_the_next_one(path: Path) -> None:
    (job,) = jobs([model(path)], facts("onnxruntime"))
    lost = {"kind": "model", "framework": "onnxruntime", "device": "CUDAExecutionProvider"}
    died = Answer({"measuring": lost}, ProbeRun(probe=job.id, status="crashed", signal="SIGSEGV"))
    again = job.resume(job, [died])
    assert job.argument["done"] == []
    assert again is not None
    assert again.argument["done"] == ["CUDAExecutionProvider"]
    assert job.resume(job, [died, died]) is None  # it ended a process that had been asked to leave it out
    assert job.resume(job, [died, Answer({}, ProbeRun(probe=job.id, status="ok"))]) is None


def test_what_is_not_computed_says_why(path: Path) -> None:
    (job,) = jobs([model(Path("net.onnx"))], facts("torch"))
    (fact,) = job.result()
    assert isinstance(fact, ModelMeasured)
    assert (fact.path, fact.reason, fact.framework, fact.detail) == ("net.onnx", "no-runtime", "onnxruntime", "")
    (other,) = jobs([model(Path("a.gguf"), "gguf")], facts("torch"))[0].result()
    assert isinstance(other, ModelMeasured)
    assert (other.reason, other.detail) == ("not-repeatable-format", "gguf")

"""Which models are tried where, and which are not."""

from pathlib import Path
from typing import Any

import pytest
from support.recorded_runs import facts, onnxruntime

from checks.analysis.models.runtimes import is_broken
from checks.engine.catalogues.models import MODEL_PROBES, ModelProbeSpec
from checks.engine.job import Limit, free_bytes
from checks.engine.plans.load import LARGEST, MOST, LoadJob, load_jobs, memory_reason
from checks.engine.request import Request
from checks.facts import (
    ErrorText,
    Facts,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    MemoryFacts,
    ModelFacts,
    ModelNeeds,
    NamedClass,
    Package,
    ProbeRun,
    ProbeRuns,
    TorchFacts,
)
from checks.facts.case import Answers
from checks.knowledge.formats.model_formats import distributions_of, model_format


def target(*packages: str) -> InterpreterFacts:
    return InterpreterFacts(path="python", packages=tuple(Package(name=name, version="1.0") for name in packages))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "model.onnx"
    made.write_bytes(b"x")
    return made


def trials(models: list[ModelFacts], known: InterpreterFacts, effort: str, **more: Any) -> tuple[LoadJob, ...]:
    facts = Facts(interpreters=(known,), target=known.path, models=tuple(models), **more)
    return load_jobs(facts, Request(answers=Answers(effort=effort)))


def model(path: Path, form: str = "onnx", **more: object) -> ModelFacts:
    return ModelFacts(**{"path": str(path), "name": path.name, "format": form, "size": 1, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("form", "packages", "runtimes"),
    [
        pytest.param("onnx", ("onnxruntime-gpu", "openvino", "torch"), ["onnxruntime", "openvino"], id="two-read-it"),
        pytest.param("onnx", ("torch",), [], id="none-reads-it"),
        pytest.param("tflite", ("tensorflow",), ["tensorflow"], id="its-own-interpreter"),
        pytest.param("tflite-edgetpu", ("tflite-runtime", "tensorflow"), ["litert"], id="edge-tpu"),
        pytest.param("keras-zip", ("keras", "tensorflow"), ["keras"], id="one-of-two-that-are-one"),
        pytest.param("keras-h5", ("tensorflow",), ["tensorflow"], id="the-older-of-them"),
        pytest.param("tensorrt", ("tensorrt",), [], id="an-engine-is-machine-code"),
        pytest.param("pt2", ("torch",), [], id="loading-it-runs-code"),
        pytest.param("pickle", ("scikit-learn", "joblib"), [], id="a-pickle"),
        pytest.param(None, ("onnxruntime",), [], id="unknown"),
    ],
)
def test_runtimes_of_the_target_that_read_the_format(
    path: Path, form: str, packages: tuple[str, ...], runtimes: list[str]
) -> None:
    found = trials([model(path, form)], target(*packages), "quick")
    assert [each.spec.runtime for each in found] == runtimes
    assert [each.reason for each in found] == ["" for _ in runtimes]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, ""),
        ({"size": LARGEST["quick"]}, ""),
        ({"size": LARGEST["quick"] + 1}, "too-large"),
        ({"size": None}, ""),
        ({"problem": "truncated"}, "not-read"),
        ({"needs": ModelNeeds(classes=(NamedClass(name="os.system", risk="dangerous"),))}, "dangerous"),
        ({"needs": ModelNeeds(classes=(NamedClass(name="my.Net"),))}, ""),
    ],
)
def test_what_is_not_tried(path: Path, more: dict[str, object], reason: str) -> None:
    (trial,) = trials([model(path, **more)], target("onnxruntime"), "quick")
    assert trial.reason == reason


def test_what_lies_in_an_archive_is_not_tried() -> None:
    (trial,) = trials([model(Path("/nowhere/models.zip/model.onnx"))], target("onnxruntime"), "quick")
    assert trial.reason == "in-archive"


def test_a_large_one_is_tried_with_more_effort(path: Path) -> None:
    large = model(path, size=LARGEST["quick"] + 1)
    assert [trial.reason for trial in trials([large], target("onnxruntime"), "standard")] == [""]


def test_not_more_than_a_sensible_number(path: Path) -> None:
    found = trials([model(path)] * (MOST + 3), target("onnxruntime"), "quick")
    assert [each.reason for each in found] == [""] * MOST + ["too-many"] * 3


def test_every_trial_has_an_id_of_its_own_that_tells_what_it_is(tmp_path: Path) -> None:
    paths = [tmp_path / folder / "model.onnx" for folder in ("a", "b")]
    for each in paths:
        each.parent.mkdir()
        each.touch()
    ids = [trial.id for trial in trials([model(each) for each in (*paths, paths[1])], target("onnxruntime"), "quick")]
    assert ids[:2] == ["onnxruntime:model.onnx", f"onnxruntime:{paths[1]}"]
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    ("memory", "limit"),
    [
        pytest.param(MemoryFacts(available=20_000), 9_000, id="others-came-since"),
        pytest.param(MemoryFacts(available=5_000), 4_500, id="as-it-was"),
        pytest.param(MemoryFacts(available=20_000, limit=2_000), 1_800, id="container"),
        pytest.param(MemoryFacts(), 9_000, id="nobody-knows"),
        pytest.param(None, 9_000, id="not-asked"),
    ],
)
def test_how_much_memory_a_trial_may_take(memory: MemoryFacts | None, limit: int) -> None:
    assert Limit(60.0, free_bytes(memory)).bytes_now(10_000) == limit


@pytest.mark.parametrize(
    ("memory", "form", "reason"),
    [
        (MemoryFacts(available=2500), "onnx", ""),
        (MemoryFacts(available=2499), "onnx", "no-memory"),
        (MemoryFacts(available=9000, limit=2000), "onnx", "no-memory"),
        (MemoryFacts(available=10), "safetensors", ""),
        (MemoryFacts(), "onnx", ""),
        (None, "onnx", ""),
    ],
)
def test_room_for_a_model(path: Path, memory: MemoryFacts | None, form: str, reason: str) -> None:
    assert memory_reason(model(path, form, size=1000), memory) == reason


def test_a_probe_is_told_what_it_may_try(path: Path) -> None:
    (trial,) = trials([model(path)], target("onnxruntime"), "quick")
    runtime = onnxruntime(CPUExecutionProvider=True, CUDAExecutionProvider=False, DmlExecutionProvider=True)
    (informed,) = trials([model(path)], target("onnxruntime"), "quick", frameworks=Frameworks(onnxruntime=runtime))
    assert informed.argument["providers"] == ["CPUExecutionProvider", "DmlExecutionProvider"]
    assert informed.argument["path"] == str(path)
    assert trial.argument["providers"] is None


def test_a_graph_is_looked_through_by_the_table(path: Path) -> None:
    (trial,) = trials([model(path, "savedmodel")], target("tensorflow"), "quick")
    safety = trial.argument["safety"]
    assert "ReadVariableOp" in safety["harmless"]
    assert "WriteFile" not in safety["harmless"]


@pytest.mark.parametrize(
    ("imported", "status", "broken"),
    [(True, "ok", False), (False, "failed", True), (None, "crashed", True), (None, "timed-out", True)],
)
def test_a_runtime_that_does_not_start_is_given_no_models(imported: bool | None, status: str, broken: bool) -> None:
    error = ErrorText(type="ImportError", message="") if imported is False else None
    known = Facts(
        frameworks=Frameworks(torch=TorchFacts(version="2.6.0", imported=imported, error=error)),
        probes=ProbeRuns(runs=(ProbeRun(probe="torch", status=status),)),
    )
    assert is_broken("torch", known) is broken
    assert is_broken("onnxruntime", known) is False
    assert is_broken("torch", facts()) is False


@pytest.mark.parametrize("spec", MODEL_PROBES, ids=lambda spec: f"{spec.runtime}-{spec.stem}")
def test_every_probe_of_models_reads_formats_of_the_table(spec: ModelProbeSpec) -> None:
    assert spec.script.is_file()
    assert distributions_of(spec.runtime)
    for form in spec.formats:
        row = model_format(form)
        assert row is not None
        assert spec.runtime in row.readers
        assert row.runs_code != "device" or form == "tflite-edgetpu"


def test_what_is_known_only_later_is_the_reason_then(path: Path) -> None:
    """It is planned before its runtime and the memory were asked, and left out when they were."""
    planned, known = [model(path, size=1000)], target("onnxruntime")
    small = MachineFacts(memory=MemoryFacts(available=2000))
    died = ProbeRuns(runs=(ProbeRun(probe="onnxruntime", status="crashed"),))
    assert [trial.reason for trial in trials(planned, known, "quick")] == [""]
    assert [trial.reason for trial in trials(planned, known, "quick", machine=small)] == ["no-memory"]
    (broken,) = trials(planned, known, "quick", machine=small, probes=died)
    assert [(run.runtime, run.reason) for run in broken.result()] == [("onnxruntime", "runtime-broken")]

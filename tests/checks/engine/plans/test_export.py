"""Which exporter is tried on which model, and what its answer is taken for."""

from pathlib import Path

import pytest
from support.recorded_exports import NAMES, export, plain, target

from checks.engine.plans.export import ExportJob, ExportSpec, export_jobs, export_of, not_exported
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.facts import (
    ErrorText,
    ExportRun,
    Facts,
    MachineFacts,
    MemoryFacts,
    ModelFacts,
    ModelNeeds,
    NamedClass,
    ProbeRun,
)
from checks.facts.case import Answers

INSTALLED = {"torch": "2.13.0", "onnx": "1.23.2", "onnxscript": "0.5.7", "tensorrt": "10.0.1"}


@pytest.fixture
def script(tmp_path: Path) -> ModelFacts:
    (tmp_path / "model.pt").touch()
    return ModelFacts(path=str(tmp_path / "model.pt"), name="model.pt", format="torchscript", size=1000)


def jobs(model: ModelFacts, wanted: tuple[str, ...] | None, memory: int | None = None) -> tuple[ExportJob, ...]:
    known = target(INSTALLED)
    machine = MachineFacts(memory=MemoryFacts(available=memory))
    facts = Facts(machine=machine, interpreters=(known,), target=known.path, models=(model,))
    return export_jobs(facts, Request(answers=Answers(effort="standard"), exports=wanted))


def tried(model: ModelFacts, wanted: tuple[str, ...] | None) -> dict[str, str]:
    return {job.spec.exporter: job.reason for job in jobs(model, wanted)}


def test_nothing_is_exported_unasked(script: ModelFacts) -> None:
    assert tried(script, None) == {}


def test_without_a_name_what_is_installed_and_fits(script: ModelFacts) -> None:
    assert tried(script, ()) == {
        "torch-onnx-dynamo": "exporter-misfit",
        "torch-onnx-torchscript": "",
        "torch-export": "",
    }


def test_a_named_one_is_tried_although_it_does_not_fit(script: ModelFacts) -> None:
    assert tried(script, ("torch-onnx-dynamo", "litert-torch", "tf2onnx")) == {
        "torch-onnx-dynamo": "",
        "litert-torch": "exporter-not-installed",
        "tf2onnx": "export-other-format",
    }


def test_a_format_that_nothing_starts_from(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").touch()
    assert tried(ModelFacts(path=str(tmp_path / "model.gguf"), format="gguf"), ()) == {"": "export-other-format"}


def test_an_exporter_that_is_only_looked_at(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").touch()
    assert tried(ModelFacts(path=str(tmp_path / "model.onnx"), format="onnx"), ()) == {"tensorrt": "exporter-not-tried"}


def test_a_dangerous_file_is_given_to_nobody(script: ModelFacts) -> None:
    needs = ModelNeeds(classes=(NamedClass(name="os.system", risk="dangerous"),))
    model = ModelFacts(path=script.path, format="torchscript", needs=needs)
    assert set(tried(model, ("torch-export",)).values()) == {"dangerous"}


def test_a_model_that_does_not_fit_into_the_memory(script: ModelFacts) -> None:
    memories = (None, 7_000, 8_000)
    assert [jobs(script, ("torch-export",), memory)[0].reason for memory in memories] == ["", "no-memory", ""]
    (job,) = jobs(script, ("torch-export",))
    assert (job.argument["exporter"], job.argument["inputs"]) == ("torch-export", None)
    assert job.argument["safety"]["program_operators"]


# --- answers ----------------------------------------------------------------------------------------------------------


SPEC = ExportSpec("torch-export")


def answered(facts: dict[str, object] | None, **run: object) -> ExportRun:
    told = {} if facts is None else {"export": facts}
    return export_of(Answer(told, ProbeRun(probe="id", interpreter="python", **run)), SPEC)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_every_recording_is_read_whole(name: str) -> None:
    told, run = plain(name)["facts"]["export"], export(name)
    assert run.unread == {}
    assert run.exporter == told["exporter"]
    assert run.exported == told.get("exported")
    assert len(run.outputs or ()) == len(told.get("outputs", ()))
    assert run.versions


def test_a_crash_is_told_by_its_stage() -> None:
    run = answered({"exporter": "torch-export", "stage": "export", "loaded": True}, status="crashed", signal="SIGSEGV")
    assert (run.reason, run.exported, run.error and run.error.type) == ("crashed", False, "SIGSEGV")
    run = answered({"exporter": "torch-export", "stage": "compare", "exported": True}, status="crashed", exit_code=3)
    assert (run.exported, run.ran, run.error and run.error.type) == (True, False, "exit code 3")


def test_a_time_limit_is_no_failure() -> None:
    run = answered({"exporter": "torch-export", "stage": "export"}, status="timed-out")
    assert (run.reason, run.exported, run.error) == ("timed-out", None, None)


def test_a_memory_limit_is_no_failure() -> None:
    run = answered({"exporter": "torch-export", "stage": "export"}, status="too-much-memory", memory_limit=7)
    assert (run.reason, run.memory_limit, run.exported, run.error) == ("too-much-memory", 7, None, None)


def test_a_framework_that_does_not_start() -> None:
    run = answered(None, status="failed", detail="ImportError")
    assert (run.reason, run.error) == ("runtime-broken", ErrorText(type="failed", message="ImportError"))


def test_a_field_of_a_wrong_type_is_left_out() -> None:
    run = answered({"exporter": 3, "size": "large", "exported": True, "outputs": [{"max_abs": "much"}]})
    assert (run.exporter, run.exported, run.size, run.outputs) == ("torch-export", True, None, None)
    assert set(run.unread) == {"exporter", "size", "outputs"}


def test_one_that_was_not_tried_tells_what_is_there() -> None:
    run = not_exported(SPEC, "no-memory")
    assert (run.exporter, run.reason, run.exported) == ("torch-export", "no-memory", None)

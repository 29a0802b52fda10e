"""Which difference of a model is cut down, and what comes of the folder."""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from checks.engine import minimal
from checks.engine.plans.minimal import MinimalJob, Suspect, suspects
from checks.engine.processes.runner import Answer
from checks.facts import (
    ArrayDifference,
    ErrorText,
    Facts,
    MinimalGraph,
    ModelFacts,
    ModelMeasured,
    NumbersLost,
    ProbeRun,
)
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged

CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
APART = ArrayDifference(elements=10, differing=9, max_abs=0.9, scale=1.0)
NEAR = ArrayDifference(elements=10, differing=9, max_abs=1e-7, scale=1.0)
PLAIN = {"device": CPU, "setting": "ORT_DISABLE_ALL"}


def run(aspect: str, **more: Any) -> ModelMeasured:
    named = {"framework": "onnxruntime", "path": "/m/net.onnx", "device": CPU, "aspect": aspect}
    return ModelMeasured(**{**named, **more})


LEVEL = run("level", setting="ORT_ENABLE_ALL", other="ORT_DISABLE_ALL", difference=NEAR, bound=1e-6)
PROVIDER = run("device", device=CUDA, other=CPU, difference=APART, bound=1e-6, first_node="c", beyond_node="c")
LOST = run("lost", setting="default", lost=NumbersLost(kind="nan", source="node", node="log"))
FAILED = run(
    "threads", setting="threads-1", other="default", reason="failed", error=ErrorText(type="Fail", message="x")
)
BATCH = run("batch", setting="batch-1", other="batch-4", difference=APART, bound=1e-6)
SAME = run("threads", setting="threads-2", other="default", difference=ArrayDifference(elements=10, differing=0))


def facts(*measured: ModelMeasured, **more: Any) -> Facts:
    model = ModelFacts(path="/m/net.onnx", name="net.onnx", format="onnx")
    return Facts(models=(model,), measurements=measured, target="/venv/bin/python", here=True, **more)


@pytest.mark.parametrize(
    ("measured", "wanted"),
    [
        pytest.param((LEVEL,), Suspect(PLAIN, {"device": CPU, "setting": "ORT_ENABLE_ALL"}), id="rounding"),
        pytest.param(
            (LEVEL, PROVIDER, LOST),
            Suspect({"device": CPU, "setting": "default"}, {"device": CUDA, "setting": "default"}),
            id="beyond-rounding-first",
        ),
        pytest.param((LEVEL, LOST, FAILED), Suspect({"device": CPU, "setting": "default"}, None, "log"), id="lost"),
        pytest.param(
            (LEVEL, FAILED),
            Suspect({"device": CPU, "setting": "default"}, {"device": CPU, "setting": "threads-1"}),
            id="an-error-of-one-setting",
        ),
        pytest.param((BATCH, SAME), None, id="rows-and-what-is-the-same-are-nothing-to-cut"),
    ],
)
def test_the_worst_is_cut_down(measured: Iterable[ModelMeasured], wanted: Suspect | None) -> None:
    assert suspects(facts(*measured)).get("/m/net.onnx") == wanted


def test_a_second_python_is_compared_whatever_was_measured() -> None:
    (found,) = suspects(facts(), "/other/python").values()
    assert found.second == {"device": CPU, "setting": "default", "python": "/other/python"}


def test_it_is_offered_once_and_for_no_case_from_elsewhere() -> None:
    def offered(known: Facts) -> bool:
        return minimal.can_be_cut(judged(known, Answers(symptom="models")))

    assert offered(facts(PROVIDER))
    assert offered(facts(LEVEL, FAILED))
    assert not offered(facts(LEVEL))  # rounding is as it has to be
    assert not offered(facts(SAME))
    assert not offered(facts(PROVIDER, MinimalGraph(path="/m/net.onnx")))  # type: ignore[arg-type]
    assert not offered(Facts(models=facts().models, measurements=(PROVIDER,), target="/venv/bin/python"))


@pytest.fixture
def case() -> Case:
    return judged(facts(LEVEL), Answers(symptom="models"))


def cut(case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, **answer: Any) -> MinimalGraph:
    """The fact of a run whose process writes what it was asked for and answers this."""
    given: list[MinimalJob] = []

    def run_job(_self: Any, job: MinimalJob) -> Generator[Any, None, tuple[Answer, ...]]:
        given.append(job)
        part = Path(job.argument["folder"])
        assert not part.exists()
        part.mkdir()
        (part / "minimal.onnx").write_bytes(b"x")
        raw = {"kind": "minimal", "framework": "onnxruntime", "path": job.argument["path"], **answer}
        yield from ()
        ended = ProbeRun(probe=job.id, interpreter=job.interpreter, status="ok")
        return (Answer(facts={"measurements": [raw]}, run=ended),)

    monkeypatch.setattr(minimal.JobRunner, "run", run_job)
    steps = minimal.cut_down(case, folder)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            made: Case = ended.value
            break
    assert given[0].argument["first"] == PLAIN
    found = made.facts.measurements[-1]
    assert isinstance(found, MinimalGraph)
    return found


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_the_folder_appears_whole(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    found = cut(case, tmp_path / "out", monkeypatch, nodes_after=2, nodes_before=9)
    assert (found.folder, found.path) == (str(tmp_path / "out"), "/m/net.onnx")
    assert names(tmp_path / "out") == ["minimal.onnx"]
    assert names(tmp_path) == ["out"]


def test_what_was_not_found_leaves_nothing(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = cut(case, tmp_path / "out", monkeypatch, reason="not-shown-again")
    assert (found.folder, found.reason) == ("", "not-shown-again")
    assert names(tmp_path) == []

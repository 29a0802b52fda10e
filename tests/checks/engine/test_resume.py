"""What another process is to do when one ended in the middle, and what is told of the rest."""

from __future__ import annotations

from typing import Any

import pytest

from checks.engine import job_runner
from checks.engine.catalogues.computations import START, TIMES_BUDGET, ComputationSpec
from checks.engine.job_runner import JobRunner
from checks.engine.plans.compute import computation
from checks.engine.processes.runner import Answer, ProbeTask
from checks.engine.resume import Remaining
from checks.facts import ErrorText, Experiment, Facts, ProbeRun, Repeat, StageRun

SPEC = ComputationSpec("torch", "compute/torch/probe", {"repeat": 1.0, "experiment": 1.0}, 2.0)
TARGET = Facts(target="/venv/bin/python")
LOST = {"type": "RuntimeError", "message": "CUDA error: an illegal memory access was encountered"}
ENDED = [("imported", 3.0)]


def remaining(**seconds: float) -> Remaining:
    return Remaining(computation("computations:torch:cuda:0", SPEC, "cuda:0", seconds, TARGET, "quick"))


def named(operation: str, **more: Any) -> dict[str, Any]:
    return {"kind": "repeat", "operation": operation, "dtype": "float32", "setting": "default", **more}


def ended(
    status: str, stages: list[tuple[str, float]], running: str = "", seconds: float = 10.0, **facts: Any
) -> Answer:
    runs = [StageRun(name=name, ended=True, seconds=took) for name, took in stages]
    runs += [StageRun(name=running)] if running else []
    run = ProbeRun(probe="p", status=status, stages=tuple(runs), seconds=seconds)
    return Answer(facts=facts, run=run)


def test_what_ended_well_leaves_nothing() -> None:
    left = remaining(repeat=20.0, experiment=15.0)
    told = [named("matmul", repetitions=9), named("sum", reason="no-time")]
    left.ended(ended("ok", [*ENDED, ("repeat", 18.0), ("experiment", 11.0)], measurements=told, planned=told))
    assert left.seconds == {}
    assert [(measurement.operation, measurement.reason) for measurement in left.measurements()] == [
        ("matmul", ""),
        ("sum", "no-time"),
    ]
    assert left.used == pytest.approx(29.0)


def test_the_time_that_is_left_is_that_of_the_next_process() -> None:
    left = remaining(repeat=20.0, experiment=15.0)
    told = [named("matmul", repetitions=9, distinct=2), named("portrait", kind="portrait")]
    told.append(named("sort", repetitions=9, distinct=2, setting="threads-1"))
    planned = [named(each) for each in ("matmul", "sort", "sum")]
    died = ended("crashed", ENDED, "repeat", 9.0, measurements=told, measuring=named("sort"), planned=planned)
    left.ended(died)
    assert left.seconds == {"repeat": pytest.approx(14.0), "experiment": 15.0}
    assert left.argument() == {
        "done": [
            "repeat/matmul/float32/default",
            "repeat/sort/float32/threads-1",
            "repeat/sort/float32/default",
            "repeat/sort/float32/deterministic",  # nor in the mode in which it would most likely end the next process
        ],
        "varied": ["matmul"],
    }
    left.ended(ended("ok", [*ENDED, ("repeat", 1.0), ("experiment", 2.0)], measurements=[named("sum", repetitions=4)]))
    assert left.seconds == {}
    assert [(measurement.operation, measurement.reason) for measurement in left.measurements()] == [
        ("matmul", ""),
        ("portrait", ""),
        ("sort", ""),
        ("sort", "crashed"),
        ("sum", ""),
    ]


@pytest.mark.parametrize(("status", "took"), [("crashed", 19.5), ("timed-out", 90.0), ("too-much-memory", 21.0)])
def test_without_time_the_rest_is_listed(status: str, took: float) -> None:
    left = remaining(repeat=20.0)
    planned = [named(each) for each in ("matmul", "sort")]
    left.ended(ended(status, ENDED, "repeat", took + 3.0, measuring=named("matmul"), planned=planned))
    assert left.seconds == {}
    assert [(measurement.operation, measurement.reason) for measurement in left.measurements()] == [
        ("matmul", status),
        ("sort", "process-ended"),
    ]
    assert all(measurement.is_left_out == (measurement.operation == "sort") for measurement in left.measurements())


def test_a_process_that_goes_on_is_waited_for_as_long_as_its_own_work_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a device that hangs is waited for by the whole time again and again."""
    limits = []

    def hanging(task: ProbeTask, **_: Any) -> Answer:
        limits.append(task.time_limit)
        return ended("timed-out", ENDED, "repeat" if len(limits) == 1 else "experiment", 500.0)

    monkeypatch.setattr(job_runner, "run_probe", hanging)
    runner = JobRunner(lambda: False)
    whole = computation("c", SPEC, "cuda:0", {"repeat": 40.0, "experiment": 10.0}, TARGET, "standard")
    assert list(runner.run(whole))
    runner.stop()
    start = START["standard"]
    assert limits == [start + 50.0 * TIMES_BUDGET, start + 10.0 * TIMES_BUDGET]


def test_a_cancel_is_no_crash() -> None:
    left = remaining(repeat=20.0)
    left.ended(ended("cancelled", ENDED, "repeat", planned=[named("matmul"), named("sort")]))
    assert left.seconds == {}
    assert list(left.measurements()) == []


def test_what_a_lost_device_refused_is_tried_again_but_for_the_first() -> None:
    """One operation breaks CUDA's context, and all after it fail until the process ends."""
    left = remaining(repeat=20.0)
    failed = [named(each, reason="failed", error=LOST) for each in ("conv2d", "sort", "sum")]
    refused = [named(each, reason="device-lost") for each in ("cumsum", "fft")]
    told = [named("matmul", repetitions=9), *failed, *refused]
    left.ended(ended("crashed", ENDED, "repeat", 8.0, measurements=told, measuring=None, planned=told))
    assert left.argument()["done"] == ["repeat/matmul/float32/default", "repeat/conv2d/float32/default"]
    again = [named(each, repetitions=5) for each in ("sort", "sum", "cumsum", "fft")]
    left.ended(ended("ok", [*ENDED, ("repeat", 4.0)], measurements=again))
    assert [(measurement.operation, measurement.reason) for measurement in left.measurements()] == [
        ("matmul", ""),
        ("conv2d", "failed"),
        *((each, "") for each in ("sort", "sum", "cumsum", "fft")),
    ]


def test_a_device_that_stays_lost_is_told_so() -> None:
    left = remaining(repeat=20.0, experiment=5.0)
    told = [named(each, reason="failed", error=LOST) for each in ("conv2d", "sort", "sum")]
    told.append(named("fft", reason="device-lost"))
    left.ended(ended("crashed", ENDED, "repeat", 8.0, measurements=told))
    error = ErrorText(type="RuntimeError", message="CUDA error: no device", traceback=())
    run = ProbeRun(probe="p", status="failed", stages=(StageRun(name="imported", ended=True, error=error),))
    left.ended(Answer(facts={}, run=run))
    assert left.seconds == {}
    made = list(left.measurements())
    assert [each.reason for each in made] == ["failed", "failed", "failed", "device-lost", "failed"]
    assert isinstance(made[-1], Experiment)


def test_what_was_measured_stays_when_it_dies_as_it_is_repeated_on() -> None:
    left = remaining(repeat=20.0)
    stages = [*ENDED, ("repeat", 9.0)]
    told = [named("matmul", repetitions=9), named("sum", reason="no-time"), named("sum", repetitions=3)]
    left.ended(ended("crashed", stages, "more", 13.0, measurements=told, measuring=named("matmul")))
    assert left.seconds == {}
    made = [measurement for measurement in left.measurements() if isinstance(measurement, Repeat)]
    assert [(each.operation, each.repetitions, each.reason) for each in made] == [
        ("matmul", 9, ""),
        ("sum", 3, ""),
        ("matmul", 0, "crashed"),
    ]


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        # As CUDA's runtime words its error 46, and PyTorch around it.
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "device-busy"),
        ("CUDA error: all CUDA-capable devices are busy or unavailable", "device-busy"),
        # As TensorFlow and JAX pass on what the driver calls it.
        ("INTERNAL: failed initializing StreamExecutor for CUDA device: CUDA_ERROR_DEVICE_UNAVAILABLE", "device-busy"),
        ("CUDA error: out of memory", "failed"),
    ],
)
def test_a_second_process_that_the_gpu_refuses_is_told_in_words(message: str, reason: str) -> None:
    left = remaining(experiment=15.0)
    error = ErrorText(type="RuntimeError", message=message, traceback=())
    run = ProbeRun(probe="p", status="failed", stages=(StageRun(name="imported", ended=True, error=error),))
    left.ended(Answer(facts={}, run=run))
    (made,) = left.measurements()
    assert isinstance(made, Experiment)
    assert (made.reason, made.device, made.error) == (reason, "cuda:0", error)

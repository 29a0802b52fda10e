"""A card that is lost in the middle, or has too little memory: what was measured is kept, and the rest goes on."""

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.simulated_cuda import planted

from checks.engine.catalogues.computations import COMPUTATION_PROBES, argument_of, measurements_of
from checks.engine.plans.compute import computation
from checks.engine.processes.runner import Answer, ProbeTask, run_probe
from checks.engine.resume import Remaining
from checks.facts import Experiment, Facts, Measurement

SPEC = next(computation_probe for computation_probe in COMPUTATION_PROBES if computation_probe.framework == "torch")
OPERATIONS = ("index-add", "matmul", "sum", "addmm", "einsum", "cumsum", "sort", "norm", "topk")
SMALL = {
    "naosu_probes.compute.torch.repeat": {
        "SCALE_OF_DEVICE": 1 / 64,
        "LARGEST": 1 / 64,
        "MOST": {"quick": 2},
        "FAR": 2,
    },
    "naosu_probes.compute.kit": {"SURE": 2, "OTHERS": 1},
    "naosu_probes.compute.torch.compiled": {"COMPILE_OF": ()},
    "naosu_probes.compute.timing": {"ENOUGH": 1, "LEAST": 1},
    "naosu_probes.compute.bits.fingerprint": {"_TRIAL_COPIES": (4, 4)},
}


Run = Callable[..., Answer]


@pytest.fixture(scope="module")
def run(torch_python: str) -> Run:
    """One process of the probe, on a card on which this is planted."""
    return functools.partial(_run, torch_python)


def _run(python: str, seconds: Mapping[str, float], more: Mapping[str, Any] | None = None, **options: Any) -> Answer:
    task = ProbeTask(
        probe="compute_torch",
        script=SPEC.script,
        interpreter=python,
        argument={**argument_of("cuda:0", "quick", seconds), **(more or {})},
        time_limit=120.0,
        environment=planted(module=SMALL, operations=OPERATIONS, **options),
    )
    return run_probe(task)


def test_a_process_that_loses_the_card_ends_and_the_next_goes_on_behind_what_broke_it(run: Run) -> None:
    """As after an illegal memory access: nothing computes in that process any more, and all in a new one."""
    seconds = {"repeat": 40.0, "portrait": 40.0}
    job = computation("computations:torch:cuda:0", SPEC, "cuda:0", seconds, Facts(target=sys.executable), "quick")
    remaining = Remaining(job)
    first = run(seconds, fails=(900, "CUDA error: an illegal memory access was encountered"))
    assert (first.run.status, first.run.exit_code, first.run.last_stage) == ("crashed", 75, "repeat")
    remaining.ended(first)
    assert {measurement.reason for measurement in remaining.measurements()} == {"", "failed", "device-lost"}
    assert list(remaining.seconds) == ["repeat", "portrait"]
    second = run(remaining.seconds, remaining.argument())
    assert second.run.status == "ok"
    remaining.ended(second)
    made = list(remaining.measurements())
    failed = [each for each in made if each.reason not in ("", "no-deterministic-form")]
    assert [each.reason for each in failed] == ["failed"]  # what broke it, alone
    repeated = {(each.operation, each.setting) for each in made if type(each).__name__ == "Repeat"}
    assert repeated >= {(name, setting) for name in OPERATIONS for setting in ("default", "deterministic")}
    assert any(type(each).__name__ == "Portrait" for each in made)
    assert len({(type(each), each.operation, each.dtype, each.setting) for each in made}) == len(made)


@pytest.fixture(scope="module")
def short_of_memory(run: Run) -> tuple[Measurement, ...]:
    """A card on which 6 MB are free."""
    answer = run({"repeat": 20.0, "experiment": 2.0, "precision": 20.0, "flip": 20.0, "portrait": 20.0}, memory=6 << 20)
    assert answer.run.status == "ok", answer.run
    assert [stage.error for stage in answer.run.stages if stage.error] == []
    return tuple(measurements_of(answer, "compute_torch_probe.py"))


def test_too_little_memory_is_no_lost_device(short_of_memory: tuple[Measurement, ...]) -> None:
    """Every kind tells what had too little, and goes on with what has enough."""
    assert "device-lost" not in {each.reason for each in short_of_memory}
    kinds = {type(each).__name__ for each in short_of_memory if not each.reason}
    assert kinds >= {"Repeat", "Precision", "Portrait"}
    without = [each for each in short_of_memory if each.reason == "no-memory"]
    assert any(isinstance(each, Experiment) for each in without)
    assert all(each.error is not None and "out of memory" in each.error.message for each in without)

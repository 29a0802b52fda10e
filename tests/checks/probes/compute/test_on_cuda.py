"""What computes on CUDA, on a card that is simulated: all stages run, and the verdict names what was planted, alone."""

import functools
import importlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support import simulated_cuda
from support.extent import some
from support.simulated_cuda import planted

from checks.analysis.numbers.digits import MEASURED, shorter_format
from checks.engine.catalogues.computations import COMPUTATION_PROBES, argument_of
from checks.engine.plans.compute import computation
from checks.engine.processes.runner import ProbeTask, run_probe
from checks.engine.resume import Remaining
from checks.facts import (
    Experiment,
    Facts,
    Flip,
    FrameworkDevice,
    Frameworks,
    Health,
    Measurement,
    Portrait,
    Precision,
    Repeat,
    Symptom,
    TorchFacts,
)
from checks.facts.finding import Finding, Status
from checks.judgement.judge import judge_each

DEVICE = "cuda:0"
SPEC = next(computation_probe for computation_probe in COMPUTATION_PROBES if computation_probe.framework == "torch")
FEW = 10  # repetitions, which tell where what varies does so each time
SMALL = {
    "naosu_probes.compute.torch.repeat": {
        "SCALE_OF_DEVICE": 1 / 256,
        "LARGEST": 1 / 256,
        "MOST": {"quick": FEW},
        "FAR": 2,
    },
    "naosu_probes.compute.kit": {"SURE": FEW, "OTHERS": FEW},
    "naosu_probes.compute.torch.compiled": {"COMPILE_OF": ()},
    "naosu_probes.compute.timing": {"ENOUGH": 1, "LEAST": 1},
    "naosu_probes.compute.bits.fingerprint": {"_TRIAL_COPIES": (4, 4)},
    "naosu_probes.compute.experiments": {
        "PICTURES": 64,
        "VALIDATION": 16,
        "STEPS": 4,
        "BATCH": 4,
        "SUMS": 3,
        "RUNS": 2,
        "_LADDER": [[4, 2, 2]],
    },
    "naosu_probes.compute.torch.health": {"SIZE_OF_DEVICE": 256, "SIZE_OF_HALF": 128, "PART_OF_MEMORY": 1 / 64},
}
SUITE = [operation.name for operation in importlib.import_module("checks.probes.compute.torch.operations").OPERATIONS]
TOLD = (
    *("index-add", "scatter-add", "conv2d-backward", "grid-sample-backward", "bincount-weights", "histc", "cumsum"),
    *("ctc-loss-backward", "max-unpool2d", "matmul", "sum", "sort", "dropout", "linear-backward"),
    "index-put-accumulate",
)  # operations of which a verdict below speaks, or keeps silent
MEASURED_ON_AMPERE = {"conv2d", *TOLD, *some([name for name in SUITE if name not in TOLD], 20)}
AMPLE = 120.0  # seconds: for what ends by itself
MOMENT = 0.5  # of what fills the time it has


Computed = Callable[..., tuple[Measurement, ...]]


@pytest.fixture(scope="module")
def computed(torch_python: str) -> Computed:
    """What the probe tells of a card with this planted. After a crash a new process goes on, as in the engine."""
    return functools.partial(_computed, torch_python)


def _computed(
    python: str,
    seconds: Mapping[str, float],
    setting: str = "default",
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> tuple[Measurement, ...]:
    job = computation("compute_torch", SPEC, DEVICE, seconds, Facts(target=sys.executable), "quick")
    remaining = Remaining(job)
    while remaining.seconds:
        task = ProbeTask(
            probe="compute_torch",
            script=SPEC.script,
            interpreter=python,
            argument={**argument_of(DEVICE, "quick", remaining.seconds, setting), **remaining.argument()},
            time_limit=10 * AMPLE,
            environment={
                **planted(**{"module": SMALL, **options}),
                "SIMULATED_CUDA_PYTHON": python,
                **(environment or {}),
            },
        )
        answer = run_probe(task)
        assert [stage.error for stage in answer.run.stages if stage.error and stage.name != "imported"] == []
        remaining.ended(answer)
    return tuple(remaining.measurements())


def verdict(measurements: tuple[Measurement, ...]) -> dict[str, Finding]:
    """What all checks find in it."""
    torch = TorchFacts(
        version="2.13.0", cuda_version="13.0", build="cuda", imported=True, devices=(FrameworkDevice(device=DEVICE),)
    )
    facts = Facts(
        frameworks=Frameworks(torch=torch),
        measurements=measurements,
        symptom=Symptom(name="results-change", exactness="bits"),
    )
    outcomes = list(judge_each(facts))
    assert [each for each in outcomes if each.status is Status.CRASHED] == []
    return {finding.cause: finding for outcome in outcomes for finding in outcome.findings}


def evidence(finding: Finding, name: str) -> str:
    return " / ".join(each.value for each in finding.evidence if each.name == name)


def repeats(measurements: Iterable[Measurement], setting: str = "default") -> dict[str, Repeat]:
    return {
        measurement.operation: measurement
        for measurement in measurements
        if isinstance(measurement, Repeat) and measurement.setting == setting
    }


# --- a card of the Ampere generation ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ampere(computed: Computed) -> tuple[Measurement, ...]:
    """A card with atomic additions, TensorFloat-32 and cuDNN's tuning."""
    ample = dict.fromkeys(("repeat", "experiment", "precision", "flip", "portrait"), AMPLE)
    operations = tuple(MEASURED_ON_AMPERE)
    return computed(ample | {"health": MOMENT}, operations=operations, order=True, tf32=True, autotune=True)


def test_everything_runs(ampere: tuple[Measurement, ...]) -> None:
    assert {type(each) for each in ampere if not each.reason} == {
        Experiment,
        Flip,
        Health,
        Portrait,
        Precision,
        Repeat,
    }
    assert {each.reason for each in ampere} <= {"", "no-deterministic-form"}
    assert set(repeats(ampere)) == MEASURED_ON_AMPERE
    assert {repeat.reason for repeat in repeats(ampere).values()} == {""}


def test_what_atomic_additions_make_vary_is_named_with_what_mends_it(ampere: tuple[Measurement, ...]) -> None:
    found = verdict(ampere)["nondeterministic-op"]
    varying = {each.value.partition(":")[0] for each in found.evidence if each.name == "varying_operation"}
    assert {"index-add", "scatter-add", "conv2d-backward", "grid-sample-backward", "bincount-weights"} <= varying
    # What adds nothing to one place, what cuBLAS computes, and what CUDA sorts first.
    assert not {"matmul", "sum", "sort", "dropout", "linear-backward", "index-put-accumulate"} & varying
    mended = dict(each.split(": ") for each in evidence(found, "mended_by").split("; "))
    assert mended["index-add"] == "deterministic"
    assert mended["conv2d-backward"] == "deterministic, cudnn-deterministic, cudnn-off"
    assert "grid-sample-backward" not in mended
    assert "digits-network" in varying  # trained again with the same seeds


def test_whole_numbers_show_that_it_is_the_order(ampere: tuple[Measurement, ...]) -> None:
    exact = repeats(ampere, "exact-inputs")
    assert {"index-add", "conv2d-backward"} <= exact.keys()
    assert {each.distinct for each in exact.values()} == {1}


def test_what_has_no_deterministic_form_is_named(ampere: tuple[Measurement, ...]) -> None:
    found = verdict(ampere)["deterministic-mode-op-unsupported"]
    refused = set(evidence(found, "refused_operations").split(", "))
    assert {"histc", "ctc-loss-backward", "grid-sample-backward", "max-unpool2d", "cumsum"} <= refused
    assert not {"index-add", "conv2d-backward", "matmul"} & refused


def test_tensorfloat_is_named_where_the_flags_allow_it(ampere: tuple[Measurement, ...]) -> None:
    """By PyTorch's defaults cuDNN may use it and cuBLAS may not."""
    found = verdict(ampere)["tf32-enabled"]
    assert found.confidence == MEASURED
    assert evidence(found, "operations_apart") == "conv2d, network"
    assert evidence(found, "operations_in_full") == "matmul, linear, attention"
    assert evidence(found, "restored_by") == "conv2d: tf32-off, network: tf32-off"
    digits = {(each.operation, each.setting): each for each in ampere if isinstance(each, Precision)}
    for setting in ("tf32-on", "tf32-on-flags", "precision-high", "precision-medium"):
        assert shorter_format(digits["matmul", setting]) == "tf32", setting
    for operation in ("matmul", "conv2d"):
        for setting in ("tf32-off", "tf32-off-flags", "cudnn-off"):
            assert shorter_format(digits[operation, setting]) is None, (operation, setting)


def test_tuning_that_chooses_otherwise_is_named(ampere: tuple[Measurement, ...]) -> None:
    assert repeats(ampere, "autotune")["conv2d"].varies
    assert "conv2d" in evidence(verdict(ampere)["cudnn-autotune"], "autotuned")


def test_nothing_else_is_claimed(ampere: tuple[Measurement, ...]) -> None:
    """Another order in a batch of one row is the processor's own, which computes for the card."""
    assert set(verdict(ampere)) == {
        "batch-size-rounding",
        "cudnn-autotune",
        "deterministic-mode-op-unsupported",
        "nondeterministic-op",
        "tf32-enabled",
    }


def test_the_same_bits_are_found_on_the_card_and_on_the_processor(torch_python: str) -> None:
    """Inputs, fingerprints by both ways, portraits and differences of every type; what a card refuses is refused."""
    script = Path(simulated_cuda.__file__).with_name("same_bits.py")
    told = subprocess.run(
        [torch_python, "-B", str(script)],
        env={**os.environ, **planted()},
        capture_output=True,
        text=True,
        check=False,
        timeout=10 * AMPLE,
    )
    assert told.stdout.split("\n") == ["[]"] * 3 + [""], told.stdout + told.stderr


# --- other cards ------------------------------------------------------------------------------------------------------


def test_silent_on_a_card_that_repeats_and_computes_in_full(computed: Computed) -> None:
    operations = ("index-add", "conv2d-backward", "matmul", "dropout", "randn")
    seconds = dict.fromkeys(("repeat", "flip", "portrait"), AMPLE) | {"precision": MOMENT, "health": MOMENT}
    made = computed(seconds, operations=operations)
    assert {each.distinct for each in made if isinstance(each, Repeat)} == {1}
    assert set(verdict(made)) <= {"batch-size-rounding"}


@pytest.fixture(scope="module")
def limited(computed: Computed) -> tuple[Measurement, ...]:
    """A card without float64, under a PyTorch that wants cuBLAS' variable, as until 2.9."""
    seconds = dict.fromkeys(("repeat", "experiment", "flip", "portrait"), AMPLE)
    operations = ("index-add", "matmul", "matmul-float64", "lstm-backward")
    return computed(seconds, operations=operations, order=True, workspace=True, float64=False)


def test_the_variable_of_cublas_is_tried_in_a_process_of_its_own(limited: tuple[Measurement, ...]) -> None:
    refused = repeats(limited, "deterministic")
    assert {name for name, each in refused.items() if each.reason == "workspace-not-set"} == {"matmul", "lstm-backward"}
    again = repeats(limited, "deterministic-workspace")
    assert {name: each.distinct for name, each in again.items()} == {"matmul": 1, "lstm-backward": 1}


def test_what_a_card_without_float64_computes_is_measured(limited: tuple[Measurement, ...]) -> None:
    made = repeats(limited)
    assert made["matmul-float64"].reason == "not-on-device"
    assert made["index-add"].spread is not None  # compared on the processor
    assert {each.reason for each in limited if not isinstance(each, Repeat | Flip)} == {""}
    assert {each.reason for each in limited if isinstance(each, Flip)} == {"", "workspace-not-set"}
    assert "float64" not in {each.setting for each in limited if isinstance(each, Flip)}
    assert "float64" not in {each.dtype for each in limited if isinstance(each, Experiment)}
    assert any(isinstance(each, Portrait) for each in limited)


def test_the_experiments_in_the_mode_that_lacks_a_form_of_some(computed: Computed) -> None:
    variable = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    made = computed({"experiment": AMPLE}, "deterministic-workspace", variable, order=True, workspace=True)
    running = [each for each in made if each.operation == "sum-of-squares-running"]
    assert {each.reason for each in running} == {"no-deterministic-form"}
    others = [each for each in made if isinstance(each, Experiment) and each not in running]
    assert {other.distinct for other in others} == {1}


def test_a_bit_that_flips_under_load_is_named_also_where_memory_is_short(computed: Computed) -> None:
    health = {"naosu_probes.compute.torch.health": {"SIZE_OF_DEVICE": 128, "SIZE_OF_HALF": 128, "MEMORY_TURN": 2}}
    health["naosu_probes.compute.torch.repeat"] = {**SMALL["naosu_probes.compute.torch.repeat"], "MOST": {"quick": 3}}
    seconds = {"repeat": AMPLE, "health": 2 * MOMENT}
    made = computed(seconds, operations=("index-add",), memory=8 << 20, flips=20, module=SMALL | health)
    assert {each.reason for each in made} == {""}
    (load,) = (each for each in made if isinstance(each, Health))
    assert sum(each.elements for each in load.wrong) == 1
    assert "wrong bits under load: 1/" in evidence(verdict(made)["gpu-hardware-fault"], "signs")

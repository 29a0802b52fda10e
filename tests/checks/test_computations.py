"""Which devices compute, how the time is shared, and what becomes of a process that dies while it computes."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checks import computations as planning
from checks import engine
from checks.case import Answers, Case, decode, judged, to_builtins
from checks.computations import budget, computations, is_wanted
from checks.engine import Request, examine
from checks.events import Finished, Measured, Planned, Progress
from checks.facts import (
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    Package,
    Repeat,
    TensorFlowFacts,
    TorchFacts,
)
from checks.finding import Status
from checks.interpreters import read_interpreter
from checks.probes import computation_catalogue
from checks.probes.computation_catalogue import ComputationSpec, Setting

WORKS = KernelLaunch(ran=True, correct=True)
SPEC = ComputationSpec("torch", "compute_torch", {"repeat": 3.0, "precision": 1.0}, 2.0)

# A probe whose second kind ends its process in the middle of an operation.
SCRIPT = """
import os
import naosu_compute_kit as compute

NAMED = {"kind": "repeat", "framework": "torch", "device": "cpu"}


def first(argument):
    if "first" in argument["seconds"]:
        entries = [(dict(NAMED, operation="matmul"), 2), (dict(NAMED, operation="conv2d"), None)]
        yield from compute.measure(entries, compute.Clock(9.0), lambda what, clock: {"repetitions": what + 1})


def second(argument):
    if "second" in argument["seconds"]:
        yield compute.measuring(dict(NAMED, operation="sort"))
        os._exit(3)


def third(argument):
    if "third" in argument["seconds"]:
        yield compute.told(dict(NAMED, operation="cumsum", repetitions=7))
        yield compute.told({"kind": "of-a-newer-version"})


STAGES = (first, second, third)
ESSENTIAL = ()
"""


@pytest.fixture(autouse=True)
def _usual_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much as an examination has outside of tests."""
    monkeypatch.setattr(planning, "BUDGET", {"quick": 10.0, "standard": 60.0, "thorough": 600.0})


def facts(*devices: FrameworkDevice, imported: bool = True) -> Facts:
    return Facts(target="/venv/bin/python", frameworks=Frameworks(torch=TorchFacts(imported=imported, devices=devices)))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (SPEC,))


@pytest.mark.usefixtures("known")
def test_each_device_that_computes_gets_a_process_and_an_accelerator_comes_first_with_more_time() -> None:
    cpu, gpu = FrameworkDevice(device="cpu", kernel=WORKS), FrameworkDevice(device="cuda:0", kernel=WORKS)
    broken = FrameworkDevice(device="cuda:1", kernel=KernelLaunch(ran=False))
    planned = computations(facts(cpu, broken, gpu), "standard")
    assert [each.id for each in planned] == ["computations:torch:cuda:0", "computations:torch:cpu"]
    assert [sum(each.seconds.values()) for each in planned] == [pytest.approx(40.0), pytest.approx(20.0)]
    assert planned[0].seconds == {"repeat": pytest.approx(30.0), "precision": pytest.approx(10.0)}


@pytest.mark.usefixtures("known")
def test_the_last_kinds_are_left_out_where_the_time_is_short() -> None:
    devices = [FrameworkDevice(device=f"cuda:{index}", kernel=WORKS) for index in range(4)]
    planned = computations(facts(*devices), "quick")
    assert [dict(each.seconds) for each in planned] == [{"repeat": 2.5}] * 4


def test_a_setting_that_holds_from_the_start_gets_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    strict = Setting("deterministic", kinds=("repeat",), environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"})
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (replace(SPEC, settings=(Setting(), strict)),))
    cpu = facts(FrameworkDevice(device="cpu", kernel=WORKS))
    planned = computations(cpu, "thorough")
    assert [each.id for each in planned] == ["computations:torch:cpu", "computations:torch:cpu:deterministic"]
    assert planned[1].setting.environment == {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
    assert [dict(each.seconds) for each in planned] == [
        {"repeat": pytest.approx(600 * 3 / 7), "precision": pytest.approx(600 / 7)},
        {"repeat": pytest.approx(600 * 3 / 7)},
    ]
    # What is left out first where the time is short is the last kind, then the last setting of the one before.
    monkeypatch.setattr(planning, "BUDGET", {"quick": 2.5})
    assert [dict(each.seconds) for each in computations(cpu, "quick")] == [{"repeat": 1.25}, {"repeat": 1.25}]
    monkeypatch.setattr(planning, "BUDGET", {"quick": 1.5})
    assert [dict(each.seconds) for each in computations(cpu, "quick")] == [{"repeat": 1.5}]


def test_a_setting_of_accelerators_gets_none_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, settings=(Setting(), Setting("workspace", only_accelerators=True)))
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec,))
    cpu, gpu = FrameworkDevice(device="cpu", kernel=WORKS), FrameworkDevice(device="cuda:0", kernel=WORKS)
    assert [each.id for each in computations(facts(cpu, gpu), "standard")] == [
        "computations:torch:cuda:0",
        "computations:torch:cuda:0:workspace",
        "computations:torch:cpu",
    ]


def test_the_processor_has_its_share_by_whatever_name_and_no_device_is_counted_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (replace(SPEC, framework="tensorflow"),))
    names = ("CPU:0", "XLA_CPU:0", "GPU:0", "XLA_GPU:0")
    devices = tuple(FrameworkDevice(device=name, kernel=WORKS) for name in names)
    planned = computations(Facts(frameworks=Frameworks(tensorflow=TensorFlowFacts(devices=devices))), "standard")
    assert [(each.device, sum(each.seconds.values(), 0.0)) for each in planned] == [
        ("GPU:0", pytest.approx(40.0)),
        ("CPU:0", pytest.approx(20.0)),
    ]


def test_a_package_that_is_no_framework_computes_on_the_processor_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = replace(SPEC, framework="numpy", package="numpy", share=0.5)
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (SPEC, spec))
    devices = (FrameworkDevice(device="cpu", kernel=WORKS),)
    with_numpy = InterpreterFacts(path="/venv/bin/python", packages=(Package(name="numpy", version="2.3.5"),))
    told = Facts(
        target=with_numpy.path, interpreters=(with_numpy,), frameworks=Frameworks(torch=TorchFacts(devices=devices))
    )
    planned = computations(told, "standard")
    assert [(each.id, sum(each.seconds.values(), 0.0)) for each in planned] == [
        ("computations:torch:cpu", pytest.approx(40.0)),
        ("computations:numpy:cpu", pytest.approx(20.0)),
    ]
    without = InterpreterFacts(path=with_numpy.path, packages=())
    assert [each.spec.framework for each in computations(facts(*devices), "standard")] == ["torch"]
    told = Facts(target=without.path, interpreters=(without,))
    assert computations(told, "standard") == ()


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("told", [facts(), facts(FrameworkDevice(device="cpu", kernel=WORKS), imported=False), Facts()])
def test_nothing_is_planned_where_nothing_computes(told: Facts) -> None:
    assert computations(told, "thorough") == ()


@pytest.mark.usefixtures("known")
def test_only_questions_about_results_are_computed() -> None:
    assert [is_wanted(each) for each in ("results-change", "results-differ", "everything")] == [True] * 3
    assert not is_wanted("does-not-start")
    assert budget("not-on-gpu", "thorough") == 0.0
    assert budget("everything", "quick") == 10.0


def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, symptom: str = "results-change") -> list[Any]:
    """The events of an examination of this interpreter, in which only the probe above computes."""
    script = tmp_path / "dying_probe.py"
    script.write_text(SCRIPT, encoding="utf-8")
    spec = replace(SPEC, kinds={"first": 1.0, "second": 1.0, "third": 1.0}, stem="dying")
    monkeypatch.setattr(computation_catalogue, "HERE", tmp_path)
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec,))
    kept = tuple(each for each in engine.PROBES if each.id in ("machine", "nvidia", "torch"))
    monkeypatch.setattr(engine, "PROBES", kept)
    target = read_interpreter(sys.executable, found_by=("chosen",))
    answers = Answers(symptom=symptom, effort="quick")
    return list(examine(Request(answers=answers, target=target.path, interpreters=(target,))))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    return lambda symptom="results-change": examined(tmp_path, monkeypatch, symptom)


def case_of(events: list[Any]) -> Case:
    assert isinstance(events[-1], Finished)
    return events[-1].case


def test_a_process_that_dies_leaves_the_operation_and_the_other_kinds_go_on(run: Callable[..., list[Any]]) -> None:
    events = run()
    measured = case_of(events).facts.measurements
    assert [(each.operation, each.reason) for each in measured] == [
        ("matmul", ""),
        ("conv2d", "failed"),
        ("sort", "crashed"),
        ("cumsum", ""),
    ]
    assert measured[1].error is not None
    assert measured[1].error.type == "TypeError"
    assert measured[2].error is not None
    assert "exit code 3" in measured[2].error.type
    assert isinstance(measured[0], Repeat)
    assert measured[0].repetitions == 3
    assert measured[0].origin == f"dying_probe.py in {sys.executable}"
    probes = case_of(events).facts.probes
    assert probes is not None
    ended = [(each.status, [stage.name for stage in each.stages]) for each in probes.runs if "torch:cpu" in each.probe]
    assert ended == [("crashed", ["first", "second"]), ("ok", ["first", "second", "third"])]
    live = [event.measurement.operation for event in events if isinstance(event, Measured)]
    assert live == ["matmul", "conv2d", "cumsum"]  # as they come; what died is known at the end
    shares = [event.share for event in events if isinstance(event, Progress)]
    assert shares == sorted(shares)
    assert any("computations:torch:cpu" in event.probes for event in events if isinstance(event, Planned))


def test_a_question_that_needs_no_computing_gets_none(run: Callable[..., list[Any]]) -> None:
    case = case_of(run("not-on-gpu"))
    assert case.facts.measurements == ()
    assert case.facts.missing["measurements"] == "not-asked"


def test_a_case_with_measurements_of_a_newer_version_opens_with_the_others() -> None:
    measured = (Repeat(operation="matmul", repetitions=3),)
    case = judged(Facts(measurements=measured), Answers())
    plain = to_builtins(case)
    plain["facts"]["measurements"] += [{"kind": "of-a-newer-version", "what": 1}, "no measurement"]
    again = decode(json.dumps(plain).encode())
    assert again.facts.measurements == measured
    assert not [each for each in again.outcomes if each.status is Status.CRASHED]


def test_a_load_test_of_a_chosen_length_goes_beside_the_rest_or_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, kinds={"repeat": 3.0, "health": 1.0})
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec, replace(SPEC, framework="numpy", package="numpy")))
    cpu = facts(FrameworkDevice(device="cpu", kernel=WORKS))
    (beside,) = computations(cpu, "standard", 300.0)
    assert beside.seconds == {"repeat": pytest.approx(45.0), "health": 300.0}
    (alone,) = computations(cpu, "standard", 300.0, only_load=True)
    assert alone.seconds == {"health": 300.0}
    assert budget("does-not-start", "quick", 300.0) == 300.0

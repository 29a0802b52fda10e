"""Which devices compute, how the time is shared, and what becomes of a process that dies while it computes."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from checks.engine.catalogues.computations import COMPUTATION_PROBES, ComputationJob, ComputationSpec, Setting
from checks.engine.events import Finished, Measured, Planned, Progress
from checks.engine.examination import examine
from checks.engine.plans import ask as ask_plan
from checks.engine.plans import compute as planning
from checks.engine.plans.compute import BUDGET, budget, compute_jobs, is_wanted, with_saved
from checks.engine.request import Request
from checks.engine.resume import MOST
from checks.facts import (
    Facts,
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    JaxFacts,
    KernelLaunch,
    Package,
    Repeat,
    TensorFlowFacts,
    TorchFacts,
)
from checks.facts.case import Answers, Case
from checks.facts.finding import Status
from checks.interpreters import read_interpreter
from checks.judgement.judge import judged
from checks.sharing.case import decode, to_builtins

WORKS = KernelLaunch(ran=True, correct=True)
SPEC = ComputationSpec("torch", "compute/torch/probe", {"repeat": 3.0, "precision": 1.0}, 2.0)

# A probe whose second kind ends its process in the middle of an operation.
SCRIPT = """
import os
from naosu_probes.compute import kit as compute

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
        yield compute.facts_of(dict(NAMED, operation="cumsum", repetitions=7))
        yield compute.facts_of({"kind": "of-a-newer-version"})


STAGES = (first, second, third)
ESSENTIAL = ()
"""


@pytest.fixture(autouse=True)
def _usual_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As much as an examination has outside of tests."""
    monkeypatch.setattr(planning, "BUDGET", {"quick": 10.0, "standard": 60.0, "thorough": 600.0})


def facts(*devices: FrameworkDevice, imported: bool = True) -> Facts:
    return Facts(target="/venv/bin/python", frameworks=Frameworks(torch=TorchFacts(imported=imported, devices=devices)))


def asked(symptom: str, effort: str, load: float | None = None) -> Request:
    return Request(answers=Answers(symptom=symptom, effort=effort), load=load)


def computations(facts: Facts, effort: str, load: float | None = None) -> tuple[ComputationJob, ...]:
    return compute_jobs(facts, asked("everything", effort, load))


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


@pytest.mark.parametrize("effort", ["quick", "standard", "thorough"])
def test_all_frameworks_on_all_devices_share_the_time_of_the_effort(effort: str) -> None:
    """Three frameworks, two cards: as long in all as one framework on the processor."""
    devices = {
        "torch": ("cpu", "cuda:0", "cuda:1"),
        "tensorflow": ("CPU:0", "GPU:0", "GPU:1"),
        "jax": ("cpu:0", "gpu:0", "gpu:1"),
    }
    types = {"torch": TorchFacts, "tensorflow": TensorFlowFacts, "jax": JaxFacts}
    frameworks = {
        name: types[name](devices=tuple(FrameworkDevice(device=each, kernel=WORKS) for each in devices[name]))
        for name in types
    }
    target = InterpreterFacts(path="/venv/bin/python", packages=(Package(name="numpy", version="2.3.5"),))
    told = Facts(target=target.path, interpreters=(target,), frameworks=Frameworks(**frameworks))
    planned = computations(told, effort)
    assert {(each.spec.framework, each.argument["device"]) for each in planned} == {
        ("numpy", "cpu"),
        *((name, device) for name, of in devices.items() for device in of),
    }
    assert sum(s for each in planned for s in each.seconds.values()) == pytest.approx(BUDGET[effort])
    on_cards = [each for each in planned if not each.argument["device"].lower().startswith("cpu")]
    assert planned[: len(on_cards)] == tuple(on_cards)  # what is asked about most often comes first
    if effort != "quick":
        assert all(s >= 1 for each in planned for s in each.seconds.values() if each.spec.framework != "numpy")
    if effort == "thorough":
        assert {kind for on_card in on_cards for kind in on_card.seconds} >= {
            "repeat",
            "experiment",
            "precision",
            "health",
        }


@pytest.mark.parametrize("took", [0.5, 1.0, 1.5])
def test_what_one_process_leaves_of_its_time_the_next_ones_have(monkeypatch: pytest.MonkeyPatch, took: float) -> None:
    """... and what one takes too much they lack: the time of all stays that of the effort."""
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (SPEC,))
    devices = [FrameworkDevice(device=f"cuda:{index}", kernel=WORKS) for index in range(3)]
    planned = computations(facts(*devices), "standard")
    first = sum(planned[0].seconds.values())
    saved, all_used = first - first * took, first * took
    for place, each in enumerate(planned[1:], 1):
        given = with_saved(each, saved, planned[place:], None)
        used = sum(given.seconds.values())  # all of it
        all_used, saved = all_used + used, saved + sum(each.seconds.values()) - used
        assert list(given.seconds) == list(each.seconds)
    assert all_used == pytest.approx(60.0)


def test_a_load_of_a_chosen_length_is_no_longer_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, kinds={"repeat": 3.0, "health": 1.0})
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec,))
    planned = computations(facts(FrameworkDevice(device="cpu", kernel=WORKS)), "standard", 300.0)
    assert with_saved(planned[0], 15.0, planned, 300.0).seconds == {"repeat": pytest.approx(60.0), "health": 300.0}
    assert with_saved(planned[0], -900.0, planned, 300.0).seconds["repeat"] == pytest.approx(45.0 / 4)


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
    assert planned[1].environment == {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", "OMP_WAIT_POLICY": "passive"}
    assert [dict(each.seconds) for each in planned] == [
        {"repeat": pytest.approx(600 * 3 / 7), "precision": pytest.approx(600 / 7)},
        {"repeat": pytest.approx(600 * 3 / 7)},
    ]
    # What is left out first where the time is short is the last kind, then the last setting of the one before.
    monkeypatch.setattr(planning, "BUDGET", {"quick": 2.5})
    assert [dict(computation.seconds) for computation in computations(cpu, "quick")] == [
        {"repeat": 1.25},
        {"repeat": 1.25},
    ]
    monkeypatch.setattr(planning, "BUDGET", {"quick": 1.5})
    assert [dict(computation.seconds) for computation in computations(cpu, "quick")] == [{"repeat": 1.5}]


@pytest.mark.parametrize(
    ("device", "chosen", "expected"),
    [
        pytest.param("cpu", {}, {"OMP_WAIT_POLICY": "passive"}, id="threads-that-wait-leave-the-core-to-others"),
        pytest.param("CPU:0", {"GOMP_SPINCOUNT": "9"}, {}, id="the-users-own-choice-stays"),
        pytest.param("cuda:0", {}, {}, id="a-card"),
    ],
)
def test_threads_do_not_take_the_time_of_those_that_they_wait_for(
    device: str, chosen: dict[str, str], expected: dict[str, str]
) -> None:
    assert planning._patience(device, chosen) == expected


@pytest.mark.usefixtures("known")
def test_most_of_the_time_is_for_what_answers_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (SPEC,))
    cpu = facts(FrameworkDevice(device="cpu", kernel=WORKS))
    (planned,) = compute_jobs(cpu, asked("results-change", "standard"))
    assert planned.seconds == {"repeat": pytest.approx(54.0), "precision": pytest.approx(6.0)}
    assert planned.argument["compile"] is False
    (planned,) = compute_jobs(cpu, asked("results-differ", "standard"))
    assert planned.seconds == {"repeat": pytest.approx(45.0), "precision": pytest.approx(15.0)}
    assert "compile" not in planned.argument


def test_a_setting_of_accelerators_gets_none_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, settings=(Setting(), Setting("workspace", only_accelerators=True)))
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec,))
    cpu, gpu = FrameworkDevice(device="cpu", kernel=WORKS), FrameworkDevice(device="cuda:0", kernel=WORKS)
    assert [computation.id for computation in computations(facts(cpu, gpu), "standard")] == [
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
    assert [(each.argument["device"], sum(each.seconds.values(), 0.0)) for each in planned] == [
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
    assert [computation.spec.framework for computation in computations(facts(*devices), "standard")] == ["torch"]
    told = Facts(target=without.path, interpreters=(without,))
    assert computations(told, "standard") == ()


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("told", [facts(), facts(FrameworkDevice(device="cpu", kernel=WORKS), imported=False), Facts()])
def test_nothing_is_planned_where_nothing_computes(told: Facts) -> None:
    assert computations(told, "thorough") == ()


@pytest.mark.usefixtures("known")
def test_only_questions_about_results_are_computed() -> None:
    def wanted(symptom: str, *, compute: bool = True) -> bool:
        return is_wanted(Request(answers=Answers(symptom=symptom), compute=compute))

    assert [wanted(each) for each in ("results-change", "results-differ", "everything")] == [True] * 3
    assert not wanted("does-not-start")
    assert not wanted("everything", compute=False)  # to check everything is answered in seconds, too
    assert wanted("results-change", compute=False)
    assert budget(asked("not-on-gpu", "thorough")) == 0.0
    assert budget(asked("everything", "quick")) == 10.0


def examined(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    symptom: str = "results-change",
    script: str = SCRIPT,
    kinds: tuple[str, ...] = ("first", "second", "third"),
) -> list[Any]:
    """The events of an examination of this interpreter, in which only the probe computes."""
    (tmp_path / "dying.py").write_text(script, encoding="utf-8")
    spec = replace(SPEC, kinds=dict.fromkeys(kinds, 1.0), stem=str(tmp_path / "dying"))
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec,))
    kept = tuple(probe for probe in ask_plan.PROBES if probe.id in ("machine", "nvidia", "torch"))
    monkeypatch.setattr(ask_plan, "PROBES", kept)
    target = read_interpreter(sys.executable, found_by=("chosen",))
    answers = Answers(symptom=symptom, effort="quick")
    return list(examine(Request(answers=answers, target=target.path, interpreters=(target,))))


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_probes: None) -> Callable[..., list[Any]]:
    return lambda symptom="results-change", **more: examined(tmp_path, monkeypatch, symptom, **more)


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
    assert measured[0].origin == f"dying.py in {sys.executable}"
    probes = case_of(events).facts.probes
    assert probes is not None
    ended = [(each.status, [stage.name for stage in each.stages]) for each in probes.runs if "torch:cpu" in each.probe]
    assert ended == [("crashed", ["first", "second"]), ("ok", ["first", "second", "third"])]
    live = [event.measurement.operation for event in events if isinstance(event, Measured)]
    assert live == ["matmul", "conv2d", "cumsum"]  # as they come; what died is known at the end
    shares = [event.share for event in events if isinstance(event, Progress)]
    assert shares == sorted(shares)
    assert any("computations:torch:cpu" in event.probes for event in events if isinstance(event, Planned))


# Operations one after the other; some end their process, as a crash in a library does.
ONE_BY_ONE = """
import os
from naosu_probes.compute import kit as compute

NAMED = {"kind": "repeat", "framework": "torch", "device": "cpu", "dtype": "float32", "setting": "default"}


def imported(argument):
    return {}


def repeat(argument):
    if "repeat" not in argument["seconds"]:
        return
    entries = [(dict(NAMED, operation="op-%d" % number), number) for number in range(10)]

    def run(number, clock):
        if number in DEADLY:
            os._exit(9)
        return {"repetitions": number + 1, "distinct": 2 if number == 0 else 1}

    yield from compute.measure_listed(entries, compute.Clock(60.0), run, argument)


def experiment(argument):
    if "experiment" in argument["seconds"]:
        told = dict(NAMED, kind="experiment", operation="told", detail=" ".join(argument.get("varied", ())))
        yield compute.facts_of(told)


STAGES = (imported, repeat, experiment)
ESSENTIAL = ("imported",)
"""


def of_operations(events: list[Any]) -> dict[str, str]:
    return {measurement.operation: measurement.reason for measurement in case_of(events).facts.measurements}


@pytest.mark.parametrize(
    ("deadly", "reasons", "processes"),
    [
        pytest.param((), {}, 1, id="none"),
        pytest.param((4,), {4: "crashed"}, 2, id="one"),
        pytest.param((9,), {9: "crashed"}, 2, id="the-last"),
        pytest.param((1, 3, 5), {1: "crashed", 3: "crashed", 5: "crashed"}, 4, id="some"),
        pytest.param(
            (1, 3, 5, 7, 8),
            {1: "crashed", 3: "crashed", 5: "crashed", 7: "crashed", 8: "process-ended", 9: "process-ended"},
            5,
            id="too-many",
        ),
    ],
)
def test_after_a_crash_the_other_operations_are_measured_in_a_new_process(
    run: Callable[..., list[Any]], deadly: tuple[int, ...], reasons: dict[int, str], processes: int
) -> None:
    script = f"DEADLY = {set(deadly)}" + ONE_BY_ONE
    events = run(script=script, kinds=("repeat", "experiment"))
    expected = {f"op-{number}": reasons.get(number, "") for number in range(10)}
    assert of_operations(events) == {**expected, "told": ""}
    case = case_of(events)
    assert case.facts.probes is not None
    runs = [each for each in case.facts.probes.runs if "torch:cpu" in each.probe]
    assert len(runs) == processes
    crashed = [measurement for measurement in case.facts.measurements if measurement.reason == "crashed"]
    assert all("exit code 9" in each.error.type for each in crashed if each.error)
    (told,) = (measurement for measurement in case.facts.measurements if measurement.operation == "told")
    assert told.detail == ("op-0" if 0 < len(deadly) <= MOST else "")  # what varied is not forgotten


def test_a_process_that_ends_before_it_computes_is_not_started_again_and_again(run: Callable[..., list[Any]]) -> None:
    script = ONE_BY_ONE.replace("    return {}", "    os._exit(9)")
    case = case_of(run(script=script, kinds=("repeat", "experiment")))
    assert case.facts.measurements == ()
    assert case.facts.probes is not None
    assert len([each for each in case.facts.probes.runs if "torch:cpu" in each.probe]) == 1


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
    assert not [outcome for outcome in again.outcomes if outcome.status is Status.CRASHED]


def test_a_load_test_of_a_chosen_length_goes_beside_the_rest_or_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = replace(SPEC, kinds={"repeat": 3.0, "health": 1.0})
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", (spec, replace(SPEC, framework="numpy", package="numpy")))
    cpu = facts(FrameworkDevice(device="cpu", kernel=WORKS))
    (beside,) = computations(cpu, "standard", 300.0)
    assert beside.seconds == {"repeat": pytest.approx(45.0), "health": 300.0}
    (alone,) = compute_jobs(cpu, asked("does-not-start", "standard", 300.0))
    assert alone.seconds == {"health": 300.0}
    assert budget(asked("does-not-start", "quick", 300.0)) == 300.0


# An operation whose first call differs in the first process alone.
SUSPECT = """
from naosu_probes.compute import kit as compute


def imported(argument):
    return {}


def repeat(argument):
    named = {"kind": "repeat", "framework": "torch", "device": "cpu", "setting": argument["setting"]}
    for operation in argument.get("operations", ("elementwise", "matmul")):
        first = {"warm_up": "ff"} if operation == "elementwise" and "operations" not in argument else {}
        yield compute.facts_of(dict(named, operation=operation, repetitions=48, distinct=1, **first))


STAGES = (imported, repeat)
ESSENTIAL = ()
"""


def test_a_new_process_is_asked_what_differed_without_a_reason(run: Callable[..., list[Any]]) -> None:
    case = case_of(run(script=SUSPECT, kinds=("repeat",)))
    repeats = [each for each in case.facts.measurements if isinstance(each, Repeat)]
    assert [(each.operation, each.setting, each.first_differs) for each in repeats] == [
        ("elementwise", "default", True),
        ("matmul", "default", False),
        ("elementwise", "fresh-process", False),
    ]
    found = {finding.cause for finding in case.findings}
    assert "first-call-differs" in found
    assert "processor-hardware-fault" not in found


@pytest.mark.parametrize("symptom", ["results-change", "results-differ", "everything"])
def test_what_two_machines_are_compared_by_has_room_in_a_quick_examination(
    symptom: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "COMPUTATION_PROBES", COMPUTATION_PROBES[:1])
    cpu = facts(FrameworkDevice(device="cpu", kernel=WORKS))
    (planned,) = compute_jobs(cpu, asked(symptom, "quick"))
    assert planned.seconds["portrait"] >= 1.0

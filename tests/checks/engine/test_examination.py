"""One examination as events: whole, cancelled, closed early, and of an interpreter that does not work."""

import errno
import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
import torch
from support.owners import strange
from support.shared_answers import use_warm_python
from support.warm_python import processes_left

from checks.engine import given_models, job_runner
from checks.engine.catalogues.computations import COMPUTATION_PROBES
from checks.engine.events import (
    CheckEnded,
    Event,
    Finished,
    Planned,
    ProbeEnded,
    ProbeSlow,
    ProbeStage,
    ProbeStarted,
    Progress,
)
from checks.engine.examination import examine
from checks.engine.job_runner import SLOW, JobRunner
from checks.engine.plans import load as load_plan
from checks.engine.plans.ask import target_jobs
from checks.engine.plans.compute import computation
from checks.engine.processes.runner import Answer, ProbeTask
from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts, ModelFacts, OtherMachine, Package, Portrait
from checks.facts.case import Answers, Case
from checks.facts.finding import Status
from checks.interpreters import read_interpreter
from checks.judgement.coverage import is_missing, outcome_counts
from checks.judgement.judge import checks_for
from checks.knowledge.phrases import in_language
from checks.readers.models import read_models

QUICK = Answers(effort="quick")
SHARED = pytest.mark.usefixtures("shared_probes")


def request_for(target: str) -> Request:
    """Examine only this interpreter; the search for others has its own tests."""
    return Request(answers=QUICK, target=target, interpreters=(read_interpreter(target, found_by=("chosen",)),))


def finished(events: list[Event]) -> Case:
    last = events[-1]
    assert isinstance(last, Finished)
    return last.case


@pytest.fixture(scope="module")
def events(torch_python: str) -> list[Event]:
    """A whole quick examination of the interpreter that runs the tests, which has torch."""
    with pytest.MonkeyPatch.context() as patch:
        use_warm_python(patch, torch_python)
        return list(examine(request_for(sys.executable)))


def test_tells_the_plan_first_and_the_case_last(events: list[Event]) -> None:
    planned = next(event for event in events if not isinstance(event, ProbeStarted | ProbeStage | ProbeEnded))
    assert isinstance(planned, Planned)
    assert {"machine", "nvidia", "environment", "torch"} <= set(planned.probes)
    assert set(planned.checks) == {check.cause for check in checks_for("everything")}
    assert finished(events).complete


def test_every_start_has_exactly_one_end(events: list[Event]) -> None:
    started = Counter(event.probe for event in events if isinstance(event, ProbeStarted))
    ended = Counter(event.probe for event in events if isinstance(event, ProbeEnded))
    assert started == ended
    assert set(started.values()) - {started["statements"]} <= {1}  # a statement that fails is tried once more


def test_every_check_has_exactly_one_outcome(events: list[Event]) -> None:
    outcomes = [event.outcome for event in events if isinstance(event, CheckEnded)]
    assert Counter(outcome.cause for outcome in outcomes) == Counter(check.cause for check in checks_for("everything"))
    assert tuple(outcomes) == finished(events).outcomes
    assert not [outcome for outcome in outcomes if outcome.status is Status.CRASHED]


def test_progress_never_goes_back_and_ends_at_one(events: list[Event]) -> None:
    shares = [event.share for event in events if isinstance(event, Progress)]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_collects_real_facts(events: list[Event]) -> None:
    facts = finished(events).facts
    assert facts.machine is not None
    assert facts.machine.os is not None
    assert facts.frameworks is not None
    assert facts.frameworks.torch is not None
    assert facts.frameworks.torch.version is not None
    assert facts.frameworks.torch.version.startswith("2.13.0")
    assert facts.missing["tensorflow"] == "not-installed"


def test_cancel_keeps_what_is_done_and_leaves_no_process() -> None:
    stopped: list[Event] = []

    def in_the_import() -> bool:
        return any(isinstance(each, ProbeStage) and each.stage == "imported" for each in stopped)

    for event in examine(request_for(sys.executable), cancelled=in_the_import):
        stopped.append(event)  # noqa: PERF402 - the cancel reads it meanwhile
    case = finished(stopped)
    assert not case.complete
    assert case.facts.frameworks is not None
    assert case.facts.frameworks.torch is not None
    assert case.facts.frameworks.torch.version is not None  # read before the import began
    assert case.facts.frameworks.torch.imported is None  # not reached is not failed
    assert not processes_left()


def test_closing_the_iterator_ends_the_processes() -> None:
    events = examine(request_for(sys.executable))
    for event in events:
        if isinstance(event, ProbeStarted):
            break
    events.close()  # type: ignore[attr-defined] - a generator
    assert not processes_left()


@SHARED
def test_a_slow_probe_names_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_runner, "SLOW", 0.01)
    monkeypatch.setattr(job_runner, "BEAT", 0.01)
    run, named = job_runner.run_probe, threading.Event()

    def slow_in_the_import(task: ProbeTask, **more: Any) -> Answer:
        if task.probe == "torch":
            more["on_stage"]("imported")
            assert named.wait(60)
        return run(task, **more)

    monkeypatch.setattr(job_runner, "run_probe", slow_in_the_import)
    slow = []
    for event in examine(request_for(sys.executable)):
        if isinstance(event, ProbeSlow):
            slow.append((event.probe, event.stage))
            if slow[-1] == ("torch", "imported"):
                named.set()
    assert ("torch", "imported") in slow
    assert len(slow) == len(set(slow))


@SHARED
def test_a_full_disk_costs_one_probe_not_the_case(monkeypatch: pytest.MonkeyPatch) -> None:
    run = job_runner.run_probe

    def on_a_full_disk(task: ProbeTask, **more: Any) -> Answer:
        if task.probe == "torch":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return run(task, **more)

    monkeypatch.setattr(job_runner, "run_probe", on_a_full_disk)
    events = list(examine(request_for(sys.executable)))
    (torch,) = [event.run for event in events if isinstance(event, ProbeEnded) and event.probe == "torch"]
    assert torch.status == "not-started"
    assert torch.detail is not None
    assert os.strerror(errno.ENOSPC) in torch.detail
    facts = finished(events).facts
    assert facts.machine is not None
    assert facts.missing["torch"] == "probe-failed"


@SHARED
@pytest.mark.parametrize("make", ["missing", "text"])
def test_an_interpreter_that_does_not_work_is_a_finding(tmp_path: Path, make: str) -> None:
    target = tmp_path / "python"
    if make == "text":
        target.write_text("I am no interpreter.\n")
        target.chmod(0o755)
    case = finished(list(examine(request_for(str(target)))))
    assert "interpreter-not-usable" in {finding.cause for finding in case.findings}
    assert case.complete
    assert case.facts.machine is not None


@SHARED
@pytest.mark.skipif(sys.platform == "win32", reason="owners are those of POSIX")
def test_one_that_is_another_users_by_now_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, marker = tmp_path / "env/bin/python", tmp_path / "started"
    program.parent.mkdir(parents=True)
    (tmp_path / "env/pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    program.write_text(f"#!/bin/sh\ntouch {marker}\n")
    program.chmod(0o755)
    found = InterpreterFacts(path=str(program), prefix=str(tmp_path / "env"), found_by=("folder",))
    request = Request(answers=QUICK, target=found.path, interpreters=(found,))
    strange(monkeypatch, program)
    case = finished(list(examine(request)))
    (finding,) = [finding for finding in case.findings if finding.cause == "interpreter-not-usable"]
    assert "another user" in in_language(finding.values["problem"], "en")
    assert "別のユーザー" in in_language(finding.values["problem"], "ja")
    assert not marker.exists()
    assert case.facts.target_interpreter is not None
    assert case.facts.target_interpreter.problem == "of-another"
    monkeypatch.undo()
    list(examine(request))
    assert marker.exists(), "as soon as it is the user's own"


@SHARED
def test_without_a_target_the_likely_interpreter_is_taken() -> None:
    known = (read_interpreter(sys.executable, found_by=("PATH",)),)
    case = finished(list(examine(Request(answers=QUICK, interpreters=known))))
    assert case.facts.target == known[0].path


@SHARED
def test_with_no_interpreter_at_all_the_machine_is_still_examined() -> None:
    case = finished(list(examine(Request(answers=QUICK, interpreters=()))))
    assert case.facts.target is None
    assert case.facts.machine is not None
    assert case.facts.missing["torch"] == "no-interpreter"
    assert outcome_counts(case)["not_run"] > 10


@SHARED
def test_who_asks_about_a_program_with_a_runtime_of_its_own_misses_no_python() -> None:
    answers = Answers(symptom="not-on-gpu", effort="quick")
    case = finished(list(examine(Request(answers=answers, interpreters=(), program="Ollama"))))
    assert {case.facts.missing[name] for name in ("torch", "installed", "environment")} == {"not-asked"}
    assert [outcome.cause for outcome in case.outcomes if is_missing(outcome)] == []


# --- model files ------------------------------------------------------------------------------------------------------


@SHARED
def test_what_the_user_says_and_gives_is_among_the_facts() -> None:
    other = OtherMachine(name="other.json", measurements=(Portrait(operation="matmul"),))
    request = Request(
        answers=Answers(symptom="results-differ", effort="quick", exactness="bits"), interpreters=(), others=(other,)
    )
    facts = finished(list(examine(request))).facts
    assert facts.others == (other,)
    assert facts.symptom is not None
    assert (facts.symptom.name, facts.symptom.exactness) == ("results-differ", "bits")


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "weights.pt"
    torch.save({"w": torch.ones(3)}, path)
    return path


def about_models(*models: Path, cancelled: Callable[[], bool] = lambda: False) -> list[Event]:
    asked = msgspec.structs.replace(QUICK, symptom="models")
    return list(examine(replace(request_for(sys.executable), answers=asked, models=models), cancelled))


@SHARED
def test_a_model_is_really_loaded_in_the_target(weights: Path) -> None:
    events = about_models(weights)
    planned = next(event for event in events if isinstance(event, Planned))
    assert "torch:weights.pt" in planned.probes
    case = finished(events)
    (run,) = case.facts.models[0].runs
    assert (run.runtime, run.setting, run.loaded, run.error) == ("torch", "cpu", True, None)
    verdict = next(each for each in case.verdicts if each.runtime == "torch")
    assert verdict.outcome == "loads"
    assert verdict.version.startswith("2.13.0")
    assert case.facts.probes is not None
    assert case.facts.probes.of("torch:weights.pt") is None  # the model's own facts tell of it


@SHARED
def test_trials_come_after_the_probes_one_at_a_time(weights: Path) -> None:
    other = weights.with_name("other.pt")
    other.write_bytes(weights.read_bytes())
    events = about_models(weights, other)
    told = [(type(event).__name__, event.probe) for event in events if isinstance(event, ProbeStarted | ProbeEnded)]
    assert told[-4:] == [
        ("ProbeStarted", "torch:weights.pt"),
        ("ProbeEnded", "torch:weights.pt"),
        ("ProbeStarted", "torch:other.pt"),
        ("ProbeEnded", "torch:other.pt"),
    ]
    shares = [event.share for event in events if isinstance(event, Progress)]
    assert shares == sorted(shares)


@SHARED
def test_a_process_that_dies_of_a_model_is_the_answer(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = job_runner.run_probe

    def dying(task: ProbeTask, **more: Any) -> Answer:
        answer = run(task, **more)
        if task.probe != "torch:weights.pt":
            return answer
        (stage,) = [each for each in answer.run.stages if each.name == "loading"]
        stages = (*answer.run.stages[:-1], msgspec.structs.replace(stage, ended=False))
        crashed = msgspec.structs.replace(answer.run, status="crashed", signal="SIGSEGV", stages=stages)
        return Answer({"runs": [{"runtime": "torch", "setting": "cpu"}]}, crashed)

    monkeypatch.setattr(job_runner, "run_probe", dying)
    case = finished(about_models(weights))
    (tried,) = case.facts.models[0].runs
    assert (tried.loaded, tried.reason) == (False, "crashed")
    assert next(verdict for verdict in case.verdicts if verdict.runtime == "torch").outcome == "does-not-run"
    assert case.complete


@SHARED
def test_no_model_is_tried_in_a_runtime_that_does_not_start(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load_plan, "is_broken", lambda runtime, facts: facts.probes is not None)
    events = about_models(weights)
    ended = [event.run for event in events if isinstance(event, ProbeEnded) and event.probe == "torch:weights.pt"]
    assert [each.status for each in ended] == ["skipped"]
    assert finished(events).facts.models[0].runs[0].reason == "runtime-broken"


def test_a_cancel_leaves_the_models_read_and_not_tried(weights: Path) -> None:
    asked = replace(request_for(sys.executable), answers=QUICK, models=(weights,))
    events: list[Event] = []
    for event in examine(asked, cancelled=lambda: any(isinstance(each, Planned) for each in events)):
        events.append(event)  # noqa: PERF402 - the cancel looks at them
    case = finished(events)
    assert not case.complete
    assert [model.name for model in case.facts.models] == ["weights.pt"]
    assert [run.reason for run in case.facts.models[0].runs] == ["cancelled"]
    assert not processes_left()


def test_a_cancel_while_models_are_read_keeps_those_that_are(weights: Path, tmp_path: Path) -> None:
    """The second never ends, as a file on a disk that hangs."""
    reads = threading.Event()
    never_ends = tmp_path / "second.pt"
    never_ends.write_bytes(weights.read_bytes())

    def reading(path: Path, cancelled: Callable[[], bool]) -> tuple[ModelFacts, ...]:
        if path == never_ends:
            reads.set()
            while not cancelled():
                pass
            return (ModelFacts(name="second.pt", problem="cancelled"),)
        return read_models(path, cancelled)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(given_models, "read_models", reading)
        case = finished(about_models(weights, never_ends, cancelled=reads.is_set))
    assert not case.complete
    assert [(model.name, model.problem) for model in case.facts.models] == [
        ("weights.pt", None),
        ("second.pt", "cancelled"),
    ]


@SHARED
def test_a_trial_has_a_limit_of_memory(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: dict[str, int | None] = {}
    run = job_runner.run_probe

    def seen(task: ProbeTask, **more: Any) -> Answer:
        limits[task.probe] = task.memory_limit
        return run(replace(task, memory_limit=1) if task.probe == "torch:weights.pt" else task, **more)

    monkeypatch.setattr(job_runner, "run_probe", seen)
    case = finished(about_models(weights))
    assert 0 < (limits["torch:weights.pt"] or 0) < psutil.virtual_memory().total
    (tried,) = case.facts.models[0].runs
    assert (tried.reason, tried.memory_limit) == ("too-much-memory", 1)
    verdict = next(each for each in case.verdicts if each.runtime == "torch")
    assert (verdict.outcome, verdict.reason) == ("unknown", "too-much-memory")
    assert case.complete


@SHARED
def test_a_file_that_is_no_model_is_not_tried(tmp_path: Path) -> None:
    (tmp_path / "page.onnx").write_text("<!DOCTYPE html><html></html>")
    case = finished(about_models(tmp_path / "page.onnx"))
    assert case.facts.models[0].problem
    assert case.facts.models[0].runs == ()


def test_what_computes_is_slow_only_beyond_its_expected_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """It computes for as long as it may, in one stage: nobody is alarmed before that time is over."""
    now = 100.0
    monkeypatch.setattr(job_runner.time, "monotonic", lambda: now)
    (spec,) = (spec for spec in COMPUTATION_PROBES if spec.framework == "torch")
    target = InterpreterFacts(path=sys.executable, packages=(Package(name="torch", version="2.13.0"),))
    computing = computation("computations:torch:cpu", spec, "cpu", {"repeat": 20.0}, Facts(target=target.path), "quick")
    (asking,) = (job for job in target_jobs(target, Request()) if job.id == "torch")
    runner = JobRunner(lambda: False)
    runner.plan((asking, computing))
    runner._started = {computing.id: now, "torch": now}
    runner._stages = {computing.id: ("repeat", now), "torch": ("imported", now)}
    now = 100.0 + SLOW
    assert [event.probe for event in runner._slow()] == ["torch"]  # type: ignore[union-attr]
    now = 101.0 + computing.expected_seconds
    assert [event.probe for event in runner._slow()] == [computing.id]  # type: ignore[union-attr]
    runner.stop()

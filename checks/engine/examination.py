"""One examination from the request to the case, told as events.

The engine owns the child processes: it starts the probes beside each other, watches them, and ends them all when
it is cancelled or closed. What it has by then it keeps, judges, and hands over in :class:`Finished`.
"""

from __future__ import annotations

import logging
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import psutil

from checks.analysis.models.runtimes import is_broken
from checks.engine.computation_catalogue import (
    argument_of,
    measurements_of,
    read_measurement,
    read_samples,
)
from checks.engine.compute_plan import Computation, budget, budget_of_models, computations, is_wanted, with_saved
from checks.engine.events import (
    CheckEnded,
    Event,
    Finished,
    Measured,
    Planned,
    ProbeEnded,
    ProbeSlow,
    ProbeStage,
    ProbeStarted,
    Progress,
    Watched,
)
from checks.engine.export_plan import SCRIPT as EXPORT_SCRIPT
from checks.engine.export_plan import ExportTrial, export_of, export_trials, not_exported, reason_now
from checks.engine.export_plan import argument as export_argument
from checks.engine.export_plan import time_limit as export_time_limit
from checks.engine.load_plan import Trial, argument, memory_limit, memory_reason, trials
from checks.engine.load_watch import LoadLog
from checks.engine.model_catalogue import runs_of, time_limit
from checks.engine.probe_catalogue import PROBES, ProbeSpec, read_answer
from checks.engine.processes.runner import Answer, ProbeTask, run_probe
from checks.engine.rerun_plan import SCRIPT as MODEL_SCRIPT
from checks.engine.rerun_plan import (
    ModelComputation,
    lost_device,
    model_computations,
    not_computed,
    with_path_of,
)
from checks.engine.rerun_plan import argument as model_argument
from checks.engine.resume import Remaining
from checks.engine.scripts import name_of
from checks.facts import (
    EnvironmentVariables,
    ExportRun,
    Fact,
    Facts,
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    Measurement,
    ModelComparison,
    ModelFacts,
    ModelRun,
    OtherMachine,
    ProbeRun,
    ProbeRuns,
    SentFile,
    Symptom,
)
from checks.facts.case import Answers
from checks.facts.finding import Outcome
from checks.interpreters import Places, find_interpreters, likely_target, read_interpreter
from checks.machine import read_machine
from checks.readers.containers.source import Cancelled, never
from checks.readers.models import read_models

log = logging.getLogger(__name__)

SLOW = 10.0  # seconds at one stage after which a probe names itself
BEAT = 0.1  # seconds between two reports of the progress
GRACE = 2.0  # seconds that what we read ourselves gets after a cancel to hand over what it has

# Probes that look at the machine; they run in our own interpreter, whatever the target is.
OWN = ("machine", "nvidia")


@dataclass(frozen=True)
class Request:
    """What to examine. Without ``interpreters`` they are searched; without ``target`` the likely one is taken.

    ``load``: seconds of the load test of each device; None: what the effort gives it. ``exports``: ids of the
    exporters to try on the models; (): those that fit; None: none. ``inputs``: the models' input, an .npz or a picture.
    ``repeat``: whether the models are run again and compared; None: where the symptom asks for it.
    """

    answers: Answers = field(default_factory=Answers)
    target: str | None = None
    near: Path | None = None  # a folder whose environments are the likely ones
    interpreters: tuple[InterpreterFacts, ...] | None = None
    logs: tuple[SentFile, ...] = ()
    scripts: tuple[SentFile, ...] = ()
    models: tuple[Path, ...] = ()
    exports: tuple[str, ...] | None = None
    inputs: Path | None = None
    repeat: bool | None = None
    load: float | None = None
    others: tuple[OtherMachine, ...] = ()  # examinations to compare this one with


def examine(request: Request, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
    """Examine this machine and one interpreter. The last event is always :class:`Finished`.

    Closing the iterator early ends all probes as a cancel does.
    """
    examination = _Examination(request, cancelled)
    try:
        yield from examination.events()
    finally:
        examination.stop()


class _Examination:
    """The state of one run: the processes under way, their answers, the events not told yet."""

    def __init__(self, request: Request, cancelled: Callable[[], bool]) -> None:
        self._request = request
        self._user_cancelled = cancelled
        self._closed = threading.Event()
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._pool = ThreadPoolExecutor(max_workers=max(4, os.cpu_count() or 1), thread_name_prefix="probe")
        self._futures: dict[str, Future[Answer]] = {}
        self._stages: dict[str, tuple[str, float]] = {}  # probe -> (stage, since when)
        self._expected: dict[str, float] = {}
        self._started: dict[str, float] = {}
        self._named: set[tuple[str, str]] = set()
        self._trials: tuple[Trial, ...] = ()
        self._exports: tuple[ExportTrial, ...] = ()
        self._read: list[ModelFacts] = []  # models, as far as they are read
        self._not_tried: set[str] = set()  # ids of the trials that were planned and not made after all
        self._share = 0.0  # of the work that is done, as it was told last
        self._computations: tuple[Computation, ...] = ()
        self._of_models: tuple[ModelComputation, ...] = ()
        self._computed: list[ProbeRun] = []  # how the processes of the computations ended
        self._saved = 0.0  # seconds that they took less than they were given
        # Seconds that are not planned yet.
        self._to_compute = budget(request.answers.symptom, request.answers.effort, request.load) or (
            budget_of_models(request.answers.effort, alone=True) if request.repeat and request.models else 0.0
        )

    def events(self) -> Iterator[Event]:
        """The whole run."""
        reading = self._pool.submit(self._read_models)
        if self._request.target is None and self._request.interpreters is None:
            self._start_own()  # the search for interpreters takes longer than these
        target, interpreters = self._target()
        if target is not None and target.problem is None:
            self._start_in(target)
        self._start_own()
        # Only now: importing every check costs time that the probes can use.
        from checks.judgement.judge import checks_for, judge_each, judged

        planned = checks_for(self._request.answers.symptom, computed=bool(self._request.repeat))
        yield from self._until(reading)
        models = reading.result() if reading.done() else tuple(self._read)
        comparing = self._pool.submit(side_by_side, models, self._cancelled)
        if target is not None and target.problem is None:
            self._trials = trials(models, target, self._request.answers.effort)
            self._exports = export_trials(models, target, self._request.answers.effort, self._request.exports)
        tried: tuple[Trial | ExportTrial, ...] = (*self._trials, *self._exports)
        self._expected.update({each.id: each.expected_seconds for each in tried if not each.reason})
        yield Planned(probes=dict(self._expected), checks=tuple(each.cause for each in planned))
        if self._request.interpreters is None and not self._cancelled():
            # Looked for while the probes run: other interpreters explain much ("torch is in that one").
            interpreters = _merged(target, find_interpreters(Places.of_this_machine(self._request.near)))
        yield from self._follow()

        facts = self._facts(target, interpreters, models)
        runs: dict[str, tuple[ModelRun, ...]] = {}
        for trial in self._trials:
            yield from self._try(trial, facts, runs)
        exported: dict[str, ExportRun] = {}
        for export in self._exports:
            yield from self._export(export, facts, exported)
        measured: list[Measurement] = []
        with_runs = tuple(_with_runs(model, self._trials, runs) for model in models)
        yield from self._plan_computations(facts, with_runs)
        for of_model in self._of_models:
            yield from self._compute_model(of_model, facts, measured)
        for place, computation in enumerate(self._computations):
            after = self._computations[place:]
            yield from self._compute(with_saved(computation, self._saved, after, self._request.load), facts, measured)
        yield from self._until(comparing)
        compared = comparing.result() if comparing.done() else ()
        found = _with_exports(with_runs, self._exports, exported)
        facts = msgspec.structs.replace(
            facts,
            models=found,
            comparisons=compared,
            measurements=tuple(measured),
            probes=ProbeRuns(runs=(*(facts.probes.runs if facts.probes else ()), *self._computed)),
            missing=facts.missing if measured else {**facts.missing, "measurements": self._not_computed()},
        )
        outcomes: list[Outcome] = []
        for outcome in judge_each(facts):
            outcomes.append(outcome)
            yield CheckEnded(outcome)
        yield Progress(share=1.0, remaining=0.0)
        yield Finished(judged(facts, self._request.answers, outcomes=outcomes, complete=not self._cancelled()))

    def _one_by_one(self) -> tuple[Trial | ExportTrial | Computation | ModelComputation, ...]:
        """What is tried after all else, one at a time."""
        return (*self._trials, *self._exports, *self._of_models, *self._computations)

    def _read_models(self) -> tuple[ModelFacts, ...]:
        for path in self._request.models:
            if self._cancelled():
                break
            self._read.extend(read_models(path, self._cancelled))
        return tuple(self._read)

    def _try(self, trial: Trial, facts: Facts, runs: dict[str, tuple[ModelRun, ...]]) -> Iterator[Event]:
        """One model in one runtime, after all other probes: one at a time, since they are timed and need the memory."""
        memory = facts.machine.memory if facts.machine else None
        broken = "runtime-broken" if is_broken(trial.spec.runtime, facts) else ""
        reason = trial.reason or broken or memory_reason(trial.model, memory)
        target = facts.target
        if reason or target is None:
            runs[trial.id] = (ModelRun(runtime=trial.spec.runtime, reason=reason),)
            yield from self._skipped(trial, target)
            return
        effort = self._request.answers.effort
        task = ProbeTask(
            probe=trial.id,
            script=trial.spec.script,
            interpreter=target,
            argument=argument(trial, facts.frameworks, effort),
            time_limit=time_limit(effort, trial.model.size),
            memory_limit=_memory_limit(facts),
        )
        self._futures[trial.id] = self._pool.submit(self._run, task)
        yield from self._follow()
        runs[trial.id] = runs_of(self._futures[trial.id].result(), trial.spec)

    def _skipped(self, trial: Trial | ExportTrial, target: str | None) -> Iterator[Event]:
        """What was planned and is not tried after all."""
        if not trial.reason:
            self._not_tried.add(trial.id)
            yield ProbeEnded(trial.id, ProbeRun(probe=trial.id, interpreter=target or "", status="skipped"))

    def _export(self, trial: ExportTrial, facts: Facts, exported: dict[str, ExportRun]) -> Iterator[Event]:
        """One model by one exporter, one at a time."""
        reason = reason_now(trial, facts.machine.memory if facts.machine else None)
        target = facts.target
        if reason or target is None:
            exported[trial.id] = not_exported(trial, reason)
            yield from self._skipped(trial, target)
            return
        effort = self._request.answers.effort
        task = ProbeTask(
            probe=trial.id,
            script=EXPORT_SCRIPT,
            interpreter=target,
            argument=export_argument(trial, effort, self._request.inputs),
            time_limit=export_time_limit(effort, trial.model.size),
            memory_limit=_memory_limit(facts),
        )
        self._futures[trial.id] = self._pool.submit(self._run, task)
        yield from self._follow()
        exported[trial.id] = export_of(self._futures[trial.id].result(), trial)

    def _plan_computations(self, facts: Facts, models: tuple[ModelFacts, ...]) -> Iterator[Event]:
        """Which devices compute, and which models run, is known only now that the frameworks were asked."""
        effort, symptom = self._request.answers.effort, self._request.answers.symptom
        is_asked = is_wanted(symptom)
        repeats = is_asked if self._request.repeat is None else self._request.repeat
        if self._to_compute and not self._cancelled():
            if repeats and models:
                self._of_models = model_computations(
                    models, facts, effort, budget_of_models(effort, alone=not is_asked)
                )
            of_models = sum(model.seconds for model in self._of_models if not model.reason)
            self._computations = (
                computations(facts, effort, self._request.load, only_load=not is_asked, without=of_models)
                if is_asked or self._request.load
                else ()
            )
            planned = {model.id: model.expected_seconds for model in self._of_models if not model.reason}
            planned |= {computation.id: computation.expected_seconds for computation in self._computations}
            self._expected |= planned
            yield Planned(probes=planned, checks=())
        self._to_compute = 0.0

    def _compute_model(
        self, computation: ModelComputation, facts: Facts, measured: list[Measurement]
    ) -> Iterator[Event]:
        """One model in one runtime. After a crash the devices that are left get a new process."""
        if computation.reason:
            measured.append(not_computed(computation))
            return
        effort = self._request.answers.effort
        done: list[str] = []
        while True:
            task = ProbeTask(
                probe=computation.id,
                script=MODEL_SCRIPT,
                interpreter=computation.interpreter,
                argument={**model_argument(computation, facts, effort, self._request.inputs), "done": done},
                time_limit=computation.time_limit(effort),
                memory_limit=_memory_limit(facts),
            )
            self._futures[computation.id] = self._pool.submit(self._run, task)
            yield from self._follow()
            made = tuple(measurements_of(self._futures[computation.id].result(), computation.origin))
            measured += (with_path_of(each, computation.model) for each in made)
            lost = lost_device(made)
            if not lost or lost in done:
                return
            done.append(lost)

    def _not_computed(self) -> str:
        """Why nothing was measured (reasons.toml)."""
        asked = is_wanted(self._request.answers.symptom) or (self._request.repeat and self._request.models)
        if not asked and not self._request.load:
            return "not-asked"
        return "cancelled" if self._cancelled() else "nothing-computes"

    def _compute(self, computation: Computation, facts: Facts, measured: list[Measurement]) -> Iterator[Event]:
        """One framework on one device. After a crash a new process goes on with what is left."""
        effort = self._request.answers.effort
        remaining = Remaining(computation)
        while remaining.seconds:
            named = argument_of(computation.device, effort, remaining.seconds, computation.setting.id)
            task = ProbeTask(
                probe=computation.id,
                script=computation.spec.script,
                interpreter=computation.interpreter,
                argument={**named, **remaining.argument()},
                time_limit=replace(computation, seconds=remaining.seconds).time_limit(effort),
                memory_limit=_memory_limit(facts),
                environment=computation.setting.environment,
            )
            self._futures[computation.id] = self._pool.submit(self._run, task)
            yield from self._follow()
            answer = self._futures[computation.id].result()
            self._computed.append(answer.run)
            remaining.ended(answer)
        measured += remaining.measurements()
        self._saved += sum(computation.seconds.values()) - remaining.used

    def _start_own(self) -> None:
        for spec in PROBES:
            if spec.id in OWN and spec.id not in self._futures:
                self._start(spec, sys.executable)

    def _start_in(self, target: InterpreterFacts) -> None:
        """The probes that concern what is installed there, the longest first."""
        wanted = [spec for spec in PROBES if spec.id not in OWN]
        for spec in sorted(wanted, key=lambda each: -each.expected_seconds):
            if not spec.distributions or target.package(*spec.distributions):
                self._start(spec, target.path)

    def stop(self) -> None:
        """End every probe and wait until none is left."""
        self._closed.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _cancelled(self) -> bool:
        return self._closed.is_set() or self._user_cancelled()

    def _target(self) -> tuple[InterpreterFacts | None, tuple[InterpreterFacts, ...]]:
        known = self._request.interpreters
        if self._request.target is not None:
            chosen = next((each for each in known or () if each.path == self._request.target), None)
            target = chosen or read_interpreter(self._request.target, found_by=("chosen",))
            return target, _merged(target, known or ())
        if known is None:
            known = find_interpreters(Places.of_this_machine(self._request.near))
        return likely_target(known), known

    def _start(self, spec: ProbeSpec, interpreter: str) -> None:
        task = ProbeTask(
            probe=spec.id,
            script=spec.script,
            interpreter=interpreter,
            argument=spec.argument(),
            time_limit=spec.time_limit(self._request.answers.effort),
        )
        self._expected[spec.id] = spec.expected_seconds
        self._futures[spec.id] = self._pool.submit(self._run, task)

    def _run(self, task: ProbeTask) -> Answer:
        probe = task.probe
        self._started[probe] = time.monotonic()
        self._stages[probe] = ("", time.monotonic())
        self._queue.put(ProbeStarted(probe))

        log_of_load = LoadLog()

        def staged(stage: str) -> None:
            self._stages[probe] = (stage, time.monotonic())
            self._queue.put(ProbeStage(probe, stage))
            log_of_load.staged(stage)

        def learned(facts: dict[str, Any]) -> None:
            for raw in facts.get("measurements+") or ():
                made = read_measurement(raw, name_of(task.script))
                if made is not None:
                    self._queue.put(Measured(probe, made))
            for sample in read_samples(facts.get("watched+")):
                self._queue.put(Watched(probe, str(task.argument.get("device", "")), sample))

        try:
            answer = run_probe(task, cancelled=self._cancelled, on_stage=staged, on_facts=learned)
            answer = log_of_load.told(answer)
        except Exception as error:  # no room for temporary files, no thread to be had: what the others tell is kept
            log.exception("the probe %s could not be run", probe)
            answer = _not_run(task, error)
        self._stages.pop(probe, None)
        self._queue.put(ProbeEnded(probe, answer.run))
        return answer

    def _until(self, work: Future[Any]) -> Iterator[Event]:
        """Tell what happens until some work of ours is done; a cancel ends it soon, but for a disk that hangs."""
        patience = math.inf
        while not work.done() and time.monotonic() < patience:
            if self._cancelled():
                patience = min(patience, time.monotonic() + GRACE)
            try:
                yield self._queue.get(timeout=BEAT)
            except queue.Empty:
                yield self._progress()

    def _follow(self) -> Iterator[Event]:
        """Tell what happens until all probes have ended."""
        while not all(future.done() for future in self._futures.values()) or not self._queue.empty():
            try:
                yield self._queue.get(timeout=BEAT)
            except queue.Empty:
                yield from self._slow()
                yield self._progress()

    def _slow(self) -> Iterator[Event]:
        """What is long at one stage. Where something computes that is its work, until its time is over."""
        computing = {computation.id for computation in self._computations} | {model.id for model in self._of_models}
        for probe, (stage, since) in list(self._stages.items()):
            if probe in computing and time.monotonic() - self._started[probe] <= self._expected[probe]:
                continue
            seconds = time.monotonic() - since
            if seconds >= SLOW and (probe, stage) not in self._named:
                self._named.add((probe, stage))
                yield ProbeSlow(probe, stage, seconds)

    def _progress(self) -> Progress:
        """Share by expected seconds; the remaining time is not told once a probe takes longer than expected."""
        total = sum(self._expected.values()) + self._to_compute
        done, beside, after, overdue = 0.0, 0.0, 0.0, False
        one_by_one = {trial.id for trial in self._one_by_one()}
        for probe, expected in self._expected.items():
            if probe in self._not_tried or (probe in self._futures and self._futures[probe].done()):
                done += expected
                continue
            elapsed = time.monotonic() - self._started[probe] if probe in self._started else 0.0
            done += min(elapsed, expected * 0.95)
            if probe in one_by_one:
                after += expected - elapsed
            else:
                beside = max(beside, expected - elapsed)
            overdue = overdue or elapsed > expected
        after += self._to_compute
        # More work may come to light, and a bar that goes back is not believed.
        self._share = max(self._share, done / total if total else 0.0)
        return Progress(share=self._share, remaining=None if overdue else beside + after)

    def _facts(
        self,
        target: InterpreterFacts | None,
        interpreters: tuple[InterpreterFacts, ...],
        models: tuple[ModelFacts, ...],
    ) -> Facts:
        answers = {probe: future.result() for probe, future in self._futures.items()}
        missing: dict[str, str] = {}
        machine = _machine(answers, missing)
        if not self._request.models:
            missing["models"] = "none-given"
        read = {
            spec.id: read_answer(spec, answers[spec.id]) for spec in PROBES if spec.id in answers and spec.id not in OWN
        }
        return Facts(
            machine=machine,
            interpreters=interpreters,
            target=target.path if target else None,
            frameworks=_frameworks(target, answers, read, missing),
            environment=_environment(target, read.get("environment"), missing),
            probes=ProbeRuns(runs=tuple(answer.run for answer in answers.values())),
            symptom=Symptom(
                origin="user", name=self._request.answers.symptom, exactness=self._request.answers.exactness
            ),
            logs=self._request.logs,
            scripts=self._request.scripts,
            models=models,
            others=self._request.others,
            missing=missing,
        )


def _memory_limit(facts: Facts) -> int:
    """Bytes that one that computes may take now."""
    memory = facts.machine.memory if facts.machine else None
    return memory_limit(memory, psutil.virtual_memory().available)


def _with_runs(model: ModelFacts, tried: Iterable[Trial], runs: Mapping[str, tuple[ModelRun, ...]]) -> ModelFacts:
    """The model with what came of its trials."""
    mine = tuple(run for trial in tried if trial.model is model for run in runs.get(trial.id, ()))
    return msgspec.structs.replace(model, runs=mine) if mine else model


def side_by_side(models: tuple[ModelFacts, ...], cancelled: Cancelled = never) -> tuple[ModelComparison, ...]:
    """Two models that were given together, compared; nothing for one or many, or what is no model."""
    if len(models) != 2 or any(model.format is None for model in models):
        return ()
    from checks.analysis.models.side_by_side import compare_models

    return (compare_models(*models, cancelled=cancelled),)


def _with_exports(
    models: tuple[ModelFacts, ...], trials: Iterable[ExportTrial], exported: Mapping[str, ExportRun]
) -> tuple[ModelFacts, ...]:
    """The models with what came of their exports."""
    of: dict[str, list[ExportRun]] = {}
    for trial in trials:
        if trial.id in exported:
            of.setdefault(trial.model.path, []).append(exported[trial.id])
    return tuple(
        msgspec.structs.replace(model, exports=tuple(of[model.path])) if model.path in of else model for model in models
    )


def _merged(target: InterpreterFacts | None, found: tuple[InterpreterFacts, ...]) -> tuple[InterpreterFacts, ...]:
    """All interpreters with the target among them, once and as it was read."""
    if target is None:
        return found
    return (target, *(each for each in found if each.path != target.path and each.prefix != (target.prefix or "")))


def _not_run(task: ProbeTask, error: Exception) -> Answer:
    """The answer of a probe that this machine had no means to run."""
    run = ProbeRun(
        origin=name_of(task.script),
        probe=task.probe,
        interpreter=task.interpreter,
        status="not-started",
        detail=f"{type(error).__name__}: {error}",
    )
    return Answer(facts={}, run=run)


def _reason(run: ProbeRun) -> str:
    return "cancelled" if run.status == "cancelled" else "probe-failed"


def _machine(answers: dict[str, Answer], missing: dict[str, str]) -> MachineFacts | None:
    machine, nvidia = answers["machine"], answers["nvidia"]
    facts = read_machine(machine.facts or None, nvidia.facts or None)
    reason = _reason(machine.run) if machine.run.status != "ok" else "not-on-this-system"
    for part in ("os", "cpu", "memory", "gpus", "nvidia", "amd", "intel", "apple", "jetson", "accelerators"):
        if getattr(facts, part) is None:
            missing[part] = reason
    if facts.nvidia is None and nvidia.run.status not in {"ok", "failed"}:
        missing["nvidia"] = _reason(nvidia.run)
    return facts


def _frameworks(
    target: InterpreterFacts | None, answers: dict[str, Answer], read: dict[str, Fact | None], missing: dict[str, str]
) -> Frameworks | None:
    names = Frameworks.__struct_fields__[2:]  # after origin and unread
    if target is None or target.problem is not None:
        reason = "no-interpreter" if target is None else "interpreter-not-usable"
        missing.update(dict.fromkeys((*names, "frameworks", "interpreter"), reason))
        if target is not None:
            del missing["interpreter"]
        return None
    found = {name: fact for name in names if (fact := read.get(name)) is not None}
    for name in names:
        if name in answers and name not in found:
            missing[name] = _reason(answers[name].run)
        elif name not in answers:
            missing[name] = "packages-unread" if target.packages is None else "not-installed"
    return msgspec.convert(found, Frameworks, from_attributes=True)


def _environment(
    target: InterpreterFacts | None, fact: Fact | None, missing: dict[str, str]
) -> EnvironmentVariables | None:
    if isinstance(fact, EnvironmentVariables):
        return fact
    missing["environment"] = "no-interpreter" if target is None else "probe-failed"
    return None

"""Runs jobs: probes beside each other, all else one at a time; every process is followed, limited, and resumed."""

from __future__ import annotations

import logging
import math
import os
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import psutil

from checks.engine.catalogues.computations import read_measurement, read_samples
from checks.engine.events import Event, Measured, ProbeEnded, ProbeSlow, ProbeStage, ProbeStarted, Progress, Watched
from checks.engine.job import Job, SpecT
from checks.engine.load_watch import LoadLog
from checks.engine.processes.runner import Answer, ProbeTask, run_probe
from checks.engine.scripts import name_of
from checks.facts import ProbeRun
from checks.facts.runs import RunStatus

log = logging.getLogger(__name__)

SLOW = 10.0  # seconds at one stage after which a probe names itself
BEAT = 0.1  # seconds between two reports of the progress
GRACE = 2.0  # seconds that work of our own gets after a cancel to hand over what it has

Result = TypeVar("Result")


class JobRunner:
    """The processes under way, their answers, and the events that nobody has taken yet.

    Its generators yield events as they come, and return what was run for. ``unplanned``: seconds of work that is
    expected, and of which no job exists yet.
    """

    def __init__(self, cancelled: Callable[[], bool]) -> None:
        self.unplanned = 0.0
        self._user_cancelled = cancelled
        self._closed = threading.Event()
        self._queue: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._pool = ThreadPoolExecutor(max_workers=max(4, os.cpu_count() or 1), thread_name_prefix="probe")
        self._futures: dict[str, Future[Answer]] = {}
        self._planned: dict[str, Job[Any, Any]] = {}
        self._begun: set[str] = set()  # ids of the jobs that were begun and not run to their end
        self._skipped: set[str] = set()  # ids of the jobs that were planned and not run after all
        self._started: dict[str, float] = {}
        self._stages: dict[str, tuple[str, float]] = {}  # job -> (stage, since when)
        self._named: set[tuple[str, str]] = set()  # (job, stage) that were called slow
        self._share = 0.0  # of the work that is done, as it was reported last

    def cancelled(self) -> bool:
        """Whether all work is to end: the user wants it, or nobody listens any more."""
        return self._closed.is_set() or self._user_cancelled()

    def stop(self) -> None:
        """End every process and wait until none is left."""
        self._closed.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def plan(self, jobs: Iterable[Job[Any, Any]]) -> dict[str, float]:
        """Count these jobs as work ahead, but for those that have a reason; returns expected seconds by id."""
        planned = {job.id: job for job in jobs if not job.reason}
        self._planned |= planned
        return {name: job.expected_seconds for name, job in planned.items()}

    @property
    def expected(self) -> dict[str, float]:
        """Expected seconds of everything that was planned until now, by id."""
        return {name: job.expected_seconds for name, job in self._planned.items()}

    @property
    def answers(self) -> dict[str, Answer]:
        """The last answer of every job that has ended, by its id."""
        return {name: future.result() for name, future in self._futures.items()}

    def start(self, jobs: Iterable[Job[Any, Any]]) -> None:
        """Start jobs beside each other, each once."""
        for job in jobs:
            if job.id not in self._futures:
                self.plan((job,))
                self._submit(job)

    def begin(self, job: Job[Any, Any]) -> None:
        """Start a job that :meth:`run` will take to its end, so that it runs while something else is done."""
        if not job.reason:
            self.start((job,))
            self._begun.add(job.id)

    def run(self, job: Job[SpecT, Result]) -> Generator[Event, None, tuple[Answer, ...]]:
        """Run one job to its end, with as many processes as it takes; no answer for a job that has a reason."""
        if job.reason:
            if job.id in self._planned:
                self._skipped.add(job.id)
                yield ProbeEnded(
                    job.id, ProbeRun(probe=job.id, interpreter=job.interpreter, status=RunStatus.SKIPPED.value)
                )
            return ()
        answers: list[Answer] = []
        current: Job[SpecT, Result] | None = job
        while current is not None:
            if job.id in self._begun:
                self._begun.discard(job.id)
            else:
                self._submit(current)
            yield from self.follow()
            answers.append(self._futures[job.id].result())
            current = job.resume(job, answers)
        return tuple(answers)

    def results(self, jobs: Iterable[Job[SpecT, Result]]) -> Generator[Event, None, list[Result]]:
        """Run jobs one after the other; returns the result of each."""
        found = []
        for job in jobs:
            answers = yield from self.run(job)
            found.append(job.result(answers))
        return found

    def submit(self, work: Callable[..., Result], *arguments: Any, **named: Any) -> Future[Result]:
        """Start work of our own beside the processes."""
        return self._pool.submit(work, *arguments, **named)

    def until(self, work: Future[Any]) -> Iterator[Event]:
        """Yield events until some work of our own is done; a cancel ends it soon, but for a disk that hangs."""
        patience = math.inf
        while not work.done() and time.monotonic() < patience:
            if self.cancelled():
                patience = min(patience, time.monotonic() + GRACE)
            try:
                yield self._queue.get(timeout=BEAT)
            except queue.Empty:
                yield self._progress()
        if work.done():
            work.result()  # raises what it raised

    def follow(self) -> Iterator[Event]:
        """Yield events until all processes have ended."""
        while not all(future.done() for future in self._futures.values()) or not self._queue.empty():
            try:
                yield self._queue.get(timeout=BEAT)
            except queue.Empty:
                yield from self._slow()
                yield self._progress()

    def _submit(self, job: Job[Any, Any]) -> None:
        task = job.task(psutil.virtual_memory().available)
        self._futures[job.id] = self._pool.submit(self._run, task)

    def _run(self, task: ProbeTask) -> Answer:
        probe = task.probe
        self._started[probe] = time.monotonic()
        self._stages[probe] = ("", time.monotonic())
        self._queue.put(ProbeStarted(probe))
        load_log = LoadLog()

        def on_stage(stage: str) -> None:
            self._stages[probe] = (stage, time.monotonic())
            self._queue.put(ProbeStage(probe, stage))
            load_log.begin_stage(stage)

        def on_facts(facts: dict[str, Any]) -> None:
            for raw in facts.get("measurements+") or ():
                measurement = read_measurement(raw, name_of(task.script))
                if measurement is not None:
                    self._queue.put(Measured(probe, measurement))
            for sample in read_samples(facts.get("watched+")):
                self._queue.put(Watched(probe, str(task.argument.get("device", "")), sample))

        try:
            answer = run_probe(task, cancelled=self.cancelled, on_stage=on_stage, on_facts=on_facts)
            answer = load_log.completed(answer)
        except Exception as error:  # no room for temporary files, no thread to be had: the other answers are kept
            log.exception("the probe %s could not be run", probe)
            answer = _not_run(task, error)
        self._stages.pop(probe, None)
        self._queue.put(ProbeEnded(probe, answer.run))
        return answer

    def _slow(self) -> Iterator[Event]:
        """What is long at one stage. Where something computes that is its work, until its time is over."""
        for probe, (stage, since) in list(self._stages.items()):
            job = self._planned.get(probe)
            if job and job.seconds and time.monotonic() - self._started[probe] <= job.expected_seconds:
                continue
            seconds = time.monotonic() - since
            if seconds >= SLOW and (probe, stage) not in self._named:
                self._named.add((probe, stage))
                yield ProbeSlow(probe, stage, seconds)

    def _progress(self) -> Progress:
        """Share by expected seconds; no remaining time is given once a job takes longer than expected."""
        done, beside, after, overdue = 0.0, 0.0, self.unplanned, False
        for name, job in self._planned.items():
            if name in self._skipped or (name in self._futures and self._futures[name].done()):
                done += job.expected_seconds
                continue
            elapsed = time.monotonic() - self._started[name] if name in self._started else 0.0
            done += min(elapsed, job.expected_seconds * 0.95)
            if job.runs_alone:
                after += job.expected_seconds - elapsed
            else:
                beside = max(beside, job.expected_seconds - elapsed)
            overdue = overdue or elapsed > job.expected_seconds
        total = sum(self.expected.values()) + self.unplanned
        # More work may come to light, and a bar that goes back is not believed.
        self._share = max(self._share, done / total if total else 0.0)
        return Progress(share=self._share, remaining=None if overdue else beside + after)


def _not_run(task: ProbeTask, error: Exception) -> Answer:
    run = ProbeRun(
        origin=name_of(task.script),
        probe=task.probe,
        interpreter=task.interpreter,
        status="not-started",
        detail=f"{type(error).__name__}: {error}",
    )
    return Answer(facts={}, run=run)

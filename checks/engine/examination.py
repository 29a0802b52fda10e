"""One examination from the request to the case, as events.

Collect the facts, read the models, plan what is tried and computed, run it job by job, and judge what is known then.
It owns the child processes: it ends them all when it is cancelled or closed. What it has by then it keeps, judges, and
hands over in :class:`Finished`.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from checks.engine.collect import collected, merged
from checks.engine.events import CheckEnded, Event, Finished, Planned, Progress
from checks.engine.installed_files import installed_of, with_content_compared
from checks.engine.job import Job
from checks.engine.job_runner import JobRunner
from checks.engine.plans.ask import own_jobs, target_jobs
from checks.engine.plans.compute import budget, compute_jobs, is_wanted, with_saved
from checks.engine.plans.export import export_jobs
from checks.engine.plans.load import load_jobs
from checks.engine.plans.quantisation import quantisation_jobs, with_weights
from checks.engine.plans.recheck import recheck_job
from checks.engine.plans.rerun import rerun_jobs
from checks.engine.plans.statements import StatementsJob, statements_job, with_script_examined
from checks.engine.request import Request
from checks.engine.resume import Remaining
from checks.engine.searched_folders import searched_of
from checks.facts import (
    Facts,
    InterpreterFacts,
    LocalProgram,
    Measurement,
    ModelComparison,
    ModelFacts,
    NamedModel,
    ProbeRun,
    ProbeRuns,
    WeightLoss,
)
from checks.facts.finding import Outcome
from checks.interpreters import Places, choice_among, find_interpreters, may_start, read_interpreter

log = logging.getLogger(__name__)


def examine(request: Request, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
    """Examine this machine and one interpreter. The last event is always :class:`Finished`.

    Closing the iterator early ends all probes as a cancel does.
    """
    runner = JobRunner(cancelled)
    try:
        yield from _Examination(request, runner).events()
    finally:
        runner.stop()


class _Examination:
    """One run: the request, what runs its jobs, and the models as far as they are read."""

    def __init__(self, request: Request, runner: JobRunner) -> None:
        self._request = request
        self._runner = runner
        self._models: tuple[ModelFacts, ...] = ()

    def events(self) -> Iterator[Event]:
        """The whole run."""
        request, runner = self._request, self._runner
        runner.unplanned = budget(request)
        reading = runner.submit(self._read_models)
        if request.target is None and request.interpreters is None:
            runner.start(own_jobs(request))  # the search for interpreters takes longer than these
        target, interpreters = self._target()
        asked = (*target_jobs(target, request), *own_jobs(request))
        runner.start(asked)
        statements = statements_job(target, request)
        if statements is not None:
            runner.begin(statements)
        files = runner.submit(installed_of, target, request)
        programs = runner.submit(_local_programs, request)
        runner.submit(_prepare_hiding, looking_back=request.history is not None)
        # Only now: importing every check costs time that the probes can use.
        from checks.judgement.judge import checks_for, judge_each, judged

        checks = checks_for(request.answers.symptom, computed=bool(request.repeat))
        yield from runner.until(reading)
        models = self._models
        naming = runner.submit(_named_models, statements, runner.cancelled)
        comparing = runner.submit(_side_by_side, models, runner.cancelled)
        losing = runner.submit(_losses_of_weights, models, runner.cancelled)
        # Planned with what is known by now, and once more when the answers are there: then some have a reason.
        known = Facts(interpreters=merged(target, ()), target=target.path if target else None, models=models)
        if statements:  # what comes of them is read by much that no other examination needs
            runner.submit(importlib.import_module, "checks.judgement.programs.runs")
        runner.plan((*load_jobs(known, request), *export_jobs(known, request)))
        yield Planned(probes=runner.expected, checks=tuple(check.cause for check in checks))
        if request.interpreters is None and not runner.cancelled():
            # Looked for while the probes run: other interpreters explain much ("torch is in that one").
            interpreters = merged(target, find_interpreters(Places.of_this_machine(request.near)))
        tried = (yield from runner.results((statements,))) if statements else []
        yield from runner.follow()

        answers = runner.answers
        read = {job.id: job.result((answers[job.id],)) for job in asked}
        yield from runner.until(files)
        yield from runner.until(programs)
        facts = collected(request, target, interpreters, models, answers, read)
        facts = msgspec.structs.replace(facts, runs=(*facts.runs, *(run for runs in tried for run in runs)))
        facts = with_script_examined(facts, request)
        facts = msgspec.structs.replace(facts, searched=searched_of(target, facts, request))
        if programs.done():
            facts = msgspec.structs.replace(facts, local_programs=programs.result())
        if files.done():
            facts = with_content_compared(msgspec.structs.replace(facts, installed=files.result()), request)
        facts = yield from self._try_models(facts)
        facts = yield from self._compute(facts)
        yield from runner.until(comparing)
        facts = msgspec.structs.replace(facts, comparisons=comparing.result() if comparing.done() else ())
        yield from runner.until(losing)
        facts = with_weights(facts, losing.result() if losing.done() else ())
        yield from runner.until(naming)
        facts = msgspec.structs.replace(facts, named_models=_unseen(naming.result(), facts) if naming.done() else ())
        if request.history is not None and not runner.cancelled():
            facts = with_history(facts, request.history)
        outcomes: list[Outcome] = []
        for outcome in judge_each(facts):
            outcomes.append(outcome)
            yield CheckEnded(outcome)
        yield Progress(share=1.0, remaining=0.0)
        yield Finished(judged(facts, request.answers, outcomes=outcomes, complete=not runner.cancelled()))

    def _read_models(self) -> None:
        if not self._request.models:
            return
        from checks.engine.given_models import read_each

        for models in read_each(self._request.models, self._runner.cancelled):
            self._models += models

    def _target(self) -> tuple[InterpreterFacts | None, tuple[InterpreterFacts, ...]]:
        """The Python to examine, and all that are known. One that is another user's by now is not started."""
        target, known = self._wanted()
        if target is not None and target.problem is None and not may_start(target):
            target = msgspec.structs.replace(target, problem="of-another")
        return target, known if target is None else merged(target, known)

    def _wanted(self) -> tuple[InterpreterFacts | None, tuple[InterpreterFacts, ...]]:
        wanted, known = self._request.target, self._request.interpreters
        if wanted is not None:
            chosen = next((interpreter for interpreter in known or () if interpreter.path == wanted), None)
            return chosen or read_interpreter(wanted, found_by=("chosen",)), known or ()
        if known is None:
            known = find_interpreters(Places.of_this_machine(self._request.near))
        return choice_among(known).named, known

    def _try_models(self, facts: Facts) -> Generator[Event, None, Facts]:
        """Load and export the models, one at a time: that is timed, and needs the memory."""
        loads, exports = load_jobs(facts, self._request), export_jobs(facts, self._request)
        runs = yield from self._runner.results(loads)
        exported = yield from self._runner.results(exports)
        models = []
        for model in facts.models:
            found = tuple(run for of_job in _about(model, loads, runs) for run in of_job) or model.runs
            models.append(
                msgspec.structs.replace(
                    model, runs=found, exports=tuple(_about(model, exports, exported)) or model.exports
                )
            )
        return msgspec.structs.replace(facts, models=tuple(models))

    def _compute(self, facts: Facts) -> Generator[Event, None, Facts]:
        """Run the models again and compute on each device: what does is known only now that they were tried."""
        measured: list[Measurement] = []
        ended: list[ProbeRun] = []
        losses = quantisation_jobs(facts, self._request)
        if losses and not self._runner.cancelled():
            yield Planned(probes=self._runner.plan(losses), checks=())
            for result in (yield from self._runner.results(losses)):
                measured += result
        if self._runner.unplanned and not self._runner.cancelled():
            reruns = rerun_jobs(facts, self._request)
            of_models = sum(sum(job.seconds.values()) for job in reruns)
            computations = compute_jobs(facts, self._request, without=of_models)
            self._runner.unplanned = 0.0
            yield Planned(probes=self._runner.plan((*reruns, *computations)), checks=())
            for result in (yield from self._runner.results(reruns)):
                measured += result
            saved = 0.0  # seconds that those before it took less than they were given
            for place, planned in enumerate(computations):
                job = with_saved(planned, saved, computations[place:], self._request.load)
                answers = yield from self._runner.run(job)
                result = job.result(answers)
                measured += result
                ended += (answer.run for answer in answers)
                saved += sum(job.seconds.values()) - Remaining.after(job, answers).used
                again = recheck_job(job, result)
                if again is not None and not self._runner.cancelled():
                    yield Planned(probes=self._runner.plan((again,)), checks=())
                    answers = yield from self._runner.run(again)
                    measured += again.result(answers)
                    ended += (answer.run for answer in answers)
        self._runner.unplanned = 0.0
        before = facts.probes.runs if facts.probes else ()
        return msgspec.structs.replace(
            facts,
            measurements=tuple(measured),
            probes=ProbeRuns(runs=(*before, *ended)),
            missing=facts.missing if measured else {**facts.missing, "measurements": self._why_nothing_computed()},
        )

    def _why_nothing_computed(self) -> str:
        request = self._request
        repeats = request.repeat and request.models
        if not is_wanted(request) and not repeats and not request.load:
            return "not-asked"
        return "cancelled" if self._runner.cancelled() else "nothing-computes"


# Imported on a thread of their own, while the first probes run: what reads models and logs is large.


def _local_programs(request: Request) -> tuple[LocalProgram, ...] | None:
    from checks.engine.local_programs import local_programs_of

    return local_programs_of(request)


def _side_by_side(models: tuple[ModelFacts, ...], cancelled: Callable[[], bool]) -> tuple[ModelComparison, ...]:
    if not models:
        return ()
    from checks.engine.given_models import side_by_side

    return side_by_side(models, cancelled)


def _losses_of_weights(models: tuple[ModelFacts, ...], cancelled: Callable[[], bool]) -> tuple[WeightLoss, ...]:
    if not models:
        return ()
    from checks.engine.given_models import losses_of_weights

    return losses_of_weights(models, cancelled)


def _named_models(statements: StatementsJob | None, cancelled: Callable[[], bool]) -> tuple[NamedModel, ...]:
    if statements is None or not any(call.asked.is_model for call in statements.spec.calls.values()):
        return ()
    from checks.engine.named_models import read_named

    return read_named(statements.spec.calls.values(), cancelled)


def _unseen(named: tuple[NamedModel, ...], facts: Facts) -> tuple[NamedModel, ...]:
    """Those whose call was not seen to work: what was loaded is whole, whatever a reader says."""
    seen = {run.statement for run in facts.runs if run.worked}
    return tuple(one for one in named if one.label not in seen)


def _prepare_hiding(*, looking_back: bool) -> None:
    """Load what hides names while the probes run: compiling its patterns takes longer than a snapshot or a report."""
    from checks.sharing.redact import redacted_plain, this_machine

    if looking_back:
        from checks.history.harmless import plainly_redacted
        from checks.history.remember import look_back  # noqa: F401

        plainly_redacted({"path": "/usr"}, this_machine())
    redacted_plain({"path": "/"})


def with_history(facts: Facts, folder: Path) -> Facts:
    """The facts with what changed since it worked; this examination is remembered in its turn."""
    from checks.history.remember import look_back  # late: not every examination looks back
    from checks.history.store import Store

    try:
        return msgspec.structs.replace(facts, history=look_back(facts, Store(folder)))
    except Exception:  # our own bug: what was examined is worth more
        log.exception("the history was not read")
        return facts


def _about(model: ModelFacts, jobs: Iterable[Job[Any, Any]], results: Iterable[Any]) -> Iterator[Any]:
    return (result for job, result in zip(jobs, results, strict=True) if job.model is model)

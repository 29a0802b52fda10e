"""One examination of a served model, as events: it is asked, then what is known is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from checks.causes.registry import KINDS
from checks.engine.events import CheckEnded, Event, Finished, Planned, Progress
from checks.engine.job_runner import JobRunner
from checks.engine.served.plan import ServedRequest, served_job
from checks.facts import Facts, ProbeRuns, Symptom
from checks.facts.case import Answers
from checks.facts.question import SERVED
from checks.judgement.judge import checks_for, judged


def examine_served(request: ServedRequest, cancelled: Callable[[], bool] = lambda: False) -> Iterator[Event]:
    """Ask a served model. The last event is always :class:`Finished`, after a cancel with what came until then."""
    runner = JobRunner(cancelled)
    try:
        job = served_job(request)
        yield Planned(probes=runner.plan((job,)), checks=tuple(check.cause for check in checks_for(SERVED)))
        answers = yield from runner.run(job)
        facts = Facts(
            served=job.result(answers),
            symptom=Symptom(origin="user", name=SERVED),
            probes=ProbeRuns(runs=tuple(answer.run for answer in answers)),
            here=True,
            missing=dict.fromkeys((name for name, _ in KINDS.values() if name != "served"), "not-asked"),
        )
        asked = Answers(symptom=SERVED, effort=request.effort)
        case = judged(facts, asked, complete=not cancelled())
        for outcome in case.outcomes:
            yield CheckEnded(outcome)
        yield Progress(share=1.0, remaining=0.0)
        yield Finished(case)
    finally:
        runner.stop()

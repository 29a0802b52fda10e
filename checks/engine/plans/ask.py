"""Which questions are asked before all else: of the machine in our own interpreter, of the frameworks in the target."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from checks.engine.catalogues.probes import PROBES, ProbeSpec, read_answer
from checks.engine.job import Job, Limit
from checks.engine.processes.runner import Answer
from checks.engine.request import Request
from checks.facts import Fact, InterpreterFacts

# Probes that look at the machine; they run in our own interpreter, whatever the target is.
OWN = ("machine", "nvidia")

AskJob = Job[ProbeSpec, Fact | None]


def own_jobs(request: Request) -> tuple[AskJob, ...]:
    """The questions about the machine."""
    return tuple(_job(spec, sys.executable, request) for spec in PROBES if spec.id in OWN)


def target_jobs(target: InterpreterFacts | None, request: Request) -> tuple[AskJob, ...]:
    """The questions about what is installed in the target, those that take longest first; none where it is broken."""
    if target is None or target.problem is not None:
        return ()
    asked = [spec for spec in PROBES if spec.id not in OWN]
    return tuple(
        _job(spec, target.path, request)
        for spec in sorted(asked, key=lambda spec: -spec.expected_seconds)
        if not spec.distributions or target.package(*spec.distributions)
    )


def _job(spec: ProbeSpec, interpreter: str, request: Request) -> AskJob:
    limit = Limit(spec.time_limit(request.answers.effort))
    return AskJob(
        spec.id,
        spec,
        interpreter,
        spec.argument(),
        limit,
        _read,
        spec.expected_seconds,
        is_isolated=spec.id in OWN,
    )


def _read(job: AskJob, answers: Sequence[Answer]) -> Fact | None:
    return read_answer(job.spec, answers[-1]) if answers else None

"""The probe of served models, run in this process against a server of a test: what it tells, as the engine reads it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any
from unittest.mock import patch

from checks.engine.processes.runner import Answer
from checks.engine.served import plan
from checks.facts import ProbeRun, ServedFacts
from checks.probes.served import probe

SMALL = plan.Amount(
    times=10, rounds=10, at_once=3, groups=3, seeds=5, other_seeds=2, max_tokens=16, seconds=400.0
)  # as tests/tools/record_served.py has it
TINY = plan.Amount(times=2, rounds=2, at_once=2, groups=1, seeds=2, other_seeds=1, max_tokens=8, seconds=60.0)


def asked(url: str, amount: plan.Amount = TINY, **more: Any) -> ServedFacts:
    """The facts of an examination."""
    with patch.dict(plan.AMOUNTS, quick=amount):
        job = plan.served_job(plan.ServedRequest(base=f"{url}/v1", effort="quick", **more))
        argument, facts = dict(job.argument), dict[str, Any]()
        for stage in probe.STAGES:
            for part in stage(argument):
                _learn(part, facts)
        importlib.reload(probe)  # its stages are used up, as in a process they are
        run = ProbeRun(origin="played", probe=job.id, interpreter="python", status="ok", stages=())
        return job.result((Answer(facts=facts, run=run),))


def _learn(part: Mapping[str, Any], facts: dict[str, Any]) -> None:
    """As a transcript does: "name+" is added to the list "name"."""
    for name, value in part.items():
        if name.endswith("+"):
            facts.setdefault(name[:-1], []).extend(value)
        else:
            facts[name] = value

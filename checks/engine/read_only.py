"""Model files that are read and judged, and tried nowhere: no interpreter is asked, no probe started."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from checks.causes.registry import KINDS
from checks.engine.events import CheckEnded, Event, Finished, Planned, Progress
from checks.engine.given_models import losses_of_weights, read_each, side_by_side
from checks.engine.plans.quantisation import with_weights
from checks.facts import Facts, ModelFacts, Symptom
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import checks_for, judged


def read_only(
    paths: Sequence[Path], answers: Answers, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[Event]:
    """The events of an examination; the last one is always :class:`Finished`, after a cancel with what was read."""
    yield Planned(probes={}, checks=tuple(check.cause for check in checks_for(MODELS)))
    read: list[ModelFacts] = []
    began = time.monotonic()
    for done, models in enumerate(read_each(paths, cancelled), start=1):
        read.extend(models)
        taken = time.monotonic() - began
        yield Progress(share=done / (len(paths) + 1), remaining=taken / done * (len(paths) - done))
    facts = Facts(
        models=tuple(read),
        comparisons=side_by_side(tuple(read), cancelled),
        symptom=Symptom(origin="user", name=MODELS),
        here=True,
        missing=dict.fromkeys((name for name, _ in KINDS.values() if name != "models"), "no-target"),
    )
    facts = with_weights(facts, losses_of_weights(tuple(read), cancelled))
    case = judged(facts, answers, complete=not cancelled())
    for outcome in case.outcomes:
        yield CheckEnded(outcome)
    yield Progress(share=1.0, remaining=0.0)
    yield Finished(case)

"""Model files that are read and judged, and tried nowhere: no interpreter is asked, no probe started."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from checks.causes.registry import KINDS
from checks.engine.events import CheckEnded, Event, Finished, Planned, Progress
from checks.engine.examination import side_by_side
from checks.facts import Facts, ModelFacts, Symptom
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import checks_for, judged
from checks.readers.models import read_models


def read_only(
    paths: Sequence[Path], answers: Answers, cancelled: Callable[[], bool] = lambda: False
) -> Iterator[Event]:
    """Told as an examination is; the last event is always :class:`Finished`, after a cancel with what was read."""
    yield Planned(probes={}, checks=tuple(each.cause for each in checks_for(MODELS)))
    read: list[ModelFacts] = []
    began = time.monotonic()
    for done, path in enumerate(paths, start=1):
        if cancelled():
            break
        read.extend(read_models(path, cancelled))
        taken = time.monotonic() - began
        yield Progress(share=done / (len(paths) + 1), remaining=taken / done * (len(paths) - done))
    facts = Facts(
        models=tuple(read),
        comparisons=side_by_side(tuple(read), cancelled),
        symptom=Symptom(origin="user", name=MODELS),
        missing=dict.fromkeys((name for name, _ in KINDS.values() if name != "models"), "no-target"),
    )
    case = judged(facts, answers, complete=not cancelled())
    for outcome in case.outcomes:
        yield CheckEnded(outcome)
    yield Progress(share=1.0, remaining=0.0)
    yield Finished(case)

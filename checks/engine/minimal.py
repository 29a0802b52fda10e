"""The smallest part of the user's models that still shows a difference: looked for, written, and judged with the case.

It is asked for on its own, when it is known that there is a difference.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import msgspec

from checks.engine.events import Event
from checks.engine.job_runner import JobRunner
from checks.engine.plans.minimal import MinimalJob, is_any_telling, minimal_job, suspects
from checks.facts import Measurement, MinimalGraph
from checks.facts.case import Case


def can_be_cut(case: Case) -> bool:
    """Whether a model of a case that was examined here shows what is worth being cut down, and was not.

    Rounding is not: on request it is cut down all the same.
    """
    is_cut = any(isinstance(measured, MinimalGraph) for measured in case.facts.measurements)
    return case.facts.here and bool(case.facts.target) and not is_cut and is_any_telling(case.facts)


def to_cut(case: Case, beside: str = "") -> tuple[str, ...]:
    """The names of the models of which a part would be looked for."""
    found = suspects(case.facts, beside)
    return tuple(model.name for model in case.facts.models if model.path in found)


def cut_down(
    case: Case,
    folder: Path,
    inputs: Path | None = None,
    beside: str = "",
    cancelled: Callable[[], bool] = lambda: False,
) -> Generator[Event, None, Case]:
    """Cut each model down and write its part to the folder, of several to one in it for each.

    ``inputs``: those of the models. ``beside``: a second Python, with another ONNX Runtime.

    Returns:
        The case with what was found, judged again. After a cancel nothing half done is left behind.
    """
    from checks.judgement.judge import judged  # late: to import every check takes time

    found = suspects(case.facts, beside)
    models = [model for model in case.facts.models if model.path in found]
    measured: list[Measurement] = []
    runner = JobRunner(cancelled)
    try:
        for place, model in enumerate(models):
            if cancelled():
                break
            target = folder if len(models) == 1 else folder / f"{place + 1}-{Path(model.name).stem}"
            part = target.with_name(f"{target.name}.part-{os.getpid()}")
            part.parent.mkdir(parents=True, exist_ok=True)
            job = minimal_job(model, found[model.path], part, case.facts, case.answers.effort, inputs)
            try:
                measured += yield from _run(job, runner, part, target)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    finally:
        runner.stop()
    facts = msgspec.structs.replace(case.facts, measurements=(*case.facts.measurements, *measured))
    return judged(facts, case.answers, created=case.created, complete=case.complete)


def _run(job: MinimalJob, runner: JobRunner, part: Path, target: Path) -> Generator[Event, None, list[Measurement]]:
    answers = yield from runner.run(job)
    return list(_placed(job.result(answers), part, target))


def _placed(results: tuple[Measurement, ...], part: Path, target: Path) -> Iterator[Measurement]:
    """The results, with the folder where one was written: it appears whole or not at all."""
    for result in results:
        if part.is_dir() and isinstance(result, MinimalGraph) and not result.reason:
            if target.is_dir():
                target.rmdir()  # an empty one, as was looked at before
            part.replace(target)
            yield msgspec.structs.replace(result, folder=str(target))
        else:
            yield result

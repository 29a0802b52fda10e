"""What is computed once more in a new process: results that differ as no order of computing explains.

A fault of the hardware is called so only where it comes again, and of a first call that differs it is asked whether
that comes again. Nothing is computed again on a device where all was as it should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from checks.analysis.numbers.repeats import FRESH, Variation, repeated
from checks.engine.catalogues.computations import LOAD, ComputationJob, with_seconds
from checks.facts import Health, Measurement

_REPEAT = "repeat"
_FIRST, _EACH, _MOST = 6.0, 2.0, 30.0  # seconds until inputs are drawn, for one operation, and for all together
_SUSPECT = (Variation.WRONG, Variation.FIRST_CALL)


def recheck_job(job: ComputationJob, measured: Sequence[Measurement]) -> ComputationJob | None:
    """The job that computes again, in a process of its own, what ``job`` found suspect; None where nothing is."""
    names = sorted({run.operation for run in repeated(measured, {}) if run.variation in _SUSPECT})
    loads = [run for run in measured if isinstance(run, Health) and run.wrong]
    seconds = {_REPEAT: min(_FIRST + _EACH * len(names), _MOST)} if names else {}
    if loads:
        seconds[LOAD] = max(run.length or 0.0 for run in loads)
    if not seconds:
        return None
    again = with_seconds(job, seconds, operations=names, setting=FRESH, settings=[FRESH])
    return replace(again, id=f"{job.id}:again", expected_seconds=job.spec.expected_start + sum(seconds.values()))

"""Whether a finding that is gone was mended, or only not looked for again: a shorter examination measures less.

A fault is called fixed by that which saw it. The program that failed has to be run again and work; what only a text
told of is not closed by leaving the text out, and nothing is by asking about another symptom or another Python. For
measurements the check judges once more what is measured now together with what only the examination before had
measured. Where the finding comes back, it rests on what was not repeated, and whether it is fixed is unknown.
"""

from collections.abc import Hashable, Iterator

import msgspec

from checks.analysis.models.repeats import mends
from checks.analysis.numbers.repeats import is_kept_away, runs
from checks.causes.registry import all_checks
from checks.facts import Experiment, Facts, Health, Measurement, Measurements, ModelMeasured, ProgramRun, Repeat
from checks.facts.case import Case
from checks.facts.finding import FAILED_RUN, Finding
from checks.judgement.one_check import judge_one


def is_seen_mended(finding: Finding, before: Facts, now: Facts) -> bool:
    """Whether what the finding rested on was looked at again. ``before``, ``now``: of the two examinations."""
    failed = finding.named(FAILED_RUN)
    if failed:
        return _works_now(failed, before, now)
    if finding.evidence and all(evidence.lines for evidence in finding.evidence):
        return False
    check = all_checks().get(finding.cause)
    if check is None or not any(kind in (Measurements, Facts) for kind, _ in check.wanted.values()):
        return True
    both = msgspec.structs.replace(now, measurements=tuple(_together(before, now)))
    again = judge_one(check, both).findings
    return finding.subject not in {later.subject for later in again}


def is_same_question(before: Case, now: Case) -> bool:
    """Whether both examined the same Python for the same trouble."""
    return (before.facts.target, before.answers.symptom) == (now.facts.target, now.answers.symptom)


def _works_now(label: str, before: Facts, now: Facts) -> bool:
    """Whether the program or statement that failed was run again where it failed, and came to its end."""
    failed_in = {_folder(run) for run in before.runs if run.label == label and not run.worked}
    works_in = {_folder(run) for run in now.runs if run.label == label and run.worked}
    if works_in and failed_in <= works_in:
        return True
    names = now.frameworks.each() if now.frameworks else ()
    return any(label == f"import {name}" and framework.imported for name, framework in names)


def _folder(run: ProgramRun) -> str:
    """Where a program was started; a statement is tried wherever Naosu is, and is the same anywhere."""
    return "" if run.statement else run.folder


def _together(before: Facts, now: Facts) -> Iterator[Measurement]:
    """What is measured now; what was not, or too little to tell whether it has changed, as it was before."""
    had = {_key(run): run for run in before.measurements if not run.is_left_out}
    for run in now.measurements:
        old = had.get(_key(run))
        if old is None or _tells(run, old):
            had.pop(_key(run), None)
            yield run
    yield from had.values()


def _key(measured: Measurement) -> Hashable:
    """What was measured, where and how."""
    named = (type(measured), measured.framework, measured.operation, measured.device, measured.dtype, measured.setting)
    return (*named, measured.path, measured.aspect, measured.other) if isinstance(measured, ModelMeasured) else named


def _tells(now: Measurement, before: Measurement) -> bool:
    """Whether it would show what was seen before."""
    if now.is_left_out:
        return False
    match now, before:
        case Repeat(), Repeat() if before.varies:
            return _would_show(now, before)
        case Experiment(), Experiment() if before.distinct > 1:
            return all(_would_show(one, other) for one, other in zip(runs([now]), runs([before]), strict=False))
        case ModelMeasured(), ModelMeasured() if (before.distinct or 0) > 1:
            return (now.distinct or 0) > 1 or mends(now, before)
        case Health(), Health() if before.wrong:
            return bool(now.wrong) or (now.length or 0) >= (before.length or 0)
        case _:
            return True


def _would_show(now: Repeat, before: Repeat) -> bool:
    return now.varies or is_kept_away(before, now)

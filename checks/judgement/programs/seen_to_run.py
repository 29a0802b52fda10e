"""Whether the user's own program was seen to run: the one observation that lets a report say so."""

from __future__ import annotations

from checks.analysis.gpu.of_programs import computed_on_gpu
from checks.facts import Facts, ProgramEnd, ProgramRun
from checks.facts.programs.watched import GONE
from checks.facts.question import SymptomName
from checks.facts.remedies.mendings import as_seen_last, fixed_by

# Questions that a program answers by coming to its end; whether it used the GPU, or was right, is another matter.
_OF_STARTING = (
    SymptomName.DOES_NOT_START,
    SymptomName.WORKS_ELSEWHERE,
    SymptomName.AFTER_CHANGE,
    SymptomName.EVERYTHING,
)

_STILL = (ProgramEnd.WATCHED, ProgramEnd.RUNNING)


def runs_now(facts: Facts) -> tuple[ProgramRun, ...]:
    """Every run as it was seen last: behind a remedy that stands, where one was carried out here."""
    fixed = fixed_by(facts.mendings)
    return tuple(as_seen_last(run, fixed) for run in facts.runs)


def still_failing(facts: Facts) -> tuple[ProgramRun, ...]:
    """The runs that failed and were not seen to come to their end behind what was carried out here."""
    fixed = fixed_by(facts.mendings)
    return tuple(run for run in facts.runs if run.failed and not as_seen_last(run, fixed).worked)


def worked(facts: Facts) -> bool:
    """Whether it came to its end without a failure, and that is what was asked; behind what was carried out here."""
    whole = [run for run in runs_now(facts) if not run.statement]
    return _is_asked(facts) and bool(whole) and all(run.worked for run in whole)


def was_brought_to_gpu(facts: Facts) -> bool:
    """Whether it computes on a GPU behind what was carried out here, and did not before."""
    fixed = fixed_by(facts.mendings)
    return fixed is not None and fixed.of_gpu and fixed.before is not None and not fixed.before.statement


def still_ran(facts: Facts) -> bool:
    """Whether it had not failed when the chosen time was over, and that it starts at all is what was asked."""
    whole = [run for run in facts.runs if not run.statement]
    is_running = [run.end in _STILL and run.detail != GONE for run in whole]
    return (
        _is_asked(facts)
        and any(is_running)
        and all(run.worked or runs for run, runs in zip(whole, is_running, strict=True))
    )


def only_waited(facts: Facts) -> bool:
    """Whether what ran here before was seen to wait all the time: it may hang, and nobody saw it work."""
    return any(run.only_waited for run in facts.runs)


def used_gpu(facts: Facts) -> bool:
    """Whether each of them was seen to compute on a GPU, and that is what was asked."""
    whole = [run for run in facts.runs if not run.statement]
    is_asked = facts.symptom is not None and facts.symptom.name == SymptomName.NOT_ON_GPU
    nvidia = facts.machine.nvidia if facts.machine else None
    if is_asked and not whole:
        return local_program_used_gpu(facts)
    return is_asked and bool(whole) and all(computed_on_gpu(run, nvidia) and not run.failed for run in whole)


def local_program_used_gpu(facts: Facts) -> bool:
    """Whether the program with a runtime of its own that was asked about, or that wrote the text, used the GPU."""
    asked = facts.symptom.program if facts.symptom else ""
    programs = [program for program in facts.local_programs or () if facts.reported or program.name == asked]
    return bool(programs) and all(program.is_whole_on_gpu and not program.is_old for program in programs)


def _is_asked(facts: Facts) -> bool:
    return facts.symptom is None or facts.symptom.name in _OF_STARTING

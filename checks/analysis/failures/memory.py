"""A program that ended for want of main memory: killed by the system, or refused what it asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from checks.analysis.failures.of_runs import Failure
from checks.facts import MemoryFacts, ProgramEnd, Raised
from checks.knowledge.errors.import_errors import Recognised, recognise
from checks.knowledge.sizes import size_of

CAUSE = "main-memory-too-small"
REACHED = 0.8  # of the memory that there is: a program that was seen to hold so much was at the end of it
ROOM = 0.5  # ... and one that stays below this with what it asks for was not
WORDED = 0.8  # words of this certainty show it by themselves, others only where the memory was seen to be used
UNSURE = 0.6  # of a refusal while there was room
# What a program says whose helper was killed: PyTorch's loader and launcher, concurrent.futures, joblib.
_HELPER_KILLED = re.compile(
    r"killed by signal: Killed|exitcode\s*: -9\b|\bSIGKILL\b|terminated abruptly|TerminatedWorkerError|"
    r"exit code:? (?:137|-9)\b"
)


@dataclass(frozen=True)
class Shortage:
    """How the want of memory showed. ``kind``: the id of its words (words/phrases.toml: shortage-KIND)."""

    kind: str  # "killed", "killed-perhaps", "helper-killed", "refused"
    confidence: float
    clue: str = ""
    asked: int | None = None  # bytes
    source: str = ""


def shortage(failure: Failure, memory: MemoryFacts | None) -> Shortage | None:
    """The want of memory that ended a program; None where nothing shows it."""
    run = failure.run
    if run.signal == "SIGKILL" or run.end == ProgramEnd.TOO_MUCH_MEMORY:
        return _killed(failure, memory)
    if run.oom_kills and _HELPER_KILLED.search(f"{run.errors}\n{run.output}"):
        return Shortage("helper-killed", 0.93)
    found = _words(failure)
    return _refused(failure, found, memory) if found is not None else None


def most(memory: MemoryFacts | None) -> int | None:
    """The memory that a program can have at most: the machine's, or what the container or the job may take."""
    sizes = [size for size in ((memory.total, memory.limit) if memory else ()) if size]
    return min(sizes, default=None)


def is_limited(memory: MemoryFacts | None) -> bool:
    """Whether a container or a job may take less than the machine has."""
    return bool(memory and memory.limit and memory.total and memory.limit < memory.total)


def _killed(failure: Failure, memory: MemoryFacts | None) -> Shortage | None:
    run = failure.run
    if run.end == ProgramEnd.TOO_MUCH_MEMORY:
        return Shortage("killed", 0.9)
    if run.oom_kills:
        return Shortage("killed", 0.97)
    whole = most(memory)
    is_full = bool(whole and run.peak_memory and run.peak_memory >= REACHED * whole)
    if run.oom_kills == 0:  # the kernel did not; a service that watches the memory may have
        return Shortage("killed-perhaps", 0.6) if is_full else None
    return Shortage("killed-perhaps", 0.85 if is_full else 0.4)


def _refused(failure: Failure, found: Recognised, memory: MemoryFacts | None) -> Shortage | None:
    whole, held = most(memory), failure.run.peak_memory or 0
    asked = size_of(found.groups.get("asked") or found.groups.get("asked_too", ""))
    certainty = found.row.certainty
    if whole and asked:
        if asked + held > whole:
            certainty = 0.97
        elif failure.run.peak_memory and asked + held < ROOM * (memory.available or whole if memory else whole):
            return None  # there was room: it was refused for another reason
    elif whole and failure.run.peak_memory:
        if held < ROOM * whole and certainty < WORDED:
            return None
        if held < ROOM * whole:  # it may as well be a limit that nobody told us of: ulimit, prlimit, a job's
            certainty = min(certainty, UNSURE)
        certainty = max(certainty, 0.9) if held >= REACHED * whole else certainty
    return Shortage("refused", certainty, found.line, asked, found.row.sources[0])


def _words(failure: Failure) -> Recognised | None:
    """The refusal that ended it: of the last exception, or of one that was passed on by it."""
    if not failure.raised:
        texts = [failure.run.errors, *(python.crash for python in failure.run.pythons)]
        found = next(filter(None, map(recognise, texts)), None)
        return found if found and found.row.cause == CAUSE else None
    for raised in passed_on(failure.raised):
        found = recognise(f"{raised.type}: {raised.message}")
        if found is not None:
            return found if found.row.cause == CAUSE else None
    return None


def passed_on(raised: Sequence[Raised]) -> list[Raised]:
    """The exception that ended a program, and those before it that it was raised for on purpose; the last one first."""
    found = [raised[-1]]
    for before in reversed(raised[:-1]):
        frames = found[-1].frames
        if frames and not frames[-1].code.startswith("raise"):
            break  # an error of its own, while the one before it was handled
        found.append(before)
    return found

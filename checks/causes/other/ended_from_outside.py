"""Somebody else ended the program: another process or a service sent it a signal, or a time limit came to its end.

Detects:      a program that SIGKILL, SIGTERM or SIGHUP ended, where the system's out-of-memory killer is known to have
              ended nothing and no limit of the process was reached; one that "timeout" ended.
Why it bites: it ends without a word of its own, and looks as if it had crashed.
Blind spots:  a program that sends itself a signal. Where nobody counts what the out-of-memory killer ends (macOS), a
              killed program stays main-memory-too-small's question.
Knowledge:    none; signal(7) says which signals nothing but another process sends
"""

from collections.abc import Iterator
from pathlib import PurePath

from checks.analysis.failures.limits import limit_of_end
from checks.analysis.failures.memory import shortage
from checks.analysis.failures.of_runs import Failure, failures
from checks.causes.registry import check
from checks.facts import MemoryFacts, ProgramEnd, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, NotCollected, Severity
from checks.knowledge.phrases import phrase

_SENT = frozenset({"SIGTERM", "SIGHUP"})
_TIMED_OUT = 124  # the exit code of timeout(1)


@check("ended-from-outside")
def ended_from_outside(runs: ProgramRuns | None, memory: MemoryFacts | None) -> Iterator[Finding]:
    """One finding per program."""
    if runs is None:
        raise NotCollected("runs")
    for failure in failures(runs):
        how = _how(failure, memory)
        if how:
            run = failure.run
            seen = run.signal or f"exit {run.exit_code}"
            yield Finding(
                severity=Severity.WARNING if run.is_unasked else Severity.BLOCKING,
                confidence=0.9,
                subject=failure.program,
                evidence=(
                    Evidence("program_signal", seen, failure.origin),
                    *((Evidence("oom_kills", str(run.oom_kills), "/proc/vmstat"),) if run.oom_kills == 0 else ()),
                ),
                values={
                    "program_name": failure.program,
                    "how_ended": phrase(f"ended-{how}", signal=seen),
                    FAILED_RUN: run.label,
                },
                remedies=("raise-time-limit",) if how == "timeout" else ("see-what-ended-program",),
            )


def _how(failure: Failure, memory: MemoryFacts | None) -> str:
    """Who ended it, by the id of the words (words/phrases.toml: ended-KIND); "": nobody is known to have."""
    run = failure.run
    if run.end != ProgramEnd.ENDED or failure.raised:  # a server ends itself, and its children, after an exception
        return ""
    if PurePath(run.command[0] if run.command else "").stem == "timeout":
        return "timeout" if run.exit_code == _TIMED_OUT else ""
    if run.signal in _SENT:
        return "signal"
    is_killed = run.signal == "SIGKILL" and run.oom_kills == 0 and not limit_of_end(run)
    return "killed" if is_killed and shortage(failure, memory) is None else ""

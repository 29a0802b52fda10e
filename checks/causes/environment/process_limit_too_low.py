"""A limit of the process (ulimit) is too low for what it loads or starts.

Detects:      the system's refusal in what failed, with a limit that is set for just that: address space, open files,
              processes, the size of a file; a program that was ended at its processor time; and a stack of less than
              512 KiB beside a crash.
Why it bites: frameworks map gigabytes of libraries, start a thread per core and open a file per worker.
Blind spots:  limits of a container on the number of processes (pids.max), and those that a service alone has.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.limits import MIB, is_low, limit_of_end
from checks.analysis.failures.texts import all_texts
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, ProbeRuns, ProgramRun, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, NotHere, Severity
from checks.facts.quotation import quotation
from checks.facts.runs import RunStatus
from checks.knowledge.errors.import_errors import recognise
from checks.knowledge.phrases import phrase

CAUSE = "process-limit-too-low"
# How each limit is set.
LETTERS = {"address_space": "v", "data": "d", "open_files": "n", "processes": "u", "stack": "s"}
LETTERS |= {"cpu_time": "t", "file_size": "f"}
# The loader says the same of a folder from which nothing may be loaded.
ALSO = {"folder-not-executable": "address_space"}


@check(CAUSE)
def process_limit_too_low(
    environment: EnvironmentVariables,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
) -> Iterator[Finding]:
    """At most one finding."""
    limits = environment.limits
    for run in runs.failed() if runs else ():
        name = limit_of_end(run)
        if name:
            clue = Evidence("program_signal", run.signal or "", run.origin)
            yield _finding(name, run.limits.get(name), Severity.BLOCKING, 0.95, environment, clue, run=run)
            return
    if limits is None:
        raise NotHere("limits")
    limits = limits | {name: limit for run in (runs.failed() if runs else ()) for name, limit in run.limits.items()}
    for text, origin, is_fatal in all_texts(frameworks, probes, runs):
        found = recognise(text)
        name = (found.row.limit or ALSO.get(found.row.cause, "")) if found else ""
        if found is not None and is_low(name, limits):
            clue = Evidence("clue", quotation(found.line), origin, found.row.sources[0])
            severity = Severity.BLOCKING if is_fatal else Severity.WARNING
            failed = next((run for run in (runs.failed() if runs else ()) if _said(found.line, run)), None)
            yield _finding(name, limits[name], severity, 0.95, environment, clue, run=failed)
            return
    for probe in probes.runs if probes else ():
        if probe.status == RunStatus.CRASHED and probe.signal == "SIGSEGV" and is_low("stack", limits):
            yield _finding("stack", limits["stack"], Severity.BLOCKING, 0.8, environment)
            return


def _said(line: str, run: ProgramRun) -> bool:
    raised = run.raised
    return line in run.errors or bool(raised and line in f"{raised.type}: {raised.message}")


def _finding(
    name: str,
    limit: int | None,
    severity: Severity,
    confidence: float,
    environment: EnvironmentVariables,
    *clues: Evidence,
    run: ProgramRun | None = None,
) -> Finding:
    is_size = name in {"address_space", "data", "stack", "file_size"}
    unit = "s" if name == "cpu_time" else ""
    shown = "?" if limit is None else f"{limit / MIB:.0f} MiB" if is_size else f"{limit} {unit}".strip()
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=name,
        evidence=(
            Evidence("process_limit", f"ulimit -{LETTERS[name]}: {shown}", environment.origin),
            *clues,
        ),
        values={
            "limit_kind": phrase(f"limit-{name.replace('_', '-')}"),
            "limit_shown": shown,
            **({FAILED_RUN: run.label} if run else {}),
        },
    )

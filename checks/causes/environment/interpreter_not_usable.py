"""The chosen interpreter is none, or does not work.

Detects:      a path that leads to no working Python: missing, another program, not executable, an environment whose
              Python is gone; and one that starts, but crashes, hangs, or answers nothing at all; an environment that
              was moved or copied, so that its commands (pip) name another Python.
Why it bites: nothing that is installed in it can run.
Blind spots:  an interpreter that fails only in the user's own shell (activation scripts, modules of a cluster).
Knowledge:    none; the words of each problem are in resources/words/phrases.toml
"""

from collections.abc import Iterator
from pathlib import PurePath

import msgspec

from checks.causes.environment.environment_variable_invalid import is_refused_in
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, InterpreterFacts, ProbeRun, ProbeRuns, ProgramRuns, SearchedFacts
from checks.facts.finding import FAILED_RUN, Evidence, Finding, NotInTable, Severity, Unread
from checks.facts.quotation import quotation
from checks.facts.runs import RunStatus
from checks.facts.versions import release
from checks.knowledge.phrases import phrase, phrases

MOST_STRAY = 20  # commands that name another Python are listed
FLOOD = 5_000_000  # bytes on standard output and error together; a framework's import writes some thousands
OLDEST_ASKED = (3, 8)  # the syntax of the probes
OWN_PROBES = ("machine", "nvidia", "pythons")  # these run in the interpreter that asks, whatever the target is

REMEDIES = {
    "pth-unreadable": ("move-path-file-aside", "recreate-environment"),
    "base-missing": ("recreate-environment", "choose-another-interpreter"),
    "not-executable": ("make-executable", "choose-another-interpreter"),
    "crashes": ("recreate-environment", "choose-another-interpreter"),
    "no-answer": ("recreate-environment", "choose-another-interpreter"),
}


@check("interpreter-not-usable")
def interpreter_not_usable(
    interpreter: InterpreterFacts,
    probes: ProbeRuns | None,
    searched: SearchedFacts | None = None,
    programs: ProgramRuns | None = None,
    environment: EnvironmentVariables | None = None,
) -> Iterator[Finding]:
    """One finding: what is wrong with the interpreter, in its own words; and one where it was moved."""
    yield from _moved(interpreter, searched, programs)
    if interpreter.problem is not None:
        yield _finding(interpreter, interpreter.problem, interpreter.origin)
        return
    runs = [
        run
        for run in (probes.runs if probes else ())
        if run.probe not in OWN_PROBES and run.status != RunStatus.CANCELLED
    ]
    if not runs:
        raise Unread("probes")
    if interpreter.version and release(interpreter.version) < OLDEST_ASKED:
        raise Unread("probes", f"Python {interpreter.version}")  # python-version-unsupported says what matters
    refused = next((run for run in runs if is_refused_in(run.stderr_tail or "", environment)), None)
    if refused is not None:  # environment-variable-invalid says what matters
        raise Unread("probes", quotation((refused.stderr_tail or "").strip()))
    if not any(run.stages or run.status in (RunStatus.OK, RunStatus.FAILED) for run in runs):
        yield _of_run(interpreter, runs[0])
        return
    loudest = max(runs, key=lambda run: run.output_bytes or 0)
    if (loudest.output_bytes or 0) >= FLOOD:
        megabytes = f"{(loudest.output_bytes or 0) / 1e6:.0f}"
        yield _finding(interpreter, "floods", loudest.origin, megabytes, severity=Severity.WARNING)


def _moved(
    interpreter: InterpreterFacts, searched: SearchedFacts | None, programs: ProgramRuns | None
) -> Iterator[Finding]:
    """Most of its commands name another Python: one alone may have been put there by hand."""
    if searched is None or 2 * len(searched.stray_scripts) <= min(searched.scripts, MOST_STRAY):
        return
    first = next((s for s in searched.stray_scripts if PurePath(s.path).stem == "pip"), searched.stray_scripts[0])
    stray = {script.path for script in searched.stray_scripts}
    failing = programs.failed() if programs else ()
    failed = next((run for run in failing if run.command and run.command[0] in stray), None)
    yield Finding(
        severity=Severity.BLOCKING if failed else Severity.WARNING,
        confidence=0.95 if failed else 0.9,
        subject="moved",
        evidence=(
            Evidence("interpreter", interpreter.path, searched.origin),
            Evidence("problem", "moved", searched.origin),
            Evidence("detail", f"{first.path}: {first.interpreter}", first.path),
        ),
        remedies=("recreate-environment", "call-commands-with-python"),
        values={
            "problem": phrase("interpreter-moved", detail=first.path),
            "unusable": phrase("unusable-commands"),
            **({FAILED_RUN: " ".join(failed.command)} if failed else {}),
        },
    )


def _of_run(interpreter: InterpreterFacts, run: ProbeRun) -> Finding:
    """What the first probe met: none of them got an answer."""
    if run.status == RunStatus.TIMED_OUT:
        return _finding(interpreter, "hangs", run.origin, f"{run.seconds or 0:.0f}")
    last_words = run.stderr_tail or ""
    if run.status == RunStatus.CRASHED and interpreter.unreadable_pth and "UnicodeDecodeError" in last_words:
        file = interpreter.unreadable_pth[0]
        found = _finding(interpreter, "pth-unreadable", run.origin, file, run.stderr_tail)
        return msgspec.structs.replace(found, values={**found.values, "pth_file": file})
    if run.status == RunStatus.CRASHED:
        return _finding(interpreter, "crashes", run.origin, run.signal or str(run.exit_code), run.stderr_tail)
    return _finding(interpreter, run.status, run.origin, run.detail or "", run.stderr_tail)


def _finding(
    interpreter: InterpreterFacts,
    problem: str,
    origin: str,
    detail: str = "",
    last_words: str | None = None,
    severity: Severity = Severity.BLOCKING,
) -> Finding:
    if f"interpreter-{problem}" not in phrases():  # of a case that a newer version wrote
        raise NotInTable("phrases.toml", problem)
    evidence = [Evidence("interpreter", interpreter.path, origin), Evidence("problem", problem, origin)]
    if detail:
        evidence.append(Evidence("detail", detail, origin))
    if last_words:
        evidence.append(Evidence("last_words", last_words.strip()[-500:], origin))
    return Finding(
        severity=severity,
        confidence=0.95,
        evidence=tuple(evidence),
        remedies=REMEDIES.get(problem, ("choose-another-interpreter", "recreate-environment")),
        values={"problem": phrase(f"interpreter-{problem}", detail=detail), "unusable": phrase("unusable-python")},
    )

"""What the user's own program shows: a failure that is seen is the witness, and a program that works is proof.

A failed run, or a failed import of what is installed, is judged by its own words, weighed with what the checks found of
this machine. What no cause explains is told with its error. Where the program itself came to its end without one,
nothing that is merely expected to go wrong is more than a note; nor is, wherever it was watched as a whole, what was
found of frameworks that it never loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath, PureWindowsPath

import msgspec

from checks.analysis.failures.downloads import has_handled_refusal
from checks.analysis.failures.in_packages import failed_package, lacks_name_of_package
from checks.causes.environment.environment_variable_invalid import is_quoted
from checks.facts import Facts, ProgramRun, Raised, SentFile
from checks.facts.finding import CLUE, FAILED_RUN, Evidence, Finding, Outcome, Severity, Status
from checks.interpreters.layout import EXECUTABLE
from checks.judgement.merging import with_findings_instead
from checks.judgement.programs.seen_to_run import was_brought_to_gpu, worked
from checks.judgement.programs.unused_frameworks import with_unused_as_notes
from checks.judgement.tickets.odds import NO_CAUSE, weighed
from checks.knowledge.catalogue import UNKNOWN, USER_CODE, cause_of
from checks.knowledge.packages.ai_packages import is_examined

MOST_JUDGED = 5  # failed runs whose words are weighed
LEAST = 0.5  # of a cause that only the words of a failure show: below, it is as likely another one
ERROR_SHOWN = 2000  # characters of an error that a finding quotes
MISSPELT_OR_OTHER = 0.6  # a name that a package lacks: misspelt, or meant of another release or project
FRAMES_TOLD = 12  # innermost frames of an exception whose text is weighed
# Of a program that another one started: what subprocess says of it, the words of its command in a list or in one line.
_CHILD = re.compile(r"Command '(?:\[')?((?:/|[A-Za-z]:\\)[^' ]{1,1000})")
_CHOICE = ("choose-another-interpreter",)  # what is installed into the examined one helps nobody there
_OF_ITS_PYTHON = frozenset({"framework-not-installed", "package-not-installed"})
NOT_SEEN = 0.3  # how sure it is that nothing known explains a failure


def with_programs(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with the causes of failed runs among them; and without accusations that a good run disproves."""
    known = tuple(outcomes)
    for run in [run for run in facts.runs if run.failed][:MOST_JUDGED]:
        found = tuple(_findings(facts, run, known))
        if any(finding.cause != USER_CODE for finding in found) or any(
            not is_quoted(finding) for finding in _telling(known, run)
        ):
            known = _without_quoted(known, run)
        if found:
            known = with_findings_instead(known, (*_others(known, found), *found))
    for name, run in _of_frameworks(facts):
        best = _by_words(facts, run, known)
        if best is not None:
            known = with_findings_instead(_without_unknown(known, name), (*_others(known, (best,)), best))
    known = with_unused_as_notes(facts, known)
    if worked(facts) or was_brought_to_gpu(facts):
        known = tuple(_calmed(outcome) for outcome in known)
    return known


def label_of(run: ProgramRun) -> str:
    """How a run is named: its statement, or its command line."""
    return run.label


def text_of(run: ProgramRun) -> str:
    """The words of a failure, as a terminal shows them."""
    if run.raised is None or run.raised.message.strip()[:80] in run.errors:
        return run.errors or run.output
    led = next((python.led_there for python in run.pythons if python.raised is run.raised), ())
    return "\n\n".join([run.errors, *map(_traceback, led), _traceback(run.raised)]).strip()


def _traceback(raised: Raised) -> str:
    lines = ["Traceback (most recent call last):"]
    for frame in raised.frames[-FRAMES_TOLD:]:
        lines.append(f'  File "{frame.file}", line {frame.line or 0}, in {frame.function or "<module>"}')
        lines += [f"    {frame.code}"] if frame.code else []
    return "\n".join([*lines, f"{raised.type}: {raised.message}"])


def _of_frameworks(facts: Facts) -> Iterator[tuple[str, ProgramRun]]:
    """(name, run): the imports of frameworks that failed in their probes, as the statements that they are."""
    for name, framework in facts.frameworks.each() if facts.frameworks else ():
        if framework.imported is False and framework.error is not None:
            probe = facts.probes.of(name) if facts.probes else None
            error = framework.error
            words = (probe.stderr_tail if probe else None, error.traceback or f"{error.type}: {error.message}")
            run = ProgramRun(
                origin=framework.origin,
                command=(facts.target or "",),
                statement=f"import {name}",
                exit_code=1,
                errors="\n".join(filter(None, words)),
            )
            yield name, run


def _without_quoted(known: Sequence[Outcome], run: ProgramRun) -> tuple[Outcome, ...]:
    """The outcomes, without the guess that a variable is at fault whose value an error names: its words say more."""
    kept = []
    for outcome in known:
        left = tuple(finding for finding in outcome.findings if not (is_quoted(finding) and tells(finding, run)))
        if left or not outcome.findings:
            kept.append(msgspec.structs.replace(outcome, findings=left))
    return tuple(kept)


def _without_unknown(known: Sequence[Outcome], framework: str) -> tuple[Outcome, ...]:
    """The outcomes, without the finding that a framework's import failed for a reason that nobody knows."""
    kept = []
    for outcome in known:
        if outcome.cause == UNKNOWN and outcome.findings:
            left = tuple(finding for finding in outcome.findings if finding.subject != f"{framework} import")
            kept += [msgspec.structs.replace(outcome, findings=left)] if left else []
        else:
            kept.append(outcome)
    return tuple(kept)


def _findings(facts: Facts, run: ProgramRun, known: Sequence[Outcome]) -> Iterator[Finding]:
    """The cause of one failure; nothing where a check has told it already."""
    told = tuple(_telling(known, run))
    if any(not is_quoted(finding) for finding in told):
        return
    best = _by_words(facts, run, known)
    if told and best is not None and best.cause == USER_CODE:
        yield msgspec.structs.replace(best, confidence=min(best.confidence, MISSPELT_OR_OTHER))
    elif best is not None:
        yield best
    elif told:
        return
    elif not run.package or is_examined(run.package):
        yield _unknown(run)


def _telling(known: Sequence[Outcome], run: ProgramRun) -> Iterator[Finding]:
    return (finding for outcome in known for finding in outcome.findings if tells(finding, run))


def tells(finding: Finding, run: ProgramRun) -> bool:
    """Whether a finding is of this failure, or of another run that ended with the same line."""
    if finding.named(FAILED_RUN) in ("", label_of(run)):
        return bool(finding.named(FAILED_RUN))
    clue = next((evidence.value for evidence in finding.evidence if evidence.name == CLUE), "")
    return bool(clue) and clue in text_of(run)


def _by_words(facts: Facts, run: ProgramRun, known: Sequence[Outcome]) -> Finding | None:
    """The cause that the words of a failure show, at least as likely as not."""
    words = _traceback(run.raised) if run.raised and has_handled_refusal(run) else text_of(run)
    text = SentFile(name=label_of(run), kind="log", origin=run.origin, text=words, examined=True)
    for finding in weighed(msgspec.structs.replace(facts, logs=(text,)), known):
        is_worded = any(evidence.name == CLUE for evidence in finding.evidence)
        # An import runs no code of his; nor is what packages do among each other his.
        is_others = (run.statement and not run.read_at) or failed_package(run)
        is_possible = finding.cause not in (NO_CAUSE if is_others else (UNKNOWN,))
        is_possible = is_possible and finding.severity is not Severity.NOTE  # rounding ends no program
        if is_worded and is_possible and finding.confidence >= LEAST:
            is_open = finding.cause == USER_CODE and lacks_name_of_package(run)
            return msgspec.structs.replace(
                finding,
                severity=_most(run),
                evidence=(*finding.evidence, *_read_at(run)),
                remedies=_CHOICE if finding.cause in _OF_ITS_PYTHON and _is_of_other_python(run) else finding.remedies,
                confidence=min(finding.confidence, MISSPELT_OR_OTHER) if is_open else finding.confidence,
                values={**finding.values, FAILED_RUN: label_of(run)},
            )
    return None


def _is_of_other_python(run: ProgramRun) -> bool:
    """Whether the words are those of a Python in another folder, which the program started and which failed."""
    child = _CHILD.match(run.raised.message) if run.raised and run.raised.type.endswith("CalledProcessError") else None
    if child is None or not run.interpreter:
        return False
    kind = PurePosixPath if child[1].startswith("/") else PureWindowsPath
    started = kind(child[1].replace("\\\\", "\\"))
    return EXECUTABLE.fullmatch(started.name) is not None and started.parent != kind(run.interpreter).parent


def _most(run: ProgramRun) -> Severity:
    return Severity.WARNING if run.is_unasked else Severity.BLOCKING


def _read_at(run: ProgramRun) -> tuple[Evidence, ...]:
    return (Evidence("read_at", run.read_at, run.origin),) if run.read_at else ()


def _unknown(run: ProgramRun) -> Finding:
    raised = run.raised
    if raised is not None:
        place = next((f"{frame.file}:{frame.line}" for frame in reversed(raised.frames)), label_of(run))
        words = f"{raised.type}: {raised.message}"
    else:
        place = run.signal or (f"exit {run.exit_code}" if run.exit_code is not None else run.end)
        words = run.detail or (run.errors or run.output).strip()[-ERROR_SHOWN:]
    return Finding(
        cause=UNKNOWN,
        severity=_most(run),
        confidence=NOT_SEEN,
        subject=label_of(run),
        evidence=(
            Evidence("framework", label_of(run), run.origin),
            Evidence("failed_at", place, run.origin),
            Evidence("error_text", words[:ERROR_SHOWN], run.origin),
            *_read_at(run),
        ),
        values={FAILED_RUN: label_of(run)},
        remedies=("read-the-traceback" if raised is not None else "read-what-it-said-last", "ask-about-program"),
    )


def _others(known: Sequence[Outcome], found: Sequence[Finding]) -> Iterator[Finding]:
    """What was found of the same causes before, and stays beside them: of other subjects."""
    taken = {(finding.cause, finding.subject) for finding in found}
    causes = {finding.cause for finding in found}
    for outcome in known:
        for finding in outcome.findings:
            if finding.cause in causes and (finding.cause, finding.subject) not in taken:
                yield finding


def _calmed(outcome: Outcome) -> Outcome:
    """An outcome whose findings are notes; what may do harm stays what it is."""
    if outcome.status is not Status.FOUND or cause_of(outcome.cause).is_warned_first:
        return outcome
    notes = (msgspec.structs.replace(finding, severity=Severity.NOTE) for finding in outcome.findings)
    return msgspec.structs.replace(outcome, findings=tuple(notes))

"""AI programs with a runtime of their own, found here: why one of them does not compute on the GPU, by its own log.

The words of its last start are weighed with the facts of this machine, as those of the user's own program are. A
program that nobody asked about is told of in a note at most; one that was seen to put a whole model on a GPU, in none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from checks.causes.hardware.no_gpu_for_ai import finding_without_gpu
from checks.facts import Facts, LocalProgram, SentFile
from checks.facts.finding import CLUE, LOCAL_PROGRAM, Evidence, Finding, Outcome, Severity
from checks.judgement.merging import with_findings_instead
from checks.judgement.tickets.odds import NO_CAUSE, weighed

LEAST = 0.6  # of a cause that a program's log shows: below, nothing is said
_OF_THE_MACHINE = ("no-gpu-for-ai",)  # causes that are no other ones for another program
_OF_A_PYTHON = ("framework-not-installed",)  # of no weight for a program that uses none of them
_JUDGED = 300_000  # characters of all their texts together; a machine with three of them has half
_ASKED_AT_MOST = Severity.WARNING  # the program runs, if slowly


def with_local_programs(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes, with what keeps these programs from the GPU: of the one that was asked about, or of each."""
    asked = facts.symptom.program if facts.symptom else ""
    known = tuple(_in_a_note(outcome) if asked and outcome.cause in _OF_A_PYTHON else outcome for outcome in outcomes)
    left = _JUDGED
    for program in facts.local_programs or ():
        if asked not in ("", program.name):
            continue
        left -= len(program.text)
        if left < 0:
            break
        for finding in _findings(facts, program, known):
            same = [other for outcome in known for other in outcome.findings if other.cause == finding.cause]
            others = (other for other in same if other.subject != finding.subject)
            if finding.cause not in _OF_THE_MACHINE or not same:  # else its own check has told it
                known = with_findings_instead(known, (*others, finding))
    return known


def _in_a_note(outcome: Outcome) -> Outcome:
    notes = (msgspec.structs.replace(finding, severity=Severity.NOTE) for finding in outcome.findings)
    return msgspec.structs.replace(outcome, findings=tuple(notes))


def is_asked_about(facts: Facts, program: LocalProgram) -> bool:
    """Whether the user asked about this program."""
    return facts.symptom is not None and facts.symptom.program == program.name


def _findings(facts: Facts, program: LocalProgram, known: Sequence[Outcome]) -> Iterator[Finding]:
    """At most one. What this machine was seen to lack comes before what the log says about it."""
    asked = is_asked_about(facts, program)
    if not program.text or program.is_whole_on_gpu or (program.is_old and not asked):
        return
    best = _by_words(facts, program, known)
    nothing_here = finding_without_gpu(facts.machine) if asked and facts.machine and program.is_on_processor else None
    if best is None and nothing_here is not None:
        told = Evidence("program", program.name, program.log)
        best = msgspec.structs.replace(nothing_here, evidence=(*nothing_here.evidence, told))
    if best is None:
        return
    severity = Severity.NOTE if not asked or best.severity is Severity.NOTE else _ASKED_AT_MOST
    yield msgspec.structs.replace(
        best, subject=program.name, severity=severity, values={**best.values, LOCAL_PROGRAM: program.name}
    )


def _by_words(facts: Facts, program: LocalProgram, known: Sequence[Outcome]) -> Finding | None:
    text = SentFile(name=program.name, kind="log", origin=program.log, text=program.text, examined=True)
    alone = msgspec.structs.replace(facts, logs=(text,), local_programs=(program,))
    for finding in weighed(alone, known):
        worded = tuple(evidence for evidence in finding.evidence if evidence.name == CLUE)
        if worded and finding.cause not in NO_CAUSE and finding.confidence >= LEAST:
            # What a check proved about another program stays that one's; of this one its own lines count.
            shown = tuple(msgspec.structs.replace(clue, origin=program.log or clue.origin) for clue in worded)
            return msgspec.structs.replace(finding, evidence=(*shown, Evidence("program", program.name, program.log)))
    return None

"""What the user's own program never loaded is no trouble of it: a finding about such a framework is at most a note.

Only where the program was watched as a whole: each of its processes is a Python that told at its end what it had
loaded. A process that was not seen from inside, a launcher, or a program that still ran may have used anything. Nor is
anything calmed of which the program's own words, or a text that was given, speak: it may have tried to load it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from checks.facts import Facts, Frameworks, ProgramEnd, ProgramRun, PythonProcess
from checks.facts.finding import FAILED_RUN, FRAMEWORK, Finding, Outcome, Severity, Status
from checks.knowledge.catalogue import cause_of, family_of

_MOST_LISTED = 2000  # modules that a Python tells (checks/probes/watch/last_look.py); of more, the rest is not known
_IMPORTED_AS = {"jax": ("jax", "jaxlib"), "litert": ("ai_edge_litert", "tflite_runtime")}  # others by their own name
_NAMES = frozenset(name for name in Frameworks.__struct_fields__ if name not in ("origin", "unread"))
_OF_THE_MACHINE = ("driver", "hardware")  # families whose findings name a framework only as what showed them


def with_unused_as_notes(facts: Facts, outcomes: Sequence[Outcome]) -> tuple[Outcome, ...]:
    """The outcomes; what is found of frameworks that the user's own program never loaded are notes."""
    programs = [run for run in facts.runs if not run.statement]
    if not programs or not all(map(_is_seen_whole, programs)):
        return tuple(outcomes)
    loaded = {module.name.partition(".")[0] for run in programs for python in run.pythons for module in python.modules}
    words = _squeezed(" ".join(_words(facts, programs)))
    unused = {
        name
        for name in _NAMES
        if loaded.isdisjoint(_IMPORTED_AS.get(name, (name,)))
        and not any(_squeezed(known) in words for known in (name, *_IMPORTED_AS.get(name, ())))
    }
    labels = {run.label for run in programs}
    return tuple(_calmed(outcome, unused, labels) for outcome in outcomes)


def _is_seen_whole(run: ProgramRun) -> bool:
    """Whether it came to its own end, and every process of it told from inside what it had loaded."""
    is_each_seen = (run.processes or 0) <= len(run.pythons)
    return run.end == ProgramEnd.ENDED and bool(run.pythons) and is_each_seen and all(map(_is_known, run.pythons))


def _is_known(python: PythonProcess) -> bool:
    return python.is_complete and not python.is_launcher and 0 < len(python.modules) < _MOST_LISTED


def _words(facts: Facts, programs: Sequence[ProgramRun]) -> Iterator[str]:
    """All that the program said, and the texts that the user gave."""
    for run in programs:
        yield from (*run.command, run.output, run.errors)
        for python in run.pythons:
            for raised in (*python.led_there, *([python.raised] if python.raised else [])):
                yield from (raised.type, raised.message, raised.name or "")
            yield from python.warnings
    yield from (log.text or "" for log in facts.logs)


def _squeezed(text: str) -> str:
    """Without what parts names: "ONNX Runtime" as "onnxruntime"; "PyTorch" holds "torch" as it is."""
    no_paths = (word for word in text.split() if "/" not in word and "\\" not in word)  # one may be called after it
    return re.sub(r"[_-]", "", "".join(no_paths)).casefold()


def _calmed(outcome: Outcome, unused: set[str], programs: set[str]) -> Outcome:
    """The outcome; what explains how the program itself failed stays what it is, as does what may do harm."""
    if outcome.status is not Status.FOUND or cause_of(outcome.cause).is_warned_first:
        return outcome
    findings = tuple(
        msgspec.structs.replace(finding, severity=Severity.NOTE)
        if _framework_of(finding, outcome.cause) in unused and finding.named(FAILED_RUN) not in programs
        else finding
        for finding in outcome.findings
    )
    return msgspec.structs.replace(outcome, findings=findings)


def _framework_of(finding: Finding, cause: str) -> str:
    """The framework that a finding is about: its subject, or what it names where it has no such subject; else ""."""
    tried = finding.named(FAILED_RUN).removeprefix("import ")
    about = next((name for name in (_first_word(finding.subject), tried) if name in _NAMES), "")
    if about or family_of(cause) in _OF_THE_MACHINE or "model" in finding.placeholders():
        return about
    named = finding.placeholders().get(FRAMEWORK, "")
    return _first_word(named) if isinstance(named, str) else ""


def _first_word(text: str) -> str:
    return re.split(r"[\s:]", text, maxsplit=1)[0]

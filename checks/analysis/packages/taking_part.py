"""Whether a package takes part in what failed: in the user's program, or where a framework was tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

from checks.analysis.failures.at_import import troubles
from checks.facts import Facts, Frameworks, ProgramRun, Raised
from checks.facts.finding import FAILED_RUN
from checks.facts.phrase import Value


class Part(StrEnum):
    """How a package stands to a failure."""

    IN_FAILURE = "in-failure"  # the error names it, or passes through its files
    ASIDE = "aside"  # the program was seen to fail elsewhere, or to work
    UNKNOWN = "unknown"  # no program was seen


def part_of(modules: Iterable[str], facts: Facts) -> Part:
    """How a package that is imported under these names stands to what was seen to fail.

    A run of the user's program decides; without one, an error of a framework or a text that was given can only prove
    that it takes part.
    """
    pattern = _mention(modules)
    if pattern is None:
        return Part.UNKNOWN
    runs = [run for run in facts.runs if run.failed or run.worked]
    if any(pattern.search(text) for run in runs if run.failed for text in texts_of_run(run)):
        return Part.IN_FAILURE
    if any(pattern.search(text) for text in texts_of_facts(facts)):
        return Part.IN_FAILURE
    return Part.ASIDE if any(not run.statement for run in runs) else Part.UNKNOWN


def failed_run_with(modules: Iterable[str], facts: Facts) -> dict[str, Value]:
    """The value of a finding that ties it to the first failed run in which these modules take part."""
    pattern = _mention(modules)
    for run in facts.runs:
        if pattern is not None and run.failed and any(pattern.search(text) for text in texts_of_run(run)):
            return {FAILED_RUN: run.statement or " ".join(run.command)}
    return {}


def failed_run_through(path: str, module: str, facts: Facts) -> dict[str, Value]:
    """The value of a finding that ties it to the first failed run that loaded this file, or this package's folder."""
    inside = (path, f"{path}/", f"{path}\\")
    for run in facts.runs:
        if not run.failed:
            continue
        loaded = (
            loaded.file
            for python in run.pythons
            for loaded in python.modules
            if loaded.name.partition(".")[0] == module
        )
        frames = (
            frame.file
            for python in run.pythons
            for raised in (python.raised, *python.led_there)
            if raised is not None
            for frame in raised.frames
        )
        is_loaded = any(file == path or file.startswith(inside[1:]) for file in (*loaded, *frames))
        if is_loaded or f'File "{path}"' in run.errors or f"({path})" in run.errors:
            return {FAILED_RUN: run.statement or " ".join(run.command)}
    return {}


def failed_run_saying(pattern: re.Pattern[str], facts: Facts) -> dict[str, Value]:
    """The value of a finding that ties it to the first failed run whose words match."""
    for run in facts.runs:
        if run.failed and any(pattern.search(text) for text in texts_of_run(run)):
            return {FAILED_RUN: run.statement or " ".join(run.command)}
    return {}


def texts_of_facts(facts: Facts) -> Iterator[str]:
    """Errors of frameworks that were tried, and texts that were given."""
    for trouble in troubles(facts.frameworks or Frameworks(), facts.probes):
        yield trouble.text
    for log in facts.logs:
        yield log.text or ""


def texts_of_run(run: ProgramRun) -> Iterator[str]:
    """All words of a failed run: the exceptions with the files that they passed, a crash, the error stream."""
    for python in run.pythons:
        for raised in (python.raised, *python.led_there):
            if raised is not None:
                yield from texts_of_exception(raised)
        yield python.crash
    yield run.errors


def texts_of_exception(raised: Raised) -> Iterator[str]:
    """The words of an exception and the files of its frames."""
    yield f"{raised.type}: {raised.message}"
    yield from (f'File "{frame.file}"' for frame in raised.frames)
    if raised.name:
        yield f"'{raised.name}'"


def _mention(modules: Iterable[str]) -> re.Pattern[str] | None:
    """A module in the path of a frame, or as errors name it: 'numpy.core', "Error importing numpy"."""
    names = "|".join(sorted(map(re.escape, filter(None, modules))))
    if not names:
        return None
    told = rf"(?:Error importing|Unable to import required dependencies:)\s+(?:{names})\b"
    return re.compile(
        rf"""(?:site|dist)-packages[/\\](?:{names})(?:[/\\.]|\b)|['"`](?:{names})(?:\.[\w.]+)?['"`]|{told}"""
    )

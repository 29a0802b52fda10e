"""The user's own program as it was run: how it ended, what it raised and where, what it used."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from checks.facts import Frame, ProgramEnd, ProgramRun, PythonProcess, Raised
from checks.facts.case import Case
from wizard.report.content.blocks import (
    Block,
    Card,
    Code,
    Detail,
    FactRow,
    Item,
    Items,
    Pairs,
    Paragraph,
    Quote,
    Section,
)
from wizard.report.content.fact_sheet import size
from wizard.words import known, words

_MOST_FRAMES = 12  # that are printed; the JSON holds all
_MOST_LINES = 30  # of an output
_LONGEST = 400  # characters of a command or a message that stands in a row
# Code of others: what the user wrote is elsewhere.
_OF_OTHERS = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|[/\\]Lib[/\\]\w+\.py$|^<|\.p(?:yx|xd|xi)$", re.IGNORECASE
)


def run_sections(case: Case, language: str) -> tuple[Section, ...]:
    """A section for each program, and one for the statements that were tried alone."""
    programs = [run for run in case.facts.runs if not run.statement]
    statements = [run for run in case.facts.runs if run.statement]
    sections = [_program(run, number, language) for number, run in enumerate(programs)]
    if statements:
        items = Items(tuple(Item(run.statement, ended(run, language)) for run in statements))
        title = words("runs.heading-statements", language)
        sections.append(Section(title, (items,), id="statements", detail=Detail.FULL, card=Card("note")))
    return tuple(sections)


def in_short(case: Case, language: str) -> Iterator[str]:
    """One line for each program that was run: what the verdict rests on."""
    for run in case.facts.runs:
        if not run.statement:
            yield words("runs.in-short", language, command=_command(run), ended=ended(run, language))


def ended(run: ProgramRun, language: str) -> str:
    """How it ended, in a sentence."""
    seconds = words("runs.seconds", language, seconds=run.seconds or 0.0)
    if run.end == ProgramEnd.ENDED and run.signal:
        means = known(f"runs.signal-{run.signal}", "", language)
        key = "ended-signal" if means else "ended-other-signal"
        sentence = words(f"runs.{key}", language, signal=run.signal, means=means, seconds=seconds)
    elif run.end == ProgramEnd.ENDED:
        key = "ended-well" if run.exit_code == 0 else "ended-code"
        sentence = words(f"runs.{key}", language, code=run.exit_code, seconds=seconds)
    else:
        detail = run.detail if run.end == ProgramEnd.NOT_STARTED else ""
        sentence = known(f"runs.end-{run.end}", run.end, language).format(seconds=seconds, detail=detail)
    raised = run.raised
    if raised is None or run.worked:
        return sentence
    return words("runs.ended-by-error", language, sentence=sentence, error=_error(raised))


def _error(raised: Raised) -> str:
    first = raised.message.strip().partition("\n")[0][:_LONGEST]
    return f"{raised.type}: {first}" if first else raised.type


def _command(run: ProgramRun) -> str:
    text = " ".join(shlex.join(run.command).split()) if len(run.command) > 1 else " ".join(run.command)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _program(run: ProgramRun, number: int, language: str) -> Section:
    blocks: list[Block] = [*_where(run, language)]
    blocks.append(Section("", (Pairs(tuple(_rows(run, language))),), detail=Detail.FULL))
    blocks += _printed(run, language)
    state = "clear" if run.worked else "blocking" if run.failed else "note"
    title, card = words("runs.heading", language), Card(state, is_open=run.failed)
    return Section(title, tuple(blocks), id=f"run/{number}", note=ended(run, language), card=card)


def _where(run: ProgramRun, language: str) -> Iterator[Block]:
    """The exception with its frames, that of the user's own code first; else what a crash told."""
    raised = run.raised
    if raised is not None and raised.frames:
        own = next((frame for frame in reversed(raised.frames) if not _OF_OTHERS.search(frame.file)), None)
        if own is not None:
            yield Paragraph(words("runs.own-line", language, place=_place(own, language), code=own.code or "–"))
        frames = tuple(reversed(raised.frames))[:_MOST_FRAMES]
        lines = tuple(line for frame in frames for line in _lines(frame, language))
        title = words("runs.heading-frames", language)
        yield Section(title, (Quote(lines),), id="frames", detail=Detail.FULL)
    crash = next((python.crash for python in run.pythons if python.crash and not python.is_launcher), "")
    if crash and not run.worked:
        title = words("runs.heading-crash", language)
        yield Section(title, (Quote(tuple(crash.splitlines()[:_MOST_LINES])),), id="crash", detail=Detail.FULL)


def _place(frame: Frame, language: str) -> str:
    return words("runs.place", language, file=frame.file, line=frame.line or "?")


def _lines(frame: Frame, language: str) -> Iterator[str]:
    yield f"{_place(frame, language)}  {frame.function}".rstrip()
    if frame.code:
        yield f"    {frame.code}"
    for name, format_and_device in frame.arrays.items():
        yield f"    {name}: {format_and_device}"


def _rows(run: ProgramRun, language: str) -> Iterator[FactRow]:
    def row(key: str, value: str) -> FactRow:
        return FactRow(words(f"runs.row-{key}", language), value)

    yield row("command", _command(run))
    yield row("folder", run.folder)
    if run.interpreter:
        yield row("interpreter", _with_version(run, language))
    if run.peak_memory:
        yield row("memory", size(run.peak_memory, language))
    if run.processes:
        yield row("processes", str(run.processes))
    devices = list(dict.fromkeys(_devices(run.pythons, language)))
    if devices:
        yield row("devices", words("report.list-separator", language).join(devices))
    if run.gpu_processes:
        numbers = words("report.list-separator", language).join(map(str, run.gpu_processes))
        yield row("gpu", words("runs.gpu-opened", language, processes=numbers))
    warnings = list(dict.fromkeys(warning for python in run.pythons for warning in python.warnings))
    if warnings:
        yield row("warnings", "\n".join(warning[:_LONGEST] for warning in warnings[:_MOST_FRAMES]))
    if run.end != ProgramEnd.NOT_STARTED and run.detail:
        yield row("note", known(f"runs.detail-{run.detail}", run.detail, language))


def _with_version(run: ProgramRun, language: str) -> str:
    path = run.interpreter or ""
    version = next((python.version for python in run.pythons if python.executable == path and python.version), "")
    return words("report.with-detail", language, text=path, detail=version) if version else path


def _devices(pythons: Iterable[PythonProcess], language: str) -> Iterator[str]:
    for python in pythons:
        for use in python.devices:
            name = f"{use.framework} {use.device}"
            peak = size(use.peak_memory, language) if use.peak_memory else ""
            yield words("report.with-detail", language, text=name, detail=peak) if peak else name


def _printed(run: ProgramRun, language: str) -> Iterator[Section]:
    """The last lines of both streams."""
    for key, text in (("errors", run.errors), ("output", run.output)):
        lines = [line.rpartition("\r")[2] for line in text.rstrip().splitlines()]
        if lines:
            shown = "\n".join(("[...]", *lines[-_MOST_LINES:]) if len(lines) > _MOST_LINES else lines)
            yield Section(words(f"runs.heading-{key}", language), (Code(shown),), id=key, detail=Detail.FULL)

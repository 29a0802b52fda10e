"""The user's own program as it was run: how it ended, what it raised and where, what it used."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from checks.facts import Frame, GpuUse, ProgramEnd, ProgramRun, PythonProcess, Raised
from checks.facts.case import Case
from wizard.report.content.blocks import (
    SYMBOLS,
    Block,
    Card,
    Code,
    Detail,
    FactRow,
    Item,
    Items,
    Pairs,
    Paragraph,
    Place,
    Plot,
    Quote,
    Section,
    Series,
)
from wizard.report.content.fact_sheet import size
from wizard.words import known, words

_MOST_FRAMES = 12  # that are printed; the JSON holds all
_MOST_LINES = 30  # of an output
_FEWEST = 5  # moments of which a curve shows more than a sentence
_FEW = 3  # statements that are named where they worked
_LONGEST = 400  # characters of a command or a message that stands in a row
# Code of others: what the user wrote is elsewhere.
_OF_OTHERS = re.compile(
    r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d|[/\\]Lib[/\\]\w+\.py$|^<|\.p(?:yx|xd|xi)$", re.IGNORECASE
)


def run_sections(case: Case, language: str) -> tuple[Section, ...]:
    """A section for each program."""
    programs = (run for run in case.facts.runs if not run.statement)
    return tuple(_program(run, number, language) for number, run in enumerate(programs))


def statement_sections(case: Case, language: str) -> tuple[Section, ...]:
    """The statements that were tried alone: those that failed one by one, the others in a sentence."""
    tried = [run for run in case.facts.runs if run.statement]
    failed = [run for run in tried if not run.worked]
    worked = [run for run in tried if run.worked and not run.read_at]
    own, others = ([run for run in failed if run.is_unasked is foreign] for foreign in (False, True))
    state = "blocking" if own else "warning" if others else "clear"
    blocks: list[Block] = [
        Items(tuple(_alike(runs, language)), SYMBOLS[grade], grade)
        for grade, runs in (("blocking", own), ("warning", others))
        if runs
    ]
    sentence = _worked(worked, bool(failed), language) if worked else ""
    if sentence and failed:
        blocks.append(Paragraph(sentence))
    if len(worked) > _FEW:
        names = words("report.list-separator", language).join(run.statement.removeprefix("import ") for run in worked)
        title = words("runs.heading-worked", language)
        blocks.append(Section("", (Paragraph(names),), detail=Detail.FULL, place=Place.APPENDIX, title_apart=title))
    if not failed and not worked:
        return ()
    title, card = words("runs.heading-statements", language), Card(state, is_open=bool(failed))
    note = "" if failed else sentence
    return (Section(title, tuple(blocks), id="statements", note=note, detail=Detail.FULL, card=card),)


def has_failed(sections: Iterable[Section]) -> bool:
    """Whether one of these sections tells of a failure."""
    return any(section.card is not None and section.card.state in ("blocking", "warning") for section in sections)


def _alike(runs: Iterable[ProgramRun], language: str) -> Iterator[Item]:
    """Each failure; those that ended with the same error together, as where many packages want one that is broken."""
    alike: dict[object, list[ProgramRun]] = {}
    for run in runs:
        alike.setdefault(_error(run.raised) if run.raised else id(run), []).append(run)
    for same in alike.values():
        names = words("report.list-separator", language).join(run.statement for run in same)
        first = same[0].raised
        yield Item(names, _error(first) if first and len(same) > 1 else ended(same[0], language))


def _worked(runs: Sequence[ProgramRun], has_others: bool, language: str) -> str:
    """That these worked, in a sentence: few by their names, of many the slowest."""
    if len(runs) <= _FEW:
        names = words("report.list-separator", language).join(run.statement for run in runs)
        return words("runs.worked-few", language, names=names)
    slowest = max(runs, key=lambda run: run.seconds or 0.0)
    key = "others-worked" if has_others else "packages-worked" if all(run.package for run in runs) else "imports-worked"
    name, seconds = (
        slowest.statement.removeprefix("import "),
        words("runs.seconds", language, seconds=slowest.seconds or 0.0),
    )
    return words(f"runs.{key}", language, count=len(runs), name=name, seconds=seconds)


def in_short(case: Case, language: str) -> Iterator[str]:
    """One line for each program that was run: what the verdict rests on."""
    for run in case.facts.runs:
        if not run.statement:
            key = "in-short-running" if run.end == ProgramEnd.RUNNING else "in-short"
            yield words(f"runs.{key}", language, command=_command(run), ended=ended(run, language))


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
    if run.end == ProgramEnd.WATCHED and raised.type == "KeyboardInterrupt":  # that was us
        own = _own(raised)
        return words("runs.was-at", language, sentence=sentence, place=_place(own, language)) if own else sentence
    return words("runs.ended-by-error", language, sentence=sentence, error=_error(raised))


def _error(raised: Raised) -> str:
    first = _cut(raised.message.strip().partition("\n")[0])
    return f"{raised.type}: {first}" if first else raised.type


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} ..."


def _command(run: ProgramRun) -> str:
    text = " ".join(shlex.join(run.command).split()) if len(run.command) > 1 else " ".join(run.command)
    return _cut(text)


def _program(run: ProgramRun, number: int, language: str) -> Section:
    blocks: list[Block] = [*_where(run, language), *_waited(run, language)]
    blocks.append(Section("", (Pairs(tuple(_rows(run, language))),), detail=Detail.FULL))
    plot = _use_over_time(run, language)
    if plot is not None:
        blocks.append(Section(words("runs.heading-gpu-use", language), (plot,), id="gpu-use", detail=Detail.FULL))
    blocks += _printed(run, language)
    state = "clear" if run.worked else "blocking" if run.failed else "note"
    key = "heading-running" if run.end == ProgramEnd.RUNNING else "heading"
    title, card = words(f"runs.{key}", language), Card(state, is_open=run.failed)
    return Section(title, tuple(blocks), id=f"run/{number}", note=ended(run, language), card=card)


def _where(run: ProgramRun, language: str) -> Iterator[Block]:
    """The exception with its frames, that of the user's own code first; else what a crash told."""
    raised = run.raised
    if raised is not None and raised.frames:
        own = _own(raised)
        if own is not None:
            yield Paragraph(words("runs.own-line", language, place=_place(own, language), code=own.code or "–"))
        frames = tuple(reversed(raised.frames))[:_MOST_FRAMES]
        printed = _last(run.errors)
        if not all(f'"{frame.file}", line {frame.line}' in printed for frame in frames):  # else it stands below
            lines = tuple(line for frame in frames for line in _lines(frame, language))
            title = words("runs.heading-frames", language)
            yield Section(title, (Quote(lines),), id="frames", detail=Detail.FULL)
    crash = next((python.crash for python in run.pythons if python.crash and not python.is_launcher), "")
    if crash and not run.worked:
        title = words("runs.heading-crash", language)
        yield Section(title, (Quote(tuple(crash.splitlines()[:_MOST_LINES])),), id="crash", detail=Detail.FULL)


def _waited(run: ProgramRun, language: str) -> Iterator[Block]:
    """What it waited for, where it did nothing else."""
    if run.only_waited:
        kinds = run.waits_for or ("unknown",)
        unknown = words("runs.waits-unknown", language)
        waits = words("report.list-separator", language).join(
            known(f"runs.waits-{kind}", unknown, language) for kind in kinds
        )
        seconds = words("runs.seconds", language, seconds=run.measured_for or run.seconds or 0.0)
        key = "runs.waited-at-last" if run.end == ProgramEnd.WATCHED else "runs.waited"
        yield Paragraph(words(key, language, seconds=seconds, cores=f"{run.processor or 0.0:.1f}", waits=waits))


def _own(raised: Raised) -> Frame | None:
    """The innermost line of the user's own code."""
    return next((frame for frame in reversed(raised.frames) if not _OF_OTHERS.search(frame.file)), None)


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
    elif run.gpu_untouched_for is not None:
        seconds = words("runs.seconds", language, seconds=run.gpu_untouched_for)
        yield row("gpu", words("runs.gpu-untouched", language, seconds=seconds))
    for use in run.gpu_use:
        name = words("report.with-detail", language, text=f"GPU {use.gpu}", detail=use.name) if use.name else ""
        yield FactRow(name or f"GPU {use.gpu}", _used(use, language))
    if run.processor is not None:
        yield row("processor", f"{run.processor:.1f}")
    warnings = list(dict.fromkeys(warning for python in run.pythons for warning in python.warnings))
    if warnings:
        yield row("warnings", "\n".join(warning[:_LONGEST] for warning in warnings[:_MOST_FRAMES]))
    if run.end != ProgramEnd.NOT_STARTED and run.detail:
        yield row("note", known(f"runs.detail-{run.detail}", run.detail, language))


def _used(use: GpuUse, language: str) -> str:
    """What the program held on a GPU, and how busy that was with the work of all."""
    parts = []
    if use.is_own is False:
        parts.append(words("runs.gpu-not-its-own", language))
    elif use.is_own is None:
        parts.append(words("runs.gpu-whose", language))
    elif use.memory is not None:
        whole = size(use.memory_total, language) if use.memory_total else "–"
        parts.append(words("runs.gpu-held", language, most=size(use.memory, language), whole=whole))
    if use.busy is not None and use.idle is not None:
        busy, idle = round(100 * use.busy), round(100 * use.idle)
        parts.append(words("runs.gpu-busy", language, busy=busy, idle=idle, looks=use.looks))
    return words("report.sentence-separator", language).join(parts) or "–"


def _use_over_time(run: ProgramRun, language: str) -> Plot | None:
    """How busy each GPU was over the time; None where there is too little to draw."""
    told = [(use, [moment for moment in use.moments if moment.busy is not None]) for use in run.gpu_use]
    lines = tuple(
        Series(
            f"GPU {use.gpu}",
            tuple(moment.end for moment in moments),
            tuple(100 * (moment.busy or 0.0) for moment in moments),
        )
        for use, moments in told
        if len(moments) >= _FEWEST
    )
    if not lines:
        return None
    seen = [share for line in lines for share in line.y if share is not None]
    return Plot(
        title=words("runs.gpu-plot", language),
        kind="lines",
        x_label=words("runs.gpu-axis-seconds", language),
        y_label=words("runs.gpu-axis-busy", language),
        series=lines,
        summary=words("runs.gpu-summary", language, least=round(min(seen)), most=round(max(seen))),
    )


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
        shown = _last(text)
        if shown:
            yield Section(words(f"runs.heading-{key}", language), (Code(shown),), id=key, detail=Detail.FULL)


def _last(text: str) -> str:
    """The last lines of what was printed, of each what a terminal shows at the end."""
    lines = [line.rpartition("\r")[2] for line in text.rstrip().splitlines()]
    return "\n".join(("[...]", *lines[-_MOST_LINES:]) if len(lines) > _MOST_LINES else lines)

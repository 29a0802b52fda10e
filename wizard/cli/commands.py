"""The headless commands, with the same engine as the window. Exit status: 0 fine, 1 something found, 2 wrong usage."""

from __future__ import annotations

import argparse
import codecs
import contextlib
import errno
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wizard.cli.arguments import STANDARD_STREAM, UsageError, language_asked, parser_of
from wizard.cli.stop_signals import asked_to_end
from wizard.words import words

if TYPE_CHECKING:
    from checks.engine.events import Event
    from checks.engine.request import Request
    from checks.facts import InterpreterFacts, SentFile
    from checks.facts.case import Case
    from checks.sharing.case import CaseError


ENDED_EARLY = 130  # as shells count a Ctrl+C: 128 + SIGINT
_PDF = b"%PDF"  # how such a file begins
_STREAM_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def run_command(arguments: Sequence[str]) -> int:
    """Run one headless command and return its exit status."""
    _utf8_streams()
    try:
        given = argparse.Namespace(given=tuple(arguments))
        chosen = parser_of(language_asked(arguments)).parse_args(arguments, given)
        status = COMMANDS[chosen.command](chosen)
        sys.stdout.flush()
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return ENDED_EARLY
    except BrokenPipeError:  # `naosu check | head`
        return _without_stdout()
    except OSError as error:
        if error.errno not in _STREAM_FULL:
            raise
        print(words("commands.output-full", language_asked(arguments), detail=error.strerror), file=sys.stderr)
        return _without_stdout()
    return status


def _without_stdout() -> int:
    """Python's own last flush must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 2


# --- the commands ----------------------------------------------------------------------------------------------------


def _check(chosen: argparse.Namespace) -> int:
    from checks.analysis.numbers.side_by_side import other_machine
    from checks.engine.request import Request
    from checks.facts.case import Answers

    _check_target(chosen)
    request = Request(
        answers=Answers(symptom=chosen.symptom, exactness=chosen.exactness, effort=chosen.effort),
        target=chosen.target,
        near=Path.cwd(),
        logs=tuple(_sent(path, "log", chosen.lang) for path in chosen.log),
        scripts=tuple(_sent(path, "script", chosen.lang) for path in chosen.script),
        models=tuple(_model(path, chosen.lang) for path in chosen.model),
        inputs=_inputs(chosen),
        repeat=True if chosen.inputs else None,  # who gives an input wants the model to be run with it
        load=chosen.load,
        others=tuple(other_machine(_case(path, chosen.lang), Path(path).name) for path in chosen.compare),
    )
    _check_outputs(chosen)
    return _examined(request, chosen)


def _compare(chosen: argparse.Namespace) -> int:
    """The first machine beside the second: what differs in their numbers and what of their environments explains it."""
    from checks.sharing.two_cases import compared, names_of

    first, second = _case(chosen.first, chosen.lang), _case(chosen.second, chosen.lang)
    _check_outputs(chosen)
    case = compared(first, second, names_of(Path(chosen.first), Path(chosen.second)))
    return _deliver(case, chosen)


def _inspect(chosen: argparse.Namespace) -> int:
    """Model files alone: read where no interpreter is named, else also tried in it."""
    from checks.engine.read_only import read_only
    from checks.engine.request import Request
    from checks.facts.case import Answers
    from checks.facts.question import MODELS

    models = tuple(_model(path, chosen.lang) for path in chosen.file)
    _check_target(chosen)
    _check_export(chosen)
    _check_outputs(chosen)
    answers = Answers(symptom=MODELS, effort=chosen.effort)
    if chosen.target is not None:
        request = Request(
            answers=answers,
            target=chosen.target,
            interpreters=(),
            models=models,
            exports=None if chosen.export is None else tuple(chosen.export),
            inputs=_inputs(chosen),
            repeat=chosen.repeat,
        )
        return _examined(request, chosen)
    status = _followed(lambda cancelled: read_only(models, answers, cancelled), chosen)
    if not _streams(chosen) and not chosen.quiet:
        print("\n" + words("models.no-target", chosen.lang))
    return status


def _check_target(chosen: argparse.Namespace) -> None:
    if chosen.target is not None and not os.path.lexists(chosen.target):
        raise UsageError(words("commands.no-such-target", chosen.lang, path=chosen.target))


def _check_export(chosen: argparse.Namespace) -> None:
    """An export takes exporters that are known; it and repetitions an interpreter; inputs are for these alone."""
    if chosen.inputs is not None and chosen.export is None and not chosen.repeat:
        raise UsageError(words("commands.inputs-need-export", chosen.lang))
    if chosen.repeat and chosen.target is None:
        raise UsageError(words("commands.repeat-needs-target", chosen.lang))
    if chosen.export is None:
        return
    from checks.knowledge.frameworks.exporters import exporters_table

    known = [each.id for each in exporters_table().exporter]
    strange = next((each for each in chosen.export if each not in known), None)
    if strange is not None:
        detail = words("commands.wrong-choice", chosen.lang, name="--export", given=strange, choices=", ".join(known))
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=detail))
    if chosen.target is None:
        raise UsageError(words("commands.export-needs-target", chosen.lang))


def _examined(request: Request, chosen: argparse.Namespace) -> int:
    """Run an examination, show how it goes, and write what was asked for."""
    from checks.engine.examination import examine

    return _followed(lambda cancelled: examine(request, cancelled=cancelled), chosen)


def _followed(begin: Callable[[Callable[[], bool]], Iterator[Event]], chosen: argparse.Namespace) -> int:
    """Show how it goes, end it when asked to, and write what came of it."""
    from checks.engine.events import Finished
    from wizard.cli.progress_line import ProgressLine

    stop = _Stop(chosen.lang)
    progress = ProgressLine(chosen.lang, shown=sys.stderr.isatty() and not chosen.quiet)
    case = None
    with asked_to_end(stop.ask):
        for event in begin(stop.is_set):
            progress.show(event)
            if isinstance(event, Finished):
                case = event.case
    progress.clear()
    assert case is not None, "the engine always finishes"  # noqa: S101 - its contract
    return _deliver(case, chosen) or (0 if case.complete else ENDED_EARLY)


def _show(chosen: argparse.Namespace) -> int:
    return _deliver(_case(chosen.file, chosen.lang), chosen)


def _case(path: str, language: str) -> Case:
    """A saved case, or the one in a report.

    Raises:
        UsageError: it cannot be opened.
    """
    from checks.sharing.case import CaseError
    from wizard.report.open import open_case

    try:
        return open_case(Path(path))
    except CaseError as error:
        raise UsageError(f"naosu: {path}: {_case_error(error, language)}") from error


def _diagnose(chosen: argparse.Namespace) -> int:
    if chosen.json_lines is not None:
        return _diagnose_lines(chosen)
    from checks.facts.case import Answers
    from checks.judgement.judge import judged
    from checks.readers.tickets.read import TICKET, read_ticket

    _check_ticket(chosen)
    _check_outputs(chosen)
    file = chosen.file or STANDARD_STREAM
    if file == STANDARD_STREAM and sys.stdin.isatty() and not chosen.quiet:
        print(words("commands.paste-now", chosen.lang), file=sys.stderr)
    case = judged(read_ticket(_sent(file, "log", chosen.lang)), Answers(symptom=TICKET))
    return _deliver(case, chosen)


def _check_ticket(chosen: argparse.Namespace) -> None:
    """What was meant as the ticket is one file, and neither a report nor the text itself nor an output's name."""
    if chosen.more:
        raise UsageError(words("commands.one-ticket", chosen.lang))
    if chosen.file is None:
        _check_not_swallowed(chosen)
    elif chosen.file != STANDARD_STREAM and not os.path.lexists(chosen.file) and len(chosen.file.split()) > 1:
        raise UsageError(words("commands.text-as-file", chosen.lang))
    elif _is_file(chosen.file):
        from wizard.report.open import holds_case

        if holds_case(Path(chosen.file)):
            raise UsageError(words("commands.ticket-is-report", chosen.lang, path=chosen.file))


def _check_not_swallowed(chosen: argparse.Namespace) -> None:
    """In `diagnose --reply ticket.txt` the ticket is the file that the answer would be written over."""
    for kind in ("reply", "json", "markdown", "pdf"):
        option, path = f"--{kind}", getattr(chosen, kind)
        if path in (None, STANDARD_STREAM) or f"{option}={path}" in chosen.given:
            continue
        if _is_file(path) and not (kind == "pdf" and _is_pdf(path)):
            raise UsageError(words("commands.ticket-as-output", chosen.lang, option=option, path=path))


def _is_file(path: str) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - where pathlib raises (a name that is too long), this is no file


def _is_pdf(path: str) -> bool:
    """Whether this is an earlier report, or nothing yet, which a run may replace: a ticket is text."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_PDF)) in {_PDF, b""}
    except OSError:  # not to be written either, which is told where outputs are checked
        return True


def _diagnose_lines(chosen: argparse.Namespace) -> int:
    """One answer per line, in the order of the tickets; a line that is no ticket is answered with what is wrong."""
    if chosen.file not in (None, STANDARD_STREAM) or any((chosen.json, chosen.markdown, chosen.pdf, chosen.reply)):
        raise UsageError(words("commands.json-lines-alone", chosen.lang))
    from wizard.report.prints.json_lines import answer_of

    status = 0
    with contextlib.ExitStack() as stack:
        if chosen.json_lines == STANDARD_STREAM:
            tickets = cast("io.BufferedReader", sys.stdin.buffer)
        else:
            try:
                tickets = stack.enter_context(open(chosen.json_lines, "rb"))
            except OSError as error:
                raise UsageError(_unreadable(chosen.json_lines, error, chosen.lang)) from error
        for number, line in enumerate(_lines(tickets), start=1):
            if line.strip():
                answer = answer_of(line, number, chosen.lang, redact=not chosen.no_redact)
                status = max(status, 2 if not answer.is_ticket else int(answer.is_found))
                sys.stdout.buffer.write(answer.line)
                sys.stdout.buffer.flush()  # who writes tickets into a pipe waits for each answer
    return status


def _lines(stream: io.BufferedReader) -> Iterator[bytes]:
    """The lines of a file or pipe in UTF-8; PowerShell writes UTF-16 with its mark, where a byte 10 ends no line."""
    if not stream.peek(len(codecs.BOM_UTF16)).startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        yield from stream
        return
    decoded = io.TextIOWrapper(stream, encoding="utf-16", errors="replace")
    try:
        yield from (line.encode() for line in decoded)
    finally:
        decoded.detach()  # the stream is its opener's to close


def _envs(chosen: argparse.Namespace) -> int:
    from checks.interpreters import Places, find_interpreters, likely_first, likely_target

    if chosen.near is not None and not Path(chosen.near).is_dir():
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.near, detail="not a folder"))
    found = likely_first(find_interpreters(Places.of_this_machine(Path(chosen.near or "."))))
    likely = likely_target(found)
    if chosen.json is not None:
        import msgspec

        from checks.facts import Facts

        listed = msgspec.to_builtins(Facts(interpreters=found, target=likely.path if likely else None))
        _write(chosen.json, msgspec.json.format(msgspec.json.encode(listed)) + b"\n", chosen.lang)
        return 0
    if not found:
        print(words("commands.none-found", chosen.lang))
    for each in found:
        print(_environment_line(each, each is likely, chosen.lang))
    return 0


def _open(chosen: argparse.Namespace) -> int:
    from wizard.window.display import no_window

    trouble = no_window()
    if trouble is not None:
        raise UsageError(words(f"commands.{trouble.reason}-open", chosen.lang, detail=trouble.detail))
    from wizard.window.app import run_window

    return run_window([chosen.file], chosen.lang)


COMMANDS = {
    "check": _check,
    "compare": _compare,
    "inspect": _inspect,
    "diagnose": _diagnose,
    "show": _show,
    "envs": _envs,
    "open": _open,
}


# --- what goes out ---------------------------------------------------------------------------------------------------


def _deliver(case: Case, chosen: argparse.Namespace) -> int:
    """Write what was asked for, print the summary, and return the exit status."""
    from checks.facts.question import MODELS
    from checks.judgement.headline import is_trouble
    from checks.judgement.model_standing import is_any_serious

    streams = _streams(chosen)
    for kind in ("json", "markdown", "reply", "pdf"):
        path = getattr(chosen, kind, None)
        if path is not None:
            _export(case, kind, path, chosen)
    if not streams and not chosen.quiet:
        from wizard.report.content.report import build
        from wizard.report.prints.terminal import to_terminal

        print(to_terminal(build(case, chosen.lang)))
    if case.answers.symptom == MODELS and is_any_serious(case.facts, case.findings, case.verdicts):
        return 1
    return int(is_trouble(case.facts, case.findings, case.answers.symptom))


def _streams(chosen: argparse.Namespace) -> list[str]:
    """What goes to standard output; two reports in one stream would be neither."""
    streams = [kind for kind in ("json", "markdown", "reply") if getattr(chosen, kind, None) == STANDARD_STREAM]
    if len(streams) > 1:
        raise UsageError(words("commands.one-stream", chosen.lang))
    return streams


def _export(case: Case, kind: str, path: str, chosen: argparse.Namespace) -> None:
    from wizard.report.export import ExportError, export, hidden_words, render

    redact = not chosen.no_redact
    if path == STANDARD_STREAM:
        _write(path, render(case, kind, chosen.lang, redact=redact), chosen.lang)
        return
    try:
        hidden = export(case, Path(path), kind, chosen.lang, paper=chosen.paper, redact=redact)
    except ExportError as error:
        raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error
    if not chosen.quiet:
        print(words("commands.written", chosen.lang, path=path), file=sys.stderr)
        if hidden:
            counts = hidden_words(hidden, chosen.lang)
            print(words("commands.hidden", chosen.lang, counts=counts), file=sys.stderr)


def _write(path: str, data: bytes, language: str) -> None:
    if path == STANDARD_STREAM:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from checks.sharing.files import write_whole

    try:
        write_whole(Path(path), data)
    except OSError as error:
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=error.strerror)) from error


def _environment_line(interpreter: InterpreterFacts, is_likely: bool, language: str) -> str:
    from checks.interpreters import frameworks_of, is_own

    found = ", ".join(f"{name} {version}" for name, version in frameworks_of(interpreter).items())
    key = "likely-own" if is_own(interpreter) else "likely"
    note = f"  ({words(f'commands.{key}', language)})" if is_likely else ""
    kind = f"{interpreter.kind or ''} {interpreter.version or ''}".strip()
    return f"{interpreter.path}\n    {kind}: {found or words('commands.no-frameworks', language)}{note}"


# --- what comes in ---------------------------------------------------------------------------------------------------


def _sent(path: str, kind: str, language: str) -> SentFile:
    """A file or pipe that the user gave; of a log its text, or what matters of a long one."""
    from checks.facts import SentFile
    from checks.readers.text import NotText, read_text

    size = text = None
    try:
        if path == STANDARD_STREAM and kind == "log":
            text = read_text(sys.stdin.buffer)
        else:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                text = read_text(file) if kind == "log" else None
    except OSError as error:
        raise UsageError(_unreadable(path, error, language)) from error
    except NotText as error:
        raise UsageError(words("commands.not-text", language, path=path)) from error
    return SentFile(
        origin=path,
        name="" if path == STANDARD_STREAM else Path(path).name,
        kind=kind,
        size=size,
        text=text,
        examined=kind == "log",
    )


def _model(path: str, language: str) -> Path:
    """A model file or folder that the user gave."""
    if not os.path.lexists(path):
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=os.strerror(errno.ENOENT)))
    return Path(path)


def _inputs(chosen: argparse.Namespace) -> Path | None:
    """The input of the models, where one was given.

    Raises:
        UsageError: there is no such file, or no model that it could be for.
    """
    if chosen.inputs is None:
        return None
    if not getattr(chosen, "model", True):
        raise UsageError(words("commands.inputs-need-model", chosen.lang))
    return _model(chosen.inputs, chosen.lang)


def _unreadable(path: str, error: OSError, language: str) -> str:
    return words("commands.file-unreadable", language, path=path, detail=error.strerror or str(error))


def _check_outputs(chosen: argparse.Namespace) -> None:
    """An output that cannot be written is told before a minute of work, not after it."""
    _streams(chosen)
    from wizard.report.export import ExportError, check_writable

    for path in (chosen.json, chosen.markdown, chosen.pdf, getattr(chosen, "reply", None)):
        if path is not None and path != STANDARD_STREAM:
            try:
                check_writable(Path(path))
            except ExportError as error:
                raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error


def _case_error(error: CaseError, language: str) -> str:
    from wizard.report.open import sentence_of

    return sentence_of(error, language)


class _Stop:
    """Being asked to end ends the probes and keeps what is done; being asked again ends the program."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._event = threading.Event()
        self.is_set = self._event.is_set

    def ask(self) -> None:
        """Called by a signal, on the main thread."""
        if self.is_set():
            raise KeyboardInterrupt  # the engine ends its probes on the way out
        self._event.set()
        with contextlib.suppress(OSError):  # the terminal may be what went away
            print("\n" + words("commands.cancelled", self._language), file=sys.stderr)


def _utf8_streams() -> None:
    """Japanese must not fail on a terminal of another code page."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")

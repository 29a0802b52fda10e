"""The headless commands, with the same engine as the window. Exit status: 0 fine, 1 something found, 2 wrong usage."""

from __future__ import annotations

import argparse
import functools
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from wizard.words import system_language, words

if TYPE_CHECKING:
    from checks.case import Case, CaseError
    from checks.events import Event
    from checks.facts import InterpreterFacts, SentFile

SYMPTOMS = (
    "does-not-start",
    "not-on-gpu",
    "works-elsewhere",
    "after-change",
    "results-change",
    "results-differ",
    "everything",
)
EXACTNESS = ("bits", "decisions", "close")
EFFORTS = ("quick", "standard", "thorough")
LANGUAGES = ("en", "ja")
PAPERS = ("a4", "letter")
LOG_LIMIT = 5 * 1024 * 1024  # bytes of a log that are kept
STANDARD_STREAM = "-"


# What argparse says of wrong arguments (Python 3.11 to 3.14), to say it in the user's language.
_ARGPARSE_SAYS = {
    "unknown-arguments": re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL),
    "missing-arguments": re.compile(r"the following arguments are required: (?P<names>.*)"),
    "wrong-choice": re.compile(r"argument (?P<name>.*): invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)"),
    "value-missing": re.compile(r"argument (?P<name>.*): expected one argument"),
}


class UsageError(Exception):
    """Wrong usage or unreadable input: one line for standard error."""


def run_command(arguments: Sequence[str]) -> int:
    """Run one headless command and return its exit status."""
    _utf8_streams()
    language = _language_asked(arguments)
    try:
        chosen = _parser(language).parse_args(arguments)
        status: int = chosen.run(chosen)
    except UsageError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130  # as shells count it: 128 + SIGINT
    except BrokenPipeError:  # `naosu check | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return status


# --- the arguments ---------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """argparse in the user's language: its errors become one line of ours."""

    def __init__(self, language: str = "en", **named: Any) -> None:
        formatter = functools.partial(_Formatter, language=language)
        super().__init__(**{**named, "add_help": False, "allow_abbrev": False, "formatter_class": formatter})
        self.language = language
        self._optionals.title = words("commands.options-title", language)
        self._positionals.title = words("commands.arguments-title", language)
        self.add_argument("-h", "--help", action="help", help=words("commands.help-help", language))

    def error(self, message: str) -> NoReturn:
        """One line, no usage block; argparse's own English only where it says what we did not foresee."""
        for key, pattern in _ARGPARSE_SAYS.items():
            found = pattern.fullmatch(message)
            if found:
                message = words(f"commands.{key}", self.language, **found.groupdict())
                break
        raise UsageError(words("commands.wrong-usage", self.language, detail=message))


class _Formatter(argparse.HelpFormatter):
    """The help's layout with its first word in the user's language."""

    def __init__(self, prog: str, *, language: str = "en") -> None:
        super().__init__(prog)
        self._language = language

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """As argparse does it, with our own prefix."""
        super().add_usage(usage, actions, groups, words("commands.usage", self._language) if prefix is None else prefix)


def _language_asked(arguments: Sequence[str]) -> str:
    """The language of the help itself is needed before the arguments are parsed."""
    for here, following in zip(arguments, [*arguments[1:], ""], strict=True):
        asked = following if here == "--lang" else here.removeprefix("--lang=")
        if here.startswith("--lang") and asked in LANGUAGES:
            return asked
    return system_language()


def _parser(language: str) -> _Parser:
    from checks import __version__

    def text(key: str) -> str:
        return words(f"commands.{key}", language)

    parser = _Parser(prog="naosu", description=text("description"), language=language)
    parser.add_argument("--version", action="version", version=f"naosu {__version__}", help=text("help-version"))
    parser.add_argument("--lang", choices=LANGUAGES, default=language, help=text("help-lang"))
    commands = parser.add_subparsers(title=text("commands-title"), required=True, metavar="COMMAND")

    def command(name: str) -> _Parser:
        made: _Parser = commands.add_parser(
            name, help=text(f"help-{name}"), description=text(f"help-{name}"), language=language
        )
        made.add_argument("--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=text("help-lang"))
        return made

    def exports(made: _Parser) -> None:
        made.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))
        made.add_argument("--markdown", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-markdown"))
        made.add_argument("--pdf", metavar="FILE", help=text("help-pdf"))
        made.add_argument("--paper", choices=PAPERS, help=text("help-paper"))
        made.add_argument("--no-redact", action="store_true", help=text("help-no-redact"))
        made.add_argument("--quiet", action="store_true", help=text("help-quiet"))

    check = command("check")
    check.set_defaults(run=_check)
    check.add_argument("--target", metavar="PYTHON", help=text("help-target"))
    check.add_argument("--symptom", choices=SYMPTOMS, default="everything", help=text("help-symptom"))
    check.add_argument("--exactness", choices=EXACTNESS, default="", help=text("help-exactness"))
    check.add_argument("--effort", choices=EFFORTS, default="standard", help=text("help-effort"))
    for kind in ("model", "script", "log"):
        check.add_argument(f"--{kind}", action="append", default=[], metavar="FILE", help=text(f"help-{kind}"))
    exports(check)

    show = command("show")
    show.set_defaults(run=_show)
    show.add_argument("file", metavar="FILE")
    exports(show)

    envs = command("envs")
    envs.set_defaults(run=_envs)
    envs.add_argument("--near", metavar="FOLDER", help=text("help-folder"))
    envs.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))

    opened = command("open")
    opened.set_defaults(run=_open)
    opened.add_argument("file", metavar="FILE")
    return parser


# --- the commands ----------------------------------------------------------------------------------------------------


def _check(chosen: argparse.Namespace) -> int:
    from checks.case import Answers
    from checks.engine import Request, examine
    from checks.events import Finished

    request = Request(
        answers=Answers(symptom=chosen.symptom, exactness=chosen.exactness, effort=chosen.effort),
        target=chosen.target,
        near=Path.cwd(),
        logs=tuple(_sent(path, "log", chosen.lang) for path in chosen.log),
        scripts=tuple(_sent(path, "script", chosen.lang) for path in chosen.script),
        models=tuple(_sent(path, "model", chosen.lang) for path in chosen.model),
    )
    _check_targets(chosen)
    stop = _Stop(chosen.lang)
    progress = _Progress(chosen.lang, shown=sys.stderr.isatty() and not chosen.quiet)
    case = None
    with stop:
        for event in examine(request, cancelled=stop.is_set):
            progress.show(event)
            if isinstance(event, Finished):
                case = event.case
    progress.clear()
    assert case is not None, "the engine always finishes"  # noqa: S101 - its contract
    return _deliver(case, chosen)


def _show(chosen: argparse.Namespace) -> int:
    from checks.case import CaseError
    from wizard.report.open import open_case

    try:
        case = open_case(Path(chosen.file))
    except CaseError as error:
        raise UsageError(f"naosu: {_case_error(error, chosen.lang)}") from error
    return _deliver(case, chosen)


def _envs(chosen: argparse.Namespace) -> int:
    from checks.interpreters import Places, find_interpreters, likely_target

    if chosen.near is not None and not Path(chosen.near).is_dir():
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.near, detail="not a folder"))
    found = find_interpreters(Places.of_this_machine(Path(chosen.near or ".")))
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
    from wizard.app import run_window

    return run_window([chosen.file])


# --- what goes out ---------------------------------------------------------------------------------------------------


def _deliver(case: Case, chosen: argparse.Namespace) -> int:
    """Write what was asked for, print the summary, and return the exit status."""
    from checks.finding import Severity

    streams = [each for each in (chosen.json, chosen.markdown) if each == STANDARD_STREAM]
    for kind in ("json", "markdown", "pdf"):
        path = getattr(chosen, kind)
        if path is not None:
            _export(case, kind, path, chosen)
    if not streams and not chosen.quiet:
        from wizard.report.model import build
        from wizard.report.terminal import to_terminal

        print(to_terminal(build(case, chosen.lang)))
    return int(any(finding.severity is not Severity.NOTE for finding in case.findings))


def _export(case: Case, kind: str, path: str, chosen: argparse.Namespace) -> None:
    from wizard.report.export import ExportError, export, render

    redact = not chosen.no_redact
    if path == STANDARD_STREAM:
        _write(path, render(case, kind, chosen.lang, redact=redact), chosen.lang)
        return
    try:
        export(case, Path(path), kind, chosen.lang, paper=chosen.paper, redact=redact)
    except ExportError as error:
        raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error
    if not chosen.quiet:
        print(words("commands.written", chosen.lang, path=path), file=sys.stderr)


def _write(path: str, data: bytes, language: str) -> None:
    if path == STANDARD_STREAM:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    from checks.files import write_whole

    try:
        write_whole(Path(path), data)
    except OSError as error:
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=error.strerror)) from error


def _environment_line(interpreter: InterpreterFacts, is_likely: bool, language: str) -> str:
    from checks.interpreters import frameworks_of

    found = ", ".join(f"{name} {version}" for name, version in frameworks_of(interpreter).items())
    note = f"  ({words('commands.likely', language)})" if is_likely else ""
    kind = f"{interpreter.kind or ''} {interpreter.version or ''}".strip()
    return f"{interpreter.path}\n    {kind}: {found or words('commands.no-frameworks', language)}{note}"


# --- what comes in ---------------------------------------------------------------------------------------------------


def _sent(path: str, kind: str, language: str) -> SentFile:
    """A file that the user gave; of a log its text, at most LOG_LIMIT bytes of its end."""
    from checks.facts import SentFile

    try:
        if path == STANDARD_STREAM and kind == "log":
            data, size = sys.stdin.buffer.read(LOG_LIMIT), None
        else:
            size = Path(path).stat().st_size
            with open(path, "rb") as file:
                file.seek(max(0, size - LOG_LIMIT) if kind == "log" else 0)
                data = file.read(LOG_LIMIT) if kind == "log" else b""
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError(words("commands.file-unreadable", language, path=path, detail=detail)) from error
    return SentFile(
        origin=path,
        name=Path(path).name,
        kind=kind,
        size=size,
        text=data.decode("utf-8", errors="replace") if kind == "log" else None,
    )


def _check_targets(chosen: argparse.Namespace) -> None:
    """A target file that cannot be written is told before a minute of work, not after it."""
    from wizard.report.export import ExportError, check_writable

    for path in (chosen.json, chosen.markdown, chosen.pdf):
        if path is not None and path != STANDARD_STREAM:
            try:
                check_writable(Path(path))
            except ExportError as error:
                raise UsageError(f"naosu: {error.sentence(chosen.lang)}") from error


def _case_error(error: CaseError, language: str) -> str:
    from wizard.report.open import sentence_of

    return sentence_of(error, language)


class _Stop:
    """Ctrl+C ends the probes and keeps what is done; a second one ends the program."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._event = threading.Event()
        self.is_set = self._event.is_set

    def __enter__(self) -> Self:
        self._old = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._old)

    def _interrupted(self, *_: object) -> None:
        self._event.set()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        print("\n" + words("commands.cancelled", self._language), file=sys.stderr)


class _Progress:
    """One line on the terminal that is written over."""

    WIDTH = 78

    def __init__(self, language: str, *, shown: bool) -> None:
        self._language = language
        self._shown = shown
        self._last = 0.0

    def show(self, event: Event) -> None:
        """Show what an event says."""
        from checks.events import ProbeSlow, Progress

        if not self._shown:
            return
        if isinstance(event, ProbeSlow):
            self.clear()
            text = words(
                "commands.slow", self._language, probe=event.probe, stage=event.stage, seconds=round(event.seconds)
            )
            print(text, file=sys.stderr)
        elif isinstance(event, Progress) and time.monotonic() - self._last > 0.1:
            self._last = time.monotonic()
            self._line(event.share, event.remaining)

    def clear(self) -> None:
        """Leave the line empty."""
        if self._shown:
            print("\r" + " " * self.WIDTH + "\r", end="", file=sys.stderr, flush=True)

    def _line(self, share: float, remaining: float | None) -> None:
        key = "longer" if remaining is None else "remaining"
        state = words(f"commands.{key}", self._language, seconds=max(1, round(remaining or 0)))
        text = words("commands.progress", self._language, percent=round(share * 100), state=state)
        filled = round(share * 20)
        line = f"[{'#' * filled}{'.' * (20 - filled)}] {text}"
        print("\r" + line.ljust(self.WIDTH)[: self.WIDTH], end="", file=sys.stderr, flush=True)


def _utf8_streams() -> None:
    """Japanese must not fail on a terminal of another code page."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")

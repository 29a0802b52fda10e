"""The arguments of the headless commands, in the user's language."""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from wizard.flow import EXACTNESS, SYMPTOMS
from wizard.words import program, system_language, words

EFFORTS = ("quick", "standard", "thorough")
LANGUAGES = ("en", "ja")
PAPERS = ("a4", "letter")
STANDARD_STREAM = "-"
_DAY = 24 * 60 * 60

# What argparse says of wrong arguments (Python 3.11 to 3.14), to say it in the user's language.
_ARGPARSE_SAYS = {
    "unknown-arguments": re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL),
    "missing-arguments": re.compile(r"the following arguments are required: (?P<names>.*)"),
    "wrong-choice": re.compile(r"argument (?P<name>.*): invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)"),
    "wrong-seconds": re.compile(r"argument (?P<name>.*): invalid seconds value: (?P<given>.*)"),
    "value-missing": re.compile(r"argument (?P<name>.*): expected one argument"),
}


class UsageError(Exception):
    """Wrong usage or unreadable input: one line for standard error."""


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


def language_asked(arguments: Sequence[str]) -> str:
    """The language of the help itself is needed before the arguments are parsed."""
    for here, following in zip(arguments, [*arguments[1:], ""], strict=True):
        asked = following if here == "--lang" else here.removeprefix("--lang=")
        if here.startswith("--lang") and asked in LANGUAGES:
            return asked
    return system_language()


def seconds(text: str) -> float:
    """A length of time from a second to a day.

    Raises:
        ValueError: it is none.
    """
    value = float(text)
    if not 1 <= value <= _DAY:
        raise ValueError(text)
    return value


def parser_of(language: str) -> argparse.ArgumentParser:
    """All commands and their options. The parsed arguments name the chosen one as ``command``.

    The parser raises :class:`UsageError` where argparse would end the program.
    """
    from checks import __version__

    def text(key: str) -> str:
        return words(f"commands.{key}", language)

    parser = _Parser(prog=program(), description=text("description"), language=language)
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
    check.set_defaults(command="check")
    check.add_argument("--target", metavar="PYTHON", help=text("help-target"))
    check.add_argument("--symptom", choices=SYMPTOMS, default="everything", help=text("help-symptom"))
    check.add_argument(
        "--exactness", choices=[each for each in EXACTNESS if each], default="", help=text("help-exactness")
    )
    check.add_argument("--effort", choices=EFFORTS, default="standard", help=text("help-effort"))
    check.add_argument("--load", type=seconds, metavar="SECONDS", help=text("help-load"))
    for kind in ("model", "script", "log"):
        check.add_argument(f"--{kind}", action="append", default=[], metavar="FILE", help=text(f"help-{kind}"))
    check.add_argument("--inputs", metavar="FILE", help=text("help-inputs"))
    check.add_argument("--compare", action="append", default=[], metavar="REPORT", help=text("help-check-compare"))
    exports(check)

    compare = command("compare")
    compare.set_defaults(command="compare")
    compare.add_argument("first", metavar="A", help=text("help-compare-first"))
    compare.add_argument("second", metavar="B", help=text("help-compare-second"))
    exports(compare)

    diagnose = command("diagnose")
    diagnose.set_defaults(command="diagnose")
    diagnose.add_argument("file", nargs="?", metavar="FILE", help=text("help-ticket"))
    diagnose.add_argument("more", nargs="*", help=argparse.SUPPRESS)  # to say that one file is read at a time
    diagnose.add_argument("--json-lines", metavar="FILE", help=text("help-json-lines"))
    diagnose.add_argument("--reply", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-reply"))
    exports(diagnose)

    inspect = command("inspect")
    inspect.set_defaults(command="inspect")
    inspect.add_argument("file", nargs="+", metavar="FILE", help=text("help-inspect-file"))
    inspect.add_argument("--target", metavar="PYTHON", help=text("help-inspect-target"))
    inspect.add_argument("--effort", choices=EFFORTS, default="standard", help=text("help-effort"))
    inspect.add_argument("--export", nargs="*", metavar="EXPORTER", help=text("help-export"))
    inspect.add_argument("--repeat", action="store_true", help=text("help-repeat"))
    inspect.add_argument("--inputs", metavar="FILE", help=text("help-inputs"))
    exports(inspect)

    show = command("show")
    show.set_defaults(command="show")
    show.add_argument("file", metavar="FILE")
    exports(show)

    envs = command("envs")
    envs.set_defaults(command="envs")
    envs.add_argument("--near", metavar="FOLDER", help=text("help-folder"))
    envs.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))

    opened = command("open")
    opened.set_defaults(command="open")
    opened.add_argument("file", metavar="FILE")
    return parser

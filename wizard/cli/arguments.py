"""The arguments of the headless commands, in the user's language."""

from __future__ import annotations

import argparse
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from checks.languages import LANGUAGES
from wizard.words import program, system_language, words

PAPERS = ("a4", "letter")
STANDARD_STREAM = "-"
_DAY = 24 * 60 * 60

# How argparse words wrong arguments (Python 3.11 to 3.14); we word it in the user's language.
_ARGPARSE_ERRORS = {
    "unknown-arguments": re.compile(r"unrecognized arguments: (?P<given>.*)", re.DOTALL),
    "missing-arguments": re.compile(r"the following arguments are required: (?P<names>.*)"),
    "wrong-choice": re.compile(r"argument (?P<name>.*): invalid choice: (?P<given>.*) \(choose from (?P<choices>.*)\)"),
    "wrong-seconds": re.compile(r"argument (?P<name>.*): invalid seconds value: (?P<given>.*)"),
    "value-missing": re.compile(r"argument (?P<name>.*): expected one argument"),
}


class UsageError(Exception):
    """Wrong usage or unreadable input: one line for standard error."""


class Parser(argparse.ArgumentParser):
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
        for key, pattern in _ARGPARSE_ERRORS.items():
            found = pattern.fullmatch(message)
            if found:
                message = words(f"commands.{key}", self.language, **found.groupdict())
                break
        raise UsageError(words("commands.wrong-usage", self.language, detail=message))


Text = Callable[[str], str]  # a key of resources/words/commands.toml -> its words in the user's language
AddArguments = Callable[[Parser, Text], None]


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


def parser_of(language: str, commands: Mapping[str, AddArguments]) -> argparse.ArgumentParser:
    """The parser of all commands, by name, each with what adds its arguments.

    The parsed arguments name the chosen one as ``command``. The parser raises :class:`UsageError` where argparse would
    end the program.
    """
    from checks import __version__

    def text(key: str) -> str:
        return words(f"commands.{key}", language)

    parser = Parser(prog=program(), description=text("description"), language=language)
    parser.add_argument("--version", action="version", version=f"naosu {__version__}", help=text("help-version"))
    parser.add_argument("--lang", choices=LANGUAGES, default=language, help=text("help-lang"))
    choices = parser.add_subparsers(title=text("commands-title"), required=True, metavar="COMMAND")
    for name, add_arguments in commands.items():
        about = text(f"help-{name}")
        command: Parser = choices.add_parser(name, help=about, description=about, language=language)
        command.add_argument("--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=text("help-lang"))
        command.set_defaults(command=name)
        add_arguments(command, text)
    return parser


def add_outputs(parser: Parser, text: Text) -> None:
    """The options of every command that makes a report."""
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))
    parser.add_argument("--markdown", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-markdown"))
    parser.add_argument("--pdf", metavar="FILE", help=text("help-pdf"))
    parser.add_argument("--paper", choices=PAPERS, help=text("help-paper"))
    parser.add_argument("--redact", action="append", default=[], metavar="WORD", help=text("help-redact"))
    parser.add_argument("--no-redact", action="store_true", help=text("help-no-redact"))
    parser.add_argument("-v", "--verbose", action="store_true", help=text("help-verbose"))
    parser.add_argument("--quiet", action="store_true", help=text("help-quiet"))

"""What the commands of a remedy would change, read from the lines that its user would paste.

Nothing of a remedy goes through a shell here. A line is understood (an installer's call for the examined Python, a
variable that is set or taken away, a file of the environment that is moved), changes nothing (``pip check``), or is not
tried at all: administrators' commands, and what somebody has to do by hand.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checks.knowledge.commands.trials import TrialWords
from checks.remedies.plan import RemedyPlan

_OPERATORS = ";&|<>()"
_ADDRESS = re.compile(r"https?://[\w.\-/+%~:=?&]+")
_REQUIREMENT = re.compile(
    r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?:\[[\w.,\s-]+\])?(?:\s*(?:===|[<>=!~]=|[<>])\s*[\w.*+!-]+(?:\s*,\s*)?)*"
)
_FOLDER = re.compile(r"\.?[\w-]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Two forms of a value that a shell works out: a list without some of its members, and what the examined Python prints.
_FILTERED = re.compile(r"""export (\w+)=\$\(printf %s "\$\1" \| tr ':' '\\n' \| grep -vE '([^']+)' \| paste -sd: -\)""")
_PRINTED = re.compile(r"""export (\w+)=\$\(((?:[^\s'"$`\\]+|'[^']*')) -c "([^"$`\\]*)"\)""")
_SHOWN = re.compile(r"echo \$\w+")
_LOOKS = (("check",), ("list",), ("show",), ("--version",), ("cache",), ("debug",))


@dataclass(frozen=True)
class Installed:
    """A call of an installer for the examined Python. ``installer``: "pip" or "uv"; ``verb``: install or uninstall."""

    line: str
    installer: str
    verb: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Variable:
    """A variable that the program gets; None: that it does not get."""

    line: str
    name: str
    value: str | None


@dataclass(frozen=True)
class Filtered:
    """A variable whose value is a list, without the members in which a pattern is found."""

    line: str
    name: str
    pattern: str


@dataclass(frozen=True)
class Printed:
    """A variable that gets what a statement prints in the examined Python."""

    line: str
    name: str
    python: str
    statement: str


@dataclass(frozen=True)
class Moved:
    """A file that gets another place."""

    line: str
    source: str
    to: str


@dataclass(frozen=True)
class NewEnvironment:
    """A virtual environment that is made, in which the program's packages are still missing.

    ``folder``: its name; ``installer``: "pip" or "uv".
    """

    line: str
    folder: str
    installer: str


Change = Installed | Variable | Filtered | Printed | Moved | NewEnvironment
SETTINGS = (Variable, Filtered, Printed)  # they change what the program is started with, and no file


class NotTriable(Exception):  # noqa: N818 - what cannot be tried is an answer, too
    """The remedy cannot be carried out in a copy. ``reason``: behind "reason-" in resources/words/proofs.toml."""

    def __init__(self, reason: str, **values: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


def changes_of(plan: RemedyPlan, target: str) -> tuple[Change, ...]:
    """What its commands change, in their order; at least one.

    ``target``: the examined Python, as the commands name it.

    Raises:
        NotTriable: a command needs an administrator, is for another system, or is not understood; or there is none.
    """
    changes: list[Change] = []
    for step in plan.steps:
        if step.platforms or step.managers or step.kind in {"setting", "code"}:
            raise NotTriable("by-hand")
        if step.kind == "command":
            if step.language != "sh":
                raise NotTriable("other-shell")
            for line in filter(None, map(str.strip, step.code.replace("\\\n", " ").splitlines())):
                changes += _of_line(line, target)
    if not changes:
        raise NotTriable("by-hand")
    return tuple(changes)


def _of_line(line: str, target: str) -> Iterator[Change]:
    if _SHOWN.fullmatch(line):
        return
    setting = _worked_out(line, target)
    if setting is not None:
        yield setting
        return
    words = _words(line)
    match words:
        case ["export" | "unset" | "env", *_]:
            yield from _of_variables(line, words)
        case ["mv", source, to] if not source.startswith("-") and not to.startswith("-"):
            yield Moved(line, source, to)
        case [python, "-m", "pip", *rest] if python == target:
            yield from _of_installer(line, "pip", rest)
        case ["uv", "pip", verb, "--python", python, *rest] if python == target:
            yield from _of_installer(line, "uv", [verb, *rest])
        case [python, "-c", *_] if python == target:
            return
        case [_, "-m", "venv", *_] | ["uv", "venv", *_]:
            yield _new_environment(line, words, target)
        case [first, *_] if first in TrialWords.read().administration:
            raise NotTriable("administrator")
        case [_, *_]:
            raise NotTriable("not-understood", command=line)


def _new_environment(line: str, words: Sequence[str], target: str) -> NewEnvironment:
    match words:
        case [python, "-m", "venv", folder] if python in (target, "python3") and _FOLDER.fullmatch(folder):
            return NewEnvironment(line, folder, "pip")
        case ["uv", "venv", folder, "--python", python] if python == target and _FOLDER.fullmatch(folder):
            return NewEnvironment(line, folder, "uv")
        case _:
            raise NotTriable("new-environment")


def _worked_out(line: str, target: str) -> Change | None:
    """A variable whose value a shell works out, in one of the two forms that are carried out without one."""
    filtered, printed = _FILTERED.fullmatch(line), _PRINTED.fullmatch(line)
    if filtered:
        return Filtered(line, filtered[1], filtered[2])
    if printed and shlex.split(printed[2]) == [target]:
        return Printed(line, printed[1], target, printed[3])
    return None


def _of_variables(line: str, words: Sequence[str]) -> Iterator[Change]:
    match words:
        case ["export", assignment] if _NAME.fullmatch(assignment.partition("=")[0]) and "=" in assignment:
            name, _, value = assignment.partition("=")
            yield Variable(line, name, value)
        case ["unset", *names] if names and all(map(_NAME.fullmatch, names)):
            yield from (Variable(line, name, None) for name in names)
        case ["env", "-u", *_]:
            names = [name for option, name in itertools.pairwise(words) if option == "-u" and _NAME.fullmatch(name)]
            yield from (Variable(line, name, None) for name in names)
        case _:
            raise NotTriable("not-understood", command=line)


def _words(line: str) -> list[str]:
    """The words of a simple command.

    Raises:
        NotTriable: it is more than one, or a shell would put something else in a word's place.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        words = list(lexer)
    except ValueError as error:
        raise NotTriable("not-understood", command=line) from error
    if words[:1] and words[0] in TrialWords.read().administration:
        raise NotTriable("administrator")
    if any(word and set(word) <= set(_OPERATORS) for word in words) or re.search(r"[$`*?~]|(?<!\\)!", _unquoted(line)):
        raise NotTriable("not-understood", command=line)
    return words


def _unquoted(line: str) -> str:
    """What of a line a shell would look into: not what stands in single quotes."""
    return re.sub(r"'[^']*'", "", line)


def _of_installer(line: str, installer: str, words: Sequence[str]) -> Iterator[Installed]:
    if words[:1] and (words[0],) in _LOOKS:
        return
    if not words or words[0] not in {"install", "uninstall"}:
        raise NotTriable("not-understood", command=line)
    known = TrialWords.read()
    rest = iter(words[1:])
    for word in rest:
        if word in known.with_value:
            is_fit = bool(
                _ADDRESS.fullmatch(value := next(rest, "")) or _REQUIREMENT.fullmatch(value) or value == ":all:"
            )
        else:
            name, _, value = word.partition("=")
            is_option = name in known.with_value and bool(_ADDRESS.fullmatch(value))
            is_fit = word in known.flags or is_option or bool(_REQUIREMENT.fullmatch(word))
        if not is_fit:
            raise NotTriable("not-understood", command=line)
    yield Installed(line, installer, words[0], tuple(words[1:]))

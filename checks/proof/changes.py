"""What the commands of a remedy would change, read from the lines that its user would paste.

Nothing of a remedy goes through a shell here. A line is understood (an installer's call for the examined Python, a
variable that is set or taken away, a file of the environment that is moved), changes nothing (``pip check``), or is not
tried at all: administrators' commands, and what somebody has to do by hand.
"""

from __future__ import annotations

import dataclasses
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
_POWERSHELL = re.compile(r'"([^"]*)"|(\S+)')
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Two forms of a value that a shell works out: a list without some of its members, and what the examined Python prints.
_FILTERED = re.compile(r"""export (\w+)=\$\(printf %s "\$\1" \| tr ':' '\\n' \| grep -vE '([^']+)' \| paste -sd: -\)""")
_PRINTED = re.compile(r"""export (\w+)=\$\(((?:[^\s'"$`\\]+|'[^']*')) -c "([^"$`\\]*)"\)""")
_SHOWN = re.compile(r"echo \$\w+")
_LOOKS = (("check",), ("list",), ("show",), ("--version",), ("cache",), ("debug",))


@dataclass(frozen=True)
class Installed:
    """A call of an installer for the examined Python.

    ``installer``: "pip", "uv", or "pipx", which calls one of these two for it; ``verb``: install or uninstall.
    """

    line: str
    installer: str
    verb: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Managed:
    """A call of the tool that an environment was made with: "uv", "poetry", "pdm", "pixi", "conda", "pipx".

    ``verb``: "add", "remove", "again", or "source", which names an index. ``project``: the folder of the manifest, "":
    the one that the user stands in. ``words``: behind the program's name.
    """

    line: str
    tool: str
    verb: str
    project: str
    wanted: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def as_installed(self) -> Installed:
        """The same as pip would take it, to be resolved: for what is there, and without a manifest's other wishes."""
        index = next((value for name, value in itertools.pairwise(self.words) if name in _INDEX), "")
        arguments = (*self.wanted, *(("--index-url", index) if index else ()))
        again = ("--force-reinstall", "--no-deps") if self.verb == "again" else ()
        verb = "uninstall" if self.verb == "remove" else "install"
        return Installed(self.line, "uv" if self.tool == "uv" else "pip", verb, (*again, *arguments))


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

    ``folder``: its name; ``installer``: "pip" or "uv"; ``sees_system``: the packages of its Python count in it, too.
    """

    line: str
    folder: str
    installer: str
    sees_system: bool = False


Change = Installed | Managed | Variable | Filtered | Printed | Moved | NewEnvironment
SETTINGS = (Variable, Filtered, Printed)  # they change what the program is started with, and no file
_INDEX = ("--index", "--index-url")
_MANAGED = ("uv", "poetry", "pdm", "pixi", "conda", "mamba", "pipx")


class NotTriable(Exception):  # noqa: N818 - what cannot be tried is an answer, too
    """The remedy cannot be carried out in a copy. ``reason``: behind "reason-" in resources/words/proofs.toml."""

    def __init__(self, reason: str, **values: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values


def changes_of(plan: RemedyPlan, target: str, languages: Sequence[str] = ("sh",)) -> tuple[Change, ...]:
    """What its commands change, in their order; at least one.

    ``target``: the examined Python, as the commands name it. ``languages``: of the shells whose commands are read.

    Raises:
        NotTriable: a command needs an administrator, is for another system, or is not understood; or there is none.
    """
    changes: list[Change] = []
    for step in plan.steps:
        if step.platforms or step.managers or step.kind in {"setting", "code"}:
            raise NotTriable("by-hand")
        if step.kind == "command":
            if step.language not in languages:
                raise NotTriable("other-shell")
            for line in filter(None, map(str.strip, step.code.replace("\\\n", " ").splitlines())):
                changes += _of_step_line(line, step.language, _pythons(target, changes))
    if not changes:
        raise NotTriable("by-hand")
    return tuple(changes)


def _pythons(target: str, changes: Sequence[Change]) -> tuple[str, ...]:
    """The Pythons that commands may change: the examined one, else that of an environment that was made before."""
    made = [change.folder for change in changes if isinstance(change, NewEnvironment)]
    return (target, *(place for name in made for place in (f"{name}/bin/python", rf"{name}\Scripts\python.exe")))


def _words_of_powershell(line: str) -> list[str]:
    """The words of a line that checks.remedies.shell wrote: in double quotes what is not plain."""
    words = [found[1] if found[2] is None else found[2] for found in _POWERSHELL.finditer(line.removeprefix("& "))]
    if any(set(word) & set(";|<>$`") for word in re.sub(r'"[^"]*"', "", line).split()):
        raise NotTriable("not-understood", command=line)
    return words


def changes_in(lines: Sequence[str], target: str) -> tuple[Change, ...]:
    """What commands change that were carried out in a copy already, as :func:`changes_of` reads them.

    Raises:
        NotTriable: one is not understood.
    """
    return tuple(change for line in lines for change in _of_step_line(line, "sh", (target,)))


def _of_step_line(line: str, language: str, pythons: tuple[str, ...]) -> Iterator[Change]:
    if language != "sh":
        yield from _of_line(line, _words_of_powershell(line), pythons)
    elif (setting := _worked_out(line, pythons[0])) is not None:
        yield setting
    elif not _SHOWN.fullmatch(line):
        yield from _of_line(line, _words(line), pythons)


def _of_line(line: str, words: list[str], pythons: tuple[str, ...]) -> Iterator[Change]:
    target = pythons[0]
    match words:
        case ["export" | "unset" | "env", *_]:
            yield from _of_variables(line, words)
        case ["mv", source, to] | ["mv", "-n", source, to] if not source.startswith("-") and not to.startswith("-"):
            yield Moved(line, source, to)
        case [python, "-c", *_] if python == target:
            return
        case [_, "-m", "venv", *_] | ["uv", "venv", *_]:
            yield _new_environment(line, words, target)
        case [first, *_] if first in TrialWords.read().administration:
            raise NotTriable("administrator")
        case [_, *_]:
            yield from _of_any_installer(line, words, pythons)


def _new_environment(line: str, words: Sequence[str], target: str) -> NewEnvironment:
    match words:
        case [python, "-m", "venv", folder] if python in (target, "python3") and _FOLDER.fullmatch(folder):
            return NewEnvironment(line, folder, "pip")
        case [python, "-m", "venv", "--system-site-packages", folder] if python in (target, "python3"):
            return dataclasses.replace(_new_environment(line, [python, "-m", "venv", folder], target), sees_system=True)
        case ["uv", "venv", folder, "--python", python] if python == target and _FOLDER.fullmatch(folder):
            return NewEnvironment(line, folder, "uv")
        case ["uv", "venv", "--python", python, folder] if python == target and _FOLDER.fullmatch(folder):
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


def _of_any_installer(line: str, words: Sequence[str], pythons: tuple[str, ...]) -> Iterator[Change]:
    match words:
        case [python, "-m", "pip", *rest] if python in pythons:
            yield from _of_installer(line, "pip", rest)
        case ["uv", "pip", verb, "--python", python, *rest] if python in pythons:
            yield from _of_installer(line, "uv", [verb, *rest])
        case ["pipx", "runpip", _, *rest]:
            yield from _of_installer(line, "pipx", rest)
        case [tool, *rest] if tool in _MANAGED and (managed := _managed(line, tool, rest)):
            yield managed
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


_VERBS = {"install": "add", "inject": "add", "reinstall": "again"}
_FOLDERS = ("--project", "-C", "-p", "--manifest-path", "--prefix")
_VALUES = (*_FOLDERS, *_INDEX, "--source", "--priority")
_FLAGS = ("--pypi", "--force", "--force-reinstall", "--no-deps", "--yes", "-y")


def _managed(line: str, tool: str, words: Sequence[str]) -> Managed | None:
    """A call of such a tool; None where a word of it is not understood."""
    project, plain, flags = "", [], set()
    rest = iter(words)
    for word in rest:
        if word in _VALUES:
            value = next(rest, "")
            project = value if word in _FOLDERS else project
            if word in _INDEX and not _ADDRESS.fullmatch(value):
                return None
        elif word.startswith("-"):
            flags.add(word)
        else:
            plain.append(word)
    if not plain or not flags.issubset(_FLAGS):
        return None
    verb, *wanted = plain
    if (tool, verb, wanted[:1]) == ("poetry", "source", ["add"]):
        return Managed(line, tool, "source", project, (), tuple(words)) if _ADDRESS.fullmatch(wanted[-1]) else None
    if tool == "pipx":
        project, *wanted = wanted or [""]
    verb = "again" if "--force-reinstall" in flags else _VERBS.get(verb, verb)
    is_known = verb in {"add", "remove", "again"} and wanted and all(map(_REQUIREMENT.fullmatch, wanted))
    return Managed(line, tool, verb, project, tuple(wanted), tuple(words)) if is_known else None


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

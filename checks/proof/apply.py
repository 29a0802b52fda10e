"""Carry out in a copy what a remedy changes: packages, variables, files of the environment."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from checks.engine.processes.own_folder import own_folder
from checks.engine.processes.tree import Place, ProcessTree
from checks.facts import InterpreterFacts, PackageChange
from checks.interpreters import read_interpreter
from checks.knowledge.commands.trials import TrialWords
from checks.proof.changes import (
    Change,
    Filtered,
    Installed,
    Managed,
    Moved,
    NewEnvironment,
    NotTriable,
    Printed,
    Variable,
)
from checks.proof.conflicts import unmet
from checks.proof.copies.environment_copy import ROOM, Cancelled, EnvironmentCopy, trial_variables
from checks.proof.copies.program_copy import ProgramCopy
from checks.proof.failures import Copy
from checks.proof.managed import manage, pipx_variables, project_variables, tool_program

_PRINTING = 120.0  # the same for a statement; a framework may be imported from a slow disk for the first time
INSTALLING = 900.0  # seconds for one command
_POLL = 0.1
_TAIL = 8192  # bytes of what an installer printed
_SAID = 600  # characters of them that are kept
# As "pip config list" prints them: "install.target='/x'", ":env:.user='1'".
_ELSEWHERE = re.compile(r"[\w:-]*\.(?:target|prefix|root|home|user|python)=(?!'(?:0|no|false|off)?'$)", re.IGNORECASE)
_ERROR = re.compile(r"(?:error|cause|caused by)\b|[A-Za-z]+Error: |×|╰─▶|no solution", re.IGNORECASE)
_COMPILER = re.compile(
    r"command .*\b(?:g?cc|g\+\+|c\+\+|clang|cl)\b.* failed|Microsoft Visual C\+\+|compiler", re.IGNORECASE
)
_QUIET = {"PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COLOR": "1", "NO_COLOR": "1"}


class NotApplied(Exception):  # noqa: N818 - that it fails is what was to be found out
    """A command of the remedy failed. ``said``: what it printed last."""

    def __init__(self, line: str, said: str) -> None:
        super().__init__(said)
        self.line = line
        self.said = said


@dataclass
class Ground:
    """Where a remedy is tried: a copy, None where only variables change, and all variables that the program gets.

    ``program``: a copy of the folder from which it is started, where a file of that is renamed.
    """

    made: EnvironmentCopy | None
    variables: dict[str, str]
    cancelled: Callable[[], bool] = lambda: False
    commands: list[str] = field(default_factory=list)  # applied so far
    before: Mapping[str, str] = field(default_factory=dict)  # versions that were there, where something was installed
    folder: str = ""  # of the program
    program: ProgramCopy | None = None

    @classmethod
    def new(
        cls,
        made: EnvironmentCopy,
        variables: Mapping[str, str],
        cancelled: Callable[[], bool],
        target: InterpreterFacts,
    ) -> Ground:
        """A new environment instead of a copy: what differs from the user's is what it changes."""
        before = {package.name: package.version for package in target.packages or ()}
        return cls(made, trial_variables(made, variables), cancelled, before=before)

    @classmethod
    def of(cls, made: EnvironmentCopy | None, variables: Mapping[str, str], cancelled: Callable[[], bool]) -> Ground:
        """The copy as it is made, with the user's variables."""
        return cls(made, trial_variables(made, variables), cancelled, before=_versions(made) if made else {})

    @property
    def copies(self) -> tuple[Copy, ...]:
        """What there are copies of."""
        return tuple(copy for copy in (self.made, self.program) if copy is not None)

    def lead(self, program: str, folder: str, changes: tuple[Change, ...]) -> None:
        """Let the tool of the user's project work in the copy, and start the program there where it starts it."""
        self.folder = folder
        tools = {Path(program).stem, *(change.tool for change in changes if isinstance(change, Managed))}
        if self.made is not None:
            for tool in sorted(tools):
                self.variables |= project_variables(tool, self.made)

    def apply(self, changes: tuple[Change, ...]) -> None:
        """Apply them in their order.

        Raises:
            NotApplied: an installer failed.
            NotTriable: a change cannot be made in this copy.
            Cancelled: somebody asked to end.
        """
        made = self.made
        for change in changes:
            match change:
                case Variable(name=name, value=None):
                    self.variables.pop(name, None)
                case Variable(name=name, value=str(value)):
                    self.variables[name] = made.moved(value) if made else value
                case Filtered(name=name, pattern=pattern) if name in self.variables:
                    kept = [part for part in self.variables[name].split(os.pathsep) if not re.search(pattern, part)]
                    self.variables[name] = os.pathsep.join(kept)
                case Printed():
                    self.variables[change.name] = self._printed(change)
                case Moved() if self.program:
                    self.program.rename(change)
                case Moved() if made:
                    _move(change, made)
                case Installed() if made:
                    _install(change, made, self.variables, self.cancelled)
                case Managed() if made:
                    manage(change, made, self.variables, self.folder, partial(self._run, made, change.line))
            line = made.named_by_user(change.line) if made else change.line
            if line not in self.commands:
                self.commands.append(line)

    def _run(self, made: EnvironmentCopy, line: str, command: tuple[str, ...], variables: Mapping[str, str]) -> None:
        _check(line, *_ended(command, made.beside, {**variables, **_QUIET}, INSTALLING, self.cancelled))

    def _printed(self, change: Printed) -> str:
        """What the statement prints, without the newline behind it, as a shell takes it.

        Raises:
            NotApplied: it fails.
            NotTriable: it took too long, or there is no room.
            Cancelled: somebody asked to end.
        """
        made = self.made
        command = (made.moved(change.python) if made else change.python, "-c", change.statement)
        with own_folder() as folder:
            code, said = _ended(command, folder, self.variables, _PRINTING, self.cancelled, with_errors=False)
        if code != 0:
            raise NotApplied(change.line, said)
        return said.rstrip("\n")

    def install(self, requirements: tuple[str, ...], new: NewEnvironment) -> None:
        """Install them into the new environment, in one command, so that the installer sees all of them at once.

        Raises:
            NotApplied: the installer failed.
            NotTriable: it took too long, or there is no room.
            Cancelled: somebody asked to end.
        """
        assert self.made is not None  # noqa: S101 - asked of new environments only
        python = f"{new.folder}/bin/python"
        called = f"uv pip install --python {python}" if new.installer == "uv" else f"{python} -m pip install"
        line = f"{called} {shlex.join(requirements)}"
        _install(Installed(line, new.installer, "install", requirements), self.made, self.variables, self.cancelled)
        self.commands.append(line)

    def changes(self) -> tuple[PackageChange, ...]:
        """The distributions that are not as they were."""
        if self.made is None:
            return ()
        before, after = self.before, _versions(self.made)
        names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        return tuple(
            PackageChange(name=name, version_before=before.get(name), version_after=after.get(name)) for name in names
        )

    def releases(self) -> tuple[str, ...]:
        """All distributions of the copy but pip, to the release, as pip reads them from a file."""
        versions = _versions(self.made) if self.made else {}
        return tuple(f"{name}=={version}" for name, version in sorted(versions.items()) if name != "pip")

    def new_conflicts(self, target: InterpreterFacts | None) -> tuple[str, ...]:
        """Requirements that are not met in the copy and are in the user's environment (``target``)."""
        if self.made is None:
            return ()
        after = unmet(read_interpreter(str(self.made.python)))
        return tuple(sorted(after - unmet(target))) if target else ()


def _versions(made: EnvironmentCopy) -> dict[str, str]:
    return {package.name: package.version for package in read_interpreter(str(made.python)).packages or ()}


def _move(change: Moved, made: EnvironmentCopy) -> None:
    source, to = (Path(os.path.realpath(made.moved(path))) for path in (change.source, change.to))
    if made.is_overlay or not (made.holds(str(source)) and made.holds(str(to))):
        raise NotTriable("outside", path=change.source)
    try:
        shutil.move(source, to)
    except OSError as error:
        raise NotApplied(change.line, str(error)) from error


def _install(
    change: Installed, made: EnvironmentCopy, variables: Mapping[str, str], cancelled: Callable[[], bool]
) -> None:
    if made.is_overlay and change.verb == "uninstall":
        raise NotTriable("too-large")
    if change.installer == "uv":
        if made.is_overlay:  # uv sees only what is in the new environment, and would install everything anew
            raise NotTriable("too-large-for-uv")
        uv = shutil.which("uv", path=variables.get("PATH"))
        if uv is None:
            raise NotApplied(change.line, "uv: command not found")
        command: tuple[str, ...] = (uv, "pip", change.verb, "--python", str(made.python), *change.arguments)
    elif change.installer == "pipx":
        command = (tool_program("pipx", variables), "runpip", made.folder.name, change.verb, *change.arguments)
        variables = {**variables, **pipx_variables(made)}
    else:
        _check_settings(made, variables, cancelled)
        command = (str(made.python), "-m", "pip", change.verb, *change.arguments)
    code, said = _ended(command, made.beside, {**variables, **_QUIET}, INSTALLING, cancelled)
    _check(change.line, code, said)


def _check(line: str, code: int, said: str) -> None:
    """Raise what it means that an installer failed, if it did."""
    if code != 0 and any(hindrance in said for hindrance in TrialWords.read().hindered):
        raise NotTriable("hindered", said=_reason(said))
    if code != 0:
        raise NotApplied(line, _reason(said))


def _check_settings(made: EnvironmentCopy, variables: Mapping[str, str], cancelled: Callable[[], bool]) -> None:
    """Refuse where a file or a variable of the user's lets pip install somewhere else than into the copy.

    Raises:
        NotTriable: one does.
        Cancelled: somebody asked to end.
    """
    command = (str(made.python), "-m", "pip", "config", "list")
    _, said = _ended(command, made.beside, {**variables, **_QUIET}, 60.0, cancelled)
    setting = next((line for line in said.splitlines() if _ELSEWHERE.match(line)), None)
    if setting is not None:
        raise NotTriable("pip-setting", setting=setting)


def _reason(said: str) -> str:
    """The lines by which an installer says why it failed, those about a compiler first; else its last ones."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors: list[str] = []
    for before, line in itertools.pairwise(("", *lines)):
        is_listed = line.startswith("- ") and errors[-1:] == [before]  # conda names the packages below its sentence
        if is_listed or _ERROR.match(line):
            errors.append(line)
    errors.sort(key=lambda line: not _COMPILER.search(line))
    return "\n".join(dict.fromkeys(errors[:3] or lines[-3:]))[:_SAID]


def _ended(
    command: tuple[str, ...],
    room: Path,
    variables: Mapping[str, str],
    seconds: float,
    cancelled: Callable[[], bool],
    *,
    with_errors: bool = True,
) -> tuple[int, str]:
    """Run a command to its end in a folder of ours; returns its exit code and the end of what it printed.

    Raises:
        NotTriable: it takes too long, or the disk is nearly full.
        Cancelled: somebody asked to end.
    """
    temporary = room / "temporary"
    temporary.mkdir(exist_ok=True)
    started = time.monotonic()
    with open(room / "printed", "w+b") as printed, open(room / "errors", "w+b") as errors:
        place = Place(stdout=printed.fileno(), stderr=(printed if with_errors else errors).fileno())
        try:
            tree = ProcessTree(command, environment={**variables, "TMPDIR": str(temporary)}, folder=room, place=place)
        except (OSError, ValueError) as error:
            return 127, str(error)
        try:
            while tree.process.poll() is None:
                if cancelled():
                    raise Cancelled
                if time.monotonic() - started > seconds:
                    raise NotTriable("too-long", seconds=f"{seconds:.0f}")
                if shutil.disk_usage(room).free < ROOM // 2:
                    raise NotTriable("no-room", folder=str(room))
                with contextlib.suppress(subprocess.TimeoutExpired):
                    tree.process.wait(_POLL)
        finally:
            tree.end()
        printed.seek(max(0, printed.seek(0, os.SEEK_END) - _TAIL))
        return tree.process.returncode, printed.read().decode("utf-8", "replace")

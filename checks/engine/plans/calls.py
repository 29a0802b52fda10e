"""What a program asks for, as far as its text tells, that can be tried in the target without running the program.

Names of packages, calls that only read, and the models that they name. Of a script that was given, or of the one
program that lies beside the environment, where nobody showed any.
"""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from checks.engine.plans.unasked import is_public, project_folders, scripts_in
from checks.engine.processes.surroundings import probe_environment
from checks.engine.request import Request
from checks.facts import InterpreterFacts
from checks.readers.scripts.asked import Asked, Kind, asked_by_program, is_only_program

LARGEST = 1 << 30  # bytes of a file that is loaded for a try
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_TRUE = ("1", "true", "yes", "on")
_UNSAFE_TORCH = "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"


@dataclass(frozen=True)
class Call:
    """Something to try. ``program``: that asks for it; ``folder``: where that is started.

    ``is_unasked``: nobody named it.
    """

    asked: Asked
    program: Path
    folder: str
    is_unasked: bool

    @property
    def place(self) -> str:
        """Where it stands, as a reader says it: "main.py:12"."""
        return f"{Path(self.asked.file).name}:{self.asked.line}"

    @property
    def path(self) -> Path | None:
        """Of the file or folder that it names, where that exists."""
        path = Path(self.folder, self.asked.path) if self.asked.path else None
        return path if path is not None and path.exists() else None

    def argument(self) -> dict[str, Any]:
        """For the probe."""
        asked = self.asked
        return {
            "kind": asked.kind.value,
            "imports": asked.imports,
            "expression": asked.expression,
            "then": asked.then,
            "keywords": asked.keywords,
            "is_first": asked.is_first,
            "file": asked.file,
            "line": asked.line,
            "folder": self.folder,
            "script_folder": str(self.program.absolute().parent),
        }


def calls_of_program(target: InterpreterFacts, request: Request, script: Path | None) -> dict[str, Call]:
    """By their labels. ``script``: that was given."""
    if request.runs:
        return {}
    found = (script, False) if script is not None else (_only_program(target, request), True)
    program, is_unasked = found
    if program is None:
        return {}
    installed = {package.name: package.version for package in target.packages or ()}
    asked = asked_by_program(program, installed)
    folder = _started_in(program, asked, request)
    variables = probe_environment(target.path)
    mine = _without_own_code(asked, target) if is_unasked else asked
    calls = (Call(each, program, str(folder), is_unasked) for each in mine)
    return {call.asked.label: call for call in calls if _can_be_tried(call, variables) and not _is_named(call, script)}


def _without_own_code(asked: Iterable[Asked], target: InterpreterFacts) -> Iterator[Asked]:
    """What can be tried without importing what only the user has, which takes his word."""
    for each in asked:
        own = [statement for statement in each.imports if not is_public(_module_of(statement), target)]
        names = {statement.split()[-1].partition(".")[0] for statement in own}
        if not any(re.search(rf"\b{name}\b", each.expression) for name in names):
            yield replace(each, imports=tuple(statement for statement in each.imports if statement not in own))


def _module_of(statement: str) -> str:
    return statement.split()[1].partition(".")[0]


def _is_named(call: Call, script: Path | None) -> bool:
    """Whether it is tried in another way: each import of a script that was given is run as it stands."""
    return script is not None and call.asked.kind is Kind.MODULE


def _only_program(target: InterpreterFacts, request: Request) -> Path | None:
    for folder in project_folders(target, request):
        scripts = [folder / name for name in scripts_in(folder)]
        alone = next(
            (script for script in scripts if is_only_program(script, [s for s in scripts if s != script])), None
        )
        if alone is not None:
            return alone
    return None


def _started_in(program: Path, asked: tuple[Asked, ...], request: Request) -> Path:
    """The folder from which its files are found: its own; else one around it, or that in which the user stands."""
    own = program.absolute().parent
    named = [each.path for each in asked if each.path and not Path(each.path).is_absolute()]
    around = (own, *([request.near] if request.near else []), own.parent)
    return next((folder for folder in around if any((folder / path).exists() for path in named)), own)


def _can_be_tried(call: Call, variables: Mapping[str, str]) -> bool:
    """Whether what it shows is the program's own trouble: it neither downloads nor takes long."""
    asked, path, row = call.asked, call.path, call.asked.row
    if asked.expression.endswith("stdout.encoding)"):
        return _is_plain_stream(variables)
    if row is None:
        return True
    if "://" in asked.path or (row.package == "torch" and _UNSAFE_TORCH in variables):
        return False
    if path is not None:
        return _is_readable_in_time(path)
    is_offline = any(variables.get(name, "").lower() in _TRUE for name in _OFFLINE)
    if row.downloads:
        return is_offline or _is_without_network()
    return not row.is_of_hub or is_offline or asked.path.startswith((".", "/", "~", "\\"))


def _is_plain_stream(variables: Mapping[str, str]) -> bool:
    """Whether a pipe has the encoding that a terminal has, and what that lacks is not replaced."""
    return sys.platform != "win32" and ":" not in variables.get("PYTHONIOENCODING", "")


def _is_readable_in_time(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return True
    return stat.S_ISDIR(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_size <= LARGEST)


def _is_without_network() -> bool:
    """Whether no address can be reached from here: there is no route (Linux)."""
    if not sys.platform.startswith("linux"):
        return False
    return not any(_routes("/proc/net/route", 1)) and not any(
        line.split()[-1] != "lo" for line in _routes("/proc/net/ipv6_route", 0)
    )


def _routes(file: str, head: int) -> Iterator[str]:
    try:
        yield from [line for line in Path(file).read_text("ascii").splitlines()[head:] if line.strip()]
    except OSError:
        return

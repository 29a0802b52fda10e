"""Where a variable that a remedy changes is set: the line of the user's own file, and what it would be.

Only the files of a table are read, and none is executed or written. A line counts that sets the variable to the value
which the program was seen with, or to one that only a shell could work out.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from checks.facts import SettingPlace
from checks.facts.case import Case
from checks.facts.finding import Severity
from checks.interpreters.disk import start_of
from checks.knowledge.commands.setting_places import SettingFile, SettingPlaces
from checks.proof.changes import Filtered, NotTriable, Variable, changes_of
from checks.remedies.plan import plan_remedies

_MOST_READ = 1 << 18  # bytes of a file
_MOST_FILES = 20  # that one pattern may stand for
_MOST_PLACES = 8
_PARENTS = 4  # folders around the program's
_LONGEST = 300  # characters of a line that is shown
# {0}: the name of the variable. The group is its value.
_SYNTAX = {
    "shell": r"\s*(?:export\s+|(?:declare|typeset)\s+-x\s+)?{0}=(\S.*?|)(?:\s+#.*|\s*;?\s*)",
    "fish": r"\s*set\s+(?:-\w+\s+|--\w+\s+)+{0}\s+(.+?)\s*",
    "fish-universal": r"SETUVAR (?:--\w+ )*{0}:(.*)",
    "assignment": r"\s*(?:export\s+)?{0}(?:\s*=\s*|\s+DEFAULT=)(.*?)\s*",
    "unit": r"\s*Environment\s*=\s*\"?{0}=(.*?)\"?\s*",
    "json": r"\s*\"{0}\"\s*:\s*(\".*\"|\w+)\s*,?\s*",
}


Setting = Variable | Filtered


@dataclass(frozen=True)
class Surroundings:
    """Where to look. ``values``: with which the program was seen; ``registry``: the user's variables of Windows."""

    home: Path
    folder: Path | None = None
    prefix: Path | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    registry: Callable[[], Mapping[str, str]] = dict


def placed(case: Case, surroundings: Surroundings | None = None) -> Case:
    """The case with the places in which its remedies' variables are set."""
    if not case.facts.here:
        return case
    wanted = dict(_wanted(case))
    if not wanted:
        return case
    with contextlib.suppress(RuntimeError):  # no home
        around = surroundings or _around(case)
        places = tuple(place for (remedy, _), variable in wanted.items() for place in _places(remedy, variable, around))
        facts = msgspec.structs.replace(case.facts, settings=places[:_MOST_PLACES])
        return msgspec.structs.replace(case, facts=facts)
    return case


def _wanted(case: Case) -> Iterator[tuple[tuple[str, str], Setting]]:
    """The variables that remedies change, by the remedy and their name."""
    for finding in case.findings:
        if finding.severity is Severity.NOTE:
            continue
        for plan in plan_remedies(finding, case.facts, "en"):
            try:
                changes = changes_of(plan, case.facts.target or "python")
            except NotTriable:
                continue
            yield from (((plan.id, change.name), change) for change in changes if isinstance(change, Setting))


def _around(case: Case) -> Surroundings:
    target = case.facts.target_interpreter
    folder = next((run.folder for run in case.facts.runs if run.folder), "")
    environment = case.facts.environment
    return Surroundings(
        home=Path.home(),
        folder=Path(folder) if folder else None,
        prefix=Path(target.prefix) if target and target.prefix else None,
        values=(environment.values if environment else None) or {},
        registry=users_variables_of_windows,
    )


def users_variables_of_windows() -> Mapping[str, str]:
    """What "Edit environment variables for your account" shows; nothing on other systems."""
    found: dict[str, str] = {}
    if sys.platform == "win32":
        import winreg

        with contextlib.suppress(OSError), winreg.OpenKey(winreg.HKEY_CURRENT_USER, "Environment") as key:
            for index in range(winreg.QueryInfoKey(key)[1]):
                name, value, _ = winreg.EnumValue(key, index)
                found[name] = str(value)
    return found


def _places(remedy: str, variable: Setting, around: Surroundings) -> Iterator[SettingPlace]:
    for file in SettingPlaces.read().file:
        for path in _paths(file, around):
            yield from _lines(remedy, variable, path, file, around)
    value = around.registry().get(variable.name)
    if value is not None and _is_place(value, variable, around):
        new = _new_value(value, variable)
        yield SettingPlace(
            remedy=remedy,
            variable=variable.name,
            path="HKEY_CURRENT_USER\\Environment",
            text=f"{variable.name}={value}"[:_LONGEST],
            changed=None if new is None else f"{variable.name}={new}",
            anew="login",
        )


def _paths(file: SettingFile, around: Surroundings) -> Iterator[Path]:
    root, _, rest = file.path.partition("/")
    roots = {"~": [around.home], ".": list(_folders(around)), "@": [around.prefix] if around.prefix else []}[root]
    for folder in roots:
        if "*" in rest:
            yield from map(Path, sorted(glob.glob(os.path.join(glob.escape(str(folder)), rest)))[:_MOST_FILES])  # noqa: PTH118
        else:
            yield folder / rest


def _folders(around: Surroundings) -> Iterator[Path]:
    """The folder of the program and those around it, up to the project's or the home."""
    if around.folder is None:
        return
    for folder in (around.folder, *around.folder.parents[:_PARENTS]):
        if around.home.is_relative_to(folder):  # the home itself, or what others share
            return
        yield folder
        if (folder / ".git").exists():
            return


def _lines(
    remedy: str, variable: Setting, path: Path, file: SettingFile, around: Surroundings
) -> Iterator[SettingPlace]:
    data = start_of(path, _MOST_READ) if path.is_file() else None
    pattern = re.compile(_SYNTAX[file.syntax].replace("{0}", re.escape(variable.name)))
    for number, line in enumerate((data or b"").decode("utf-8", "replace").splitlines(), 1):
        found = pattern.fullmatch(line)
        if found and len(line) <= _LONGEST and _is_place(found[1], variable, around):
            yield SettingPlace(
                remedy=remedy,
                variable=variable.name,
                path=str(path),
                line=number,
                text=line.strip(),
                changed=_changed(line, found, variable, file.syntax),
                anew=file.anew,
            )


def _is_place(text: str, variable: Setting, around: Surroundings) -> bool:
    """Whether it gives the value with which the program was seen, as far as that can be told."""
    if isinstance(variable, Filtered):
        return any(re.search(variable.pattern, part) for part in _plain(text).split(os.pathsep))
    seen = around.values.get(variable.name)
    return seen is None or bool(re.search(r"[$`%]", text)) or _plain(text) == seen


def _plain(text: str) -> str:
    text = text.strip()
    return text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] else text


def _new_value(text: str, variable: Setting) -> str | None:
    """The value that it would be; None: it goes."""
    if isinstance(variable, Variable):
        return variable.value
    kept = [part for part in _plain(text).split(os.pathsep) if not re.search(variable.pattern, part)]
    return os.pathsep.join(kept) if any(kept) else None


def _changed(line: str, found: re.Match[str], variable: Setting, syntax: str) -> str | None:
    value = _new_value(found[1], variable)
    if value is None:
        return None
    if isinstance(variable, Filtered):  # as it was quoted: a part of it may be for the shell to work out
        quoted = found[1].strip().replace(_plain(found[1]), value)
    else:
        quoted = {"json": json.dumps(value), "shell": shlex.quote(value), "fish": shlex.quote(value)}.get(syntax, value)
    return (line[: found.start(1)] + quoted + line[found.end(1) :]).strip()

"""The hook inside of a watched program: put in front of PYTHONPATH, and what it wrote down read afterwards.

The folder is written by a program that may write anything into it.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any

import msgspec

from checks.engine.processes.transcript import without_surrogates
from checks.engine.scripts import script_of
from checks.facts import PythonProcess
from checks.interpreters.layout import EXECUTABLE
from checks.knowledge.packages.environment_variables import allowed_names
from checks.knowledge.packages.launchers import launcher_names
from checks.prepared import prepared

ORIGIN = "watch/start.py"
MOST_FILES = 2_000  # that a run may leave; a launcher with a process per GPU leaves some dozens
MOST_PYTHONS = 32  # that are kept, the last ones
MOST_BYTES = 4 * 1024 * 1024  # of one file
MOST_CRASH = 20_000  # characters of faulthandler's text
_BEGUN = 6  # fields before the command line, as start.py writes them


def heeds_nothing(command: Sequence[str]) -> bool:
    """Whether a command is a Python that was told to leave PYTHONPATH or the site's own modules out."""
    if not EXECUTABLE.fullmatch(PurePath(command[0]).name):
        return False
    flags = list(takewhile(lambda word: word.startswith("-") and word not in {"-", "-c", "-m"}, command[1:]))
    return any(not flag.startswith("--") and bool({*"IES"} & {*flag.partition("X")[0]}) for flag in flags)


def hooked(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The variables of a program with the hook in front of its PYTHONPATH. ``folder``: of this run alone.

    Raises:
        OSError: it cannot be written.
    """
    for name, script in (("sitecustomize.py", "watch/start"), ("last_look.py", "watch/last_look")):
        (folder / name).write_bytes(script_of(script).read_bytes())
    (folder / "launchers").write_text("\n".join(launcher_names()), encoding="utf-8")
    (folder / "variables").write_text("\n".join(allowed_names()), encoding="utf-8")
    before = environment.get("PYTHONPATH")
    if before == "":
        (folder / "was-empty").touch()
    return {**environment, "PYTHONPATH": os.pathsep.join([str(folder), *([before] if before else [])])}


def recorded(folder: Path) -> tuple[PythonProcess, ...]:
    """What each Python wrote down, in the order in which they began."""
    begun: dict[str, PythonProcess] = {}
    ended: list[PythonProcess] = []
    for name in sorted(_names(folder), key=_order)[:MOST_FILES]:
        stem, _, kind = name.rpartition(".")
        if kind == "begun" and (python := _begun(stem, _content(folder / name))):
            begun[stem] = msgspec.structs.replace(python, crash=_text(_content(folder / f"{stem}.crash"))[:MOST_CRASH])
        elif kind == "ended" and (python := _ended(_content(folder / name))):
            ended.append(python)
    for python in ended:
        # A number is used twice by a program that became another one: the last that began is the one that ended.
        stem = next((stem for stem in reversed(begun) if begun[stem].pid == python.pid), f"{python.pid}-")
        begun[stem] = python
    return tuple(begun.values())[-MOST_PYTHONS:]


def _names(folder: Path) -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for _, entry in zip(range(4 * MOST_FILES), entries, strict=False):
            if entry.name.endswith((".begun", ".ended")):
                yield entry.name


def _order(name: str) -> tuple[str, str]:
    stem, _, kind = name.rpartition(".")
    return stem.partition("-")[2].zfill(16), kind


def _content(path: Path) -> bytes:
    """A regular file, without waiting for anything else."""
    with contextlib.suppress(OSError):
        flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, os.O_RDONLY | flags)
        with open(descriptor, "rb") as file:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return file.read(MOST_BYTES)
    return b""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _begun(stem: str, data: bytes) -> PythonProcess | None:
    fields = _text(data).split("\0")
    pid = stem.partition("-")[0]
    if len(fields) < _BEGUN or not fields[3].isdigit() or not pid.isdigit():
        return None
    executable, prefix, version, parent, is_launcher, place = fields[:_BEGUN]
    return _as_python(
        {
            "pid": int(pid[:10]),
            "executable": executable,
            "prefix": prefix,
            "version": version,
            "parent": int(parent[:10]),
            "is_launcher": is_launcher == "1",
            "folder": place,
            "arguments": fields[_BEGUN:][:MOST_FILES],
        }
    )


def _ended(data: bytes) -> PythonProcess | None:
    try:
        told = without_surrogates(json.loads(_text(data)))
    except (ValueError, RecursionError):
        return None
    return _as_python(told)


def _as_python(told: Any) -> PythonProcess | None:
    if not isinstance(told, dict):
        return None
    for _ in told:  # one field that is not as it should be costs that field alone
        try:
            return msgspec.convert({**told, "origin": ORIGIN}, prepared(PythonProcess))
        except msgspec.ValidationError as error:
            field = str(error).partition("`$.")[2].partition("`")[0].partition("[")[0].partition(".")[0]
            if field not in told or field == "pid":
                return None
            told = {name: value for name, value in told.items() if name != field}
    return None


def without_own_end(python: PythonProcess) -> PythonProcess:
    """Of a program that ended well: an exception that it printed and went on behind did not end it."""
    return msgspec.structs.replace(python, raised=None, led_there=())

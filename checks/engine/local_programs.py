"""AI programs with a runtime of their own on this machine: which are installed, and what their last log tells.

Where they lie and log is a table (resources/knowledge/packages/ai_programs.toml). A log is read as a regular file that
lies where its path says: no link is followed, and of a long one only the end is looked at. Of its lines only those are
kept that tell of the machine: a log may hold what people asked and were answered. Nothing is started but journalctl.
"""

from __future__ import annotations

import datetime as dt
import fnmatch
import logging
import os
import platform
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from checks.engine.request import Request
from checks.facts import LocalProgram
from checks.facts.question import ABOUT_RESULTS, SymptomName
from checks.interpreters.disk import exists, is_file, is_folder, is_link, names_in
from checks.knowledge.packages.ai_programs import AiProgram, Place, ai_programs
from checks.knowledge.packages.local_program_logs import is_kept
from checks.readers.text import NotText, decoded
from checks.readers.tickets.found.local_programs import last_start
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.reported import reported_in

log = logging.getLogger(__name__)

_END = 2 * 2**20  # bytes of a log that are looked at
_MOST_KEPT = 60_000  # characters of it that are kept: of the start, and of the end
_MOST_NAMES = 2_000  # that a "*" may look at: the last ones, since logs are named by their day
_MOST_LOGS = 200  # of one program that are read, the newest first, until one tells something
_OLD = 14 * 86_400.0  # seconds since something was written there
_PATIENCE = 10.0  # seconds for the journal
_JOURNAL = ("/usr/bin/journalctl", "/bin/journalctl")
_FOLDERS = ("LOCALAPPDATA", "APPDATA", "PROGRAMFILES")


def journal_of(unit: str) -> str | None:
    """The last lines that a unit of systemd logged since the machine was started, as it wrote them.

    None where this user may not read them, or there are none.
    """
    program = next(filter(is_file, _JOURNAL), None)
    if program is None:
        return None
    command = [program, "-u", unit, "-b", "-n", "5000", "-q", "--no-pager", "-o", "cat"]
    try:
        ended = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_PATIENCE, check=False, env={"LC_ALL": "C"}
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout[-_END:].decode("utf-8", "replace") or None


@dataclass(frozen=True)
class Surroundings:
    """Where to look. ``folders``: what the paths of the table may begin with; ``path``: the entries of PATH."""

    system: str
    folders: Mapping[str, str]
    path: tuple[str, ...] = ()
    root: str = "/"  # what an absolute path is below
    journal: Callable[[str], str | None] = field(default=journal_of)

    @classmethod
    def of_this_machine(cls) -> Surroundings:
        """Those of this user, here."""
        folders = {f"%{name}%": os.environ[name] for name in _FOLDERS if os.environ.get(name)}
        return cls(
            system=platform.system(),
            folders={"~": str(Path.home()), **folders},
            path=tuple(entry for entry in os.environ.get("PATH", "").split(os.pathsep) if Path(entry).is_absolute()),
        )


def local_programs_of(request: Request) -> tuple[LocalProgram, ...] | None:
    """Those of an examination; None where another question is asked."""
    if request.answers.symptom in (SymptomName.MODELS, SymptomName.COMPARISON, *ABOUT_RESULTS):
        return None
    return local_programs()


def local_programs(around: Surroundings | None = None) -> tuple[LocalProgram, ...]:
    """The programs that are installed or have logged here, each with what its last start tells."""
    where = around or Surroundings.of_this_machine()
    found = (_found(program, where) for program in ai_programs())
    return tuple(program for program in found if program is not None)


def _found(program: AiProgram, around: Surroundings) -> LocalProgram | None:
    places = [place for place in program.place if place.system == around.system]
    path = next(_installed(program, places, around), "")
    source, text, time = _log(places, around, is_installed=bool(path))
    if not path and not text:
        return None
    found = LocalProgram(
        origin=source or path,
        name=program.name,
        path=path,
        log=source,
        written=time.isoformat() if time else "",
        is_old=time is not None and (dt.datetime.now(dt.UTC) - time).total_seconds() > _OLD,
    )
    if not text:
        return found
    told = reported_in(lines_of(text)).facts.local_programs or ()
    fields = {name: getattr(told[0], name) for name in _TOLD} if told else {}
    return msgspec.structs.replace(found, text=text, **fields)


_TOLD = ("version", "backend", "runtime", "devices", "layers", "layers_total")


def _installed(program: AiProgram, places: list[Place], around: Surroundings) -> Iterator[str]:
    for place in places:
        for pattern in place.installed:
            yield from _matching(pattern, around)
    ending = ".exe" if around.system == "Windows" else ""
    for folder in around.path:
        for command in program.commands:
            path = str(Path(folder, command + ending))
            if is_file(path):
                yield path


def _log(places: list[Place], around: Surroundings, *, is_installed: bool) -> tuple[str, str, dt.datetime | None]:
    """Where the log was read, its kept text, and when something was last written there."""
    files = [path for place in places for pattern in place.logs for path in _matching(pattern, around)]
    for path in sorted(files, key=_written, reverse=True)[:_MOST_LOGS]:
        data = _end_of(path)
        text = _kept(data) if data else ""
        if text:
            return path, text, _time_of(path)
    for unit in (place.unit for place in places if place.unit and is_installed):
        text = _kept((around.journal(unit) or "").encode())
        if text:
            return f"journalctl -u {unit}", text, None
    return "", "", None


def _time_of(path: str) -> dt.datetime | None:
    try:
        return dt.datetime.fromtimestamp(_written(path), dt.UTC).replace(microsecond=0)
    except (OSError, ValueError, OverflowError):  # a year that no calendar of Python's has
        return None


def _written(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except (OSError, ValueError):
        return 0.0


def _matching(pattern: str, around: Surroundings) -> Iterator[str]:
    """The paths that a pattern of the table stands for, those that are there; links are not followed on the way."""
    first, _, rest = pattern.partition("/")
    if first == "":
        base = around.root
    elif first in around.folders:
        base = around.folders[first]
    elif around.system == "Windows" and first.endswith(":"):
        base = first + "\\"
    else:
        return
    found = [base]
    for part in rest.split("/"):
        found = [path for folder in found for path in _below(folder, part)][-_MOST_NAMES:]
    yield from found


def _below(folder: str, part: str) -> Iterator[str]:
    if "*" not in part:
        path = str(Path(folder, part))
        if exists(path):
            yield path
        return
    for name in names_in(folder)[-_MOST_NAMES:] if is_folder(folder) and not is_link(folder) else ():
        path = str(Path(folder, name))
        if fnmatch.fnmatchcase(name, part) and not name.startswith(".") and not is_link(path):
            yield path


def _end_of(path: str) -> bytes | None:
    """The end of a regular file that is no link, and that no link on its way leads to; None for anything else."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        if any(map(is_link, (path, *_own_folders(path)))):
            return None
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            file.seek(max(status.st_size - _END, 0))
            return file.read(_END)
    except (OSError, ValueError):
        return None


def _own_folders(path: str) -> tuple[str, ...]:
    """The two folders around it: those that the program made, and not the user's home or the system's."""
    folder = Path(path).parent
    return str(folder), str(folder.parent)


def _kept(data: bytes) -> str:
    """Of the last start of a log the lines that tell of the machine."""
    try:
        text = decoded(data.replace(b"\0", b""))  # what a crash of the system left in place of text
    except NotText:
        return ""
    lines = [line.rstrip("\r") for line in text[last_start(text) :].split("\n")]
    kept = "\n".join(line[:4000] for line in lines if is_kept(line))
    if len(kept) <= _MOST_KEPT:
        return kept
    return f"{kept[: _MOST_KEPT // 2]}\n[...]\n{kept[-_MOST_KEPT // 2 :]}"

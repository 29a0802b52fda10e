"""A throw-away copy of the folder from which a program is started, in which a file of it may get another name.

Only where it is small. Environments, histories of sources and caches are left out; a program that reads them from
there is seen to fail in another way before anything is renamed, and then nothing is concluded.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.analysis.packages.taking_part import failed_run_through
from checks.facts import Facts, ProgramRun
from checks.interpreters.disk import absolute
from checks.proof.changes import Change, Moved, NotTriable
from checks.proof.copies.environment_copy import Cancelled
from checks.proof.witness import Witness

MOST_FILES = 2_000
MOST_BYTES = 64 << 20
_LEFT_OUT = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        "node_modules",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".nox",
    )
)
_OF_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")


@dataclass(frozen=True)
class ProgramCopy:
    """``original``: the user's folder; ``names``: how it is named, by its path and by its real one."""

    original: Path
    names: tuple[str, ...]
    folder: Path

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the copy and the user's own lie."""
        return (str(self.folder), *self.names)

    def named_by_user(self, text: str) -> str:
        """A text with the user's folder in the place of the copy."""
        return text.replace(str(self.folder), str(self.original))

    def moved(self, text: str) -> str:
        """A word of a command or the value of a variable, with what was copied in the place of the user's own."""
        for name in self.names:
            pattern = rf"(?<![\w./\\-]){re.escape(name)}(/[^:;,\s]*)?(?![^:;,\s])"
            text = re.sub(pattern, lambda found: self._there(found[0], found[1] or ""), text)
        return text

    def _there(self, path: str, inside: str) -> str:
        copy = f"{self.folder}{inside}"
        return copy if os.path.lexists(copy) else path

    def place_of(self, path: str) -> Path:
        """Where a file of the user's lies in the copy; one that is not there yet, too.

        Raises:
            NotTriable: it lies elsewhere.
        """
        real = Path(os.path.realpath(Path(path).parent), Path(path).name)
        if not real.is_relative_to(self.names[-1]) and not real.is_relative_to(self.names[0]):
            raise NotTriable("outside-program", path=path)
        root = next(name for name in self.names if real.is_relative_to(name))
        return self.folder / real.relative_to(root)

    def rename(self, change: Moved) -> None:
        """Give a file of the copy its new name.

        Raises:
            NotTriable: it lies elsewhere, or something of that name is there.
        """
        source, to = self.place_of(change.source), self.place_of(change.to)
        if to.exists():
            raise NotTriable("name-taken", path=change.to)
        shutil.move(source, to)

    def check_runs_through(self, run: ProgramRun, changes: tuple[Change, ...]) -> None:
        """See that the failure passed through the file of the copy, and not through the user's own.

        Raises:
            NotTriable: it did not.
        """
        for change in changes:
            if isinstance(change, Moved):
                path = str(self.place_of(change.source))
                if not failed_run_through(path, Path(path).stem, Facts(runs=(run,))):
                    raise NotTriable("program-elsewhere", path=change.source)


def is_of_program(changes: tuple[Change, ...], prefix: str | None) -> bool:
    """Whether files are moved that are no part of the environment."""
    moved = [change for change in changes if isinstance(change, Moved)]
    inside = os.path.realpath(prefix) if prefix else None
    return bool(moved) and not any(
        inside and Path(os.path.realpath(one.source)).is_relative_to(inside) for one in moved
    )


def copied_program(
    witness: Witness, changes: tuple[Change, ...], place: Path, cancelled: Callable[[], bool]
) -> ProgramCopy:
    """Copy the folder in which the program is started, else that of the file itself.

    Raises:
        NotTriable: the file lies elsewhere, or its folder is large.
        OSError: it cannot be read, or there is no room.
        Cancelled: somebody asked to end.
    """
    source = next(change.source for change in changes if isinstance(change, Moved))
    real = Path(os.path.realpath(Path(source).parent), Path(source).name)
    if not os.path.lexists(real):
        raise NotTriable("outside-program", path=source)
    started = [Path(witness.folder)] if witness.folder and _is_in(real, Path(witness.folder)) else []
    beside = next((Path(word) for word in witness.command[1:] if word.endswith(".py")), None)
    if not started and (beside is None or not _is_in(real, absolute(Path(witness.folder, beside)).parent)):
        raise NotTriable("outside-program", path=source)
    for root in (*started, Path(source).parent):
        copy = copied_folder(root, place / "program", cancelled)
        if copy is not None:
            return copy
    raise NotTriable("program-large", folder=str(Path(source).parent))


def copied_folder(root: Path, to: Path, cancelled: Callable[[], bool]) -> ProgramCopy | None:
    """A folder copied as ``to``, which is not there yet; None where it is large.

    Raises:
        OSError: it cannot be read, or there is no room.
        Cancelled: somebody asked to end.
    """
    files = _small(root)
    if files is None:
        return None
    names = tuple(sorted({str(absolute(root)), os.path.realpath(root)}, key=len, reverse=True))
    copy = ProgramCopy(absolute(root), names, to)
    _copy(Path(os.path.realpath(root)), files, copy.folder, cancelled)
    return copy


def _is_in(path: Path, folder: Path) -> bool:
    return path.is_relative_to(os.path.realpath(folder))


def _small(root: Path) -> list[str] | None:
    """The paths in it that count, folders before what lies in them; None where there are too many."""
    found: list[str] = []
    size = 0
    for entry in _below(os.path.realpath(root)):
        found.append(entry.path)
        size += entry.stat(follow_symlinks=False).st_size
        if len(found) > MOST_FILES or size > MOST_BYTES:
            return None
    return found


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name in _LEFT_OUT:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if any(os.path.lexists(Path(entry.path, name)) for name in _OF_ENVIRONMENTS):
                        continue
                    waiting.append(entry.path)
                    yield entry
                elif entry.is_symlink() or entry.is_file(follow_symlinks=False):
                    yield entry


def _copy(root: Path, paths: list[str], to: Path, cancelled: Callable[[], bool]) -> None:
    to.mkdir()
    for path in map(Path, paths):
        if cancelled():
            raise Cancelled
        copy = to / path.relative_to(root)
        if path.is_symlink():
            led = Path(os.path.realpath(path))
            copy.symlink_to(to / led.relative_to(root) if led.is_relative_to(root) else led)
        elif path.is_dir():
            copy.mkdir()
        else:
            shutil.copy2(path, copy)

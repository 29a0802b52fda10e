"""What is being done, written down before it is done: whoever starts next knows what a killed process left half done.

A journal is a small file in the user's data folder. What was saved lies in the environment itself, on the same disk.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import msgspec
import psutil

from checks.facts import PackageChange
from checks.paths import data_folder
from checks.prepared import prepared
from checks.proof.copies.environment_copy import KEPT
from checks.sharing.files import write_whole

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9]{3}[0-9a-f]{2}")
_MOST_READ = 1 << 20  # bytes of a journal
_CLOCK = 2.0  # seconds by which the system's clock may be set meanwhile


class Stage(StrEnum):
    """How far it is."""

    SAVING = "saving"  # nothing is changed yet
    CHANGING = "changing"
    DONE = "done"
    UNDOING = "undoing"


class Journal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One remedy that is, or was, carried out. ``process``, ``process_began``: who does it.

    ``remembered``: the number of the examination that says in the history that it works with it; 0: there is none.
    """

    id: str
    stage: Stage
    prefix: str
    python: str
    title: str
    created: str
    cause: str = ""
    remedy: str = ""
    commands: tuple[str, ...] = ()
    changes: tuple[PackageChange, ...] = ()
    files: int = 0  # that were saved
    bytes: int = 0
    modified: int = 0  # the time of the environment's folder, before
    remembered: int = 0
    process: int = 0
    process_began: float = 0.0

    @property
    def store(self) -> Path:
        """Where what was saved lies."""
        return Path(self.prefix, KEPT, self.id)

    @property
    def is_half_done(self) -> bool:
        """Whether whoever did it is gone in the middle of it."""
        return self.stage in (Stage.CHANGING, Stage.UNDOING) and not self.is_under_way

    @property
    def is_under_way(self) -> bool:
        """Whether a process that lives is doing it."""
        if self.stage is Stage.DONE:
            return False
        try:
            return abs(psutil.Process(self.process).create_time() - self.process_began) < _CLOCK
        except psutil.Error:
            return False


def new_journal(*, prefix: str, python: str, title: str, cause: str, remedy: str, commands: tuple[str, ...]) -> Journal:
    """One of this process, which is not written yet."""
    now = datetime.now(UTC)
    return Journal(
        # They are sorted by it: of two in one second the newer one is undone first.
        id=f"{now:%Y%m%d-%H%M%S}-{now.microsecond // 1000:03}{secrets.token_hex(1)}",
        stage=Stage.SAVING,
        prefix=prefix,
        python=python,
        title=title,
        created=now.isoformat(timespec="seconds"),
        cause=cause,
        remedy=remedy,
        commands=commands,
        modified=Path(prefix).stat().st_mtime_ns,
        process=os.getpid(),
        process_began=psutil.Process().create_time(),
    )


def write(journal: Journal) -> Journal:
    """Write it down, in the place of the one before.

    Raises:
        OSError: it cannot be written.
        RuntimeError: the user has no home.
    """
    folder = _folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(folder / f"{journal.id}.json", msgspec.json.format(msgspec.json.encode(journal)))
    return journal


def remove(journal: Journal) -> None:
    """Forget it."""
    with contextlib.suppress(OSError, RuntimeError):
        (_folder() / f"{journal.id}.json").unlink(missing_ok=True)


def journals() -> tuple[Journal, ...]:
    """All of them, the newest first; those of environments that are gone are forgotten."""
    found = sorted(_read(), key=lambda journal: journal.id, reverse=True)
    return tuple(journal for journal in found if _is_there(journal))


def half_done() -> tuple[Journal, ...]:
    """Those that a killed process left in the middle."""
    return tuple(journal for journal in journals() if journal.is_half_done)


def _folder() -> Path:
    return data_folder() / "changes"


def _read() -> Iterator[Journal]:
    with contextlib.suppress(OSError, RuntimeError):
        for path in _folder().iterdir():
            if path.suffix != ".json" or not _ID.fullmatch(path.stem) or path.is_symlink():
                continue
            with contextlib.suppress(OSError, msgspec.MsgspecError):
                if path.stat().st_size <= _MOST_READ:
                    journal = msgspec.json.decode(path.read_bytes(), type=prepared(Journal))
                    if journal.id == path.stem:
                        yield journal


def _is_there(journal: Journal) -> bool:
    """Whether the environment still is; one on a disk that is not mounted or readable now is not forgotten."""
    with contextlib.suppress(OSError):
        if journal.store.is_dir() or (journal.stage is Stage.SAVING and journal.is_under_way):
            return True
        if Path(journal.prefix).parent.is_dir() or journal.stage is Stage.SAVING:
            remove(journal)
    return False

"""The snapshots that examinations leave in the user's own data folder: numbered, private, bounded, forgotten on a word.

Whatever is wrong with that folder never stops an examination. A file in it may have been cut or edited: what cannot be
read as a snapshot is passed over.
"""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from checks.analysis.history.observed import Observed, What
from checks.interpreters.disk import names_in, start_of
from checks.paths import data_folder
from checks.prepared import prepared
from checks.sharing.files import write_whole

VARIABLE = "NAOSU_HISTORY"  # "off": nothing is remembered; a path: where
_OFF = "off"
_NAME = re.compile(r"(\d{1,9})\.snapshot")
_MOST = 300  # snapshots
_MOST_BYTES = 20 * 2**20  # of all of them together
_LARGEST = 2 * 2**20  # bytes of one
_LARGEST_PLAIN = 16 * 2**20
_TRIES = 5
_FORMAT = 1


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one examination saw, redacted. ``key``: of the Python that was examined, ``target`` its path."""

    format: int = _FORMAT
    number: int = 0
    created: str
    naosu: str = ""
    key: str = ""
    target: str = ""
    python: str = ""  # its version
    observed: tuple[Observed, ...] = ()
    state: dict[str, dict[str, str]] = {}

    @property
    def failed(self) -> tuple[Observed, ...]:
        """What was seen to fail."""
        return tuple(seen for seen in self.observed if not seen.worked)

    @property
    def worked(self) -> bool:
        """Whether the user's program was seen to work; where none was run, everything that was tried."""
        programs = [seen for seen in self.observed if seen.what == What.PROGRAM]
        return bool(self.observed) and all(seen.worked for seen in programs or self.observed)


def default_folder(variables: Mapping[str, str] = os.environ) -> Path | None:
    """Where this user's snapshots lie; None where there is no home, or the user's variable says "off"."""
    chosen = variables.get(VARIABLE, "").strip()
    if chosen.lower() in (_OFF, "0", "no", "false"):
        return None
    if chosen and Path(chosen).is_absolute():
        return Path(chosen)
    try:
        return data_folder(variables) / "history"
    except RuntimeError:
        return None


@dataclass(frozen=True)
class Store:
    """The snapshots in one folder, which need not be there."""

    folder: Path

    @property
    def is_on(self) -> bool:
        """Whether the user lets examinations be remembered."""
        return not (self.folder / _OFF).exists()

    def switch(self, *, on: bool) -> None:
        """Remember examinations from now on, or do not; what is there stays.

        Raises:
            OSError: the folder cannot be written.
        """
        if on:
            (self.folder / _OFF).unlink(missing_ok=True)
        else:
            self._make()
            (self.folder / _OFF).touch(mode=0o600)

    def numbers(self) -> tuple[int, ...]:
        """The numbers of all files, the oldest first."""
        found = (_NAME.fullmatch(name) for name in names_in(self.folder))
        return tuple(sorted(int(name[1]) for name in found if name))

    def newest_first(self) -> Iterator[Snapshot]:
        """All snapshots that can be read."""
        for number in reversed(self.numbers()):
            snapshot = self.read(number)
            if snapshot is not None:
                yield snapshot

    def read(self, number: int) -> Snapshot | None:
        """One snapshot; None where there is none, or it is damaged."""
        data = start_of(self._path(number), _LARGEST + 1)
        if not data or len(data) > _LARGEST:
            return None
        with contextlib.suppress(zlib.error, msgspec.DecodeError, UnicodeDecodeError, ValueError, RecursionError):
            reader = zlib.decompressobj()
            plain = reader.decompress(data, _LARGEST_PLAIN)
            if not reader.unconsumed_tail:
                snapshot = msgspec.json.decode(plain, type=prepared(Snapshot))
                return msgspec.structs.replace(snapshot, number=number) if snapshot.format == _FORMAT else None
        return None

    def add(self, snapshot: Snapshot) -> int:
        """Save one under the next number, which is returned; the oldest go where there are too many.

        Raises:
            OSError: the disk is full, or the folder cannot be written.
        """
        data = zlib.compress(msgspec.json.encode(snapshot), 6)
        self._make()
        if len(data) > _LARGEST:
            raise OSError("too large")
        number = self._taken()
        try:
            write_whole(self._path(number), data)  # the name is there, and keeps its rights
        except BaseException:
            self._path(number).unlink(missing_ok=True)
            raise
        self._prune(number)
        return number

    def forget(self, number: int) -> bool:
        """Remove one; whether it was there.

        Raises:
            OSError: it cannot be removed.
        """
        try:
            self._path(number).unlink()
        except FileNotFoundError:
            return False
        return True

    def forget_all(self) -> int:
        """Remove all of them; returns how many there were.

        Raises:
            OSError: one cannot be removed.
        """
        return sum(map(self.forget, self.numbers()))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.snapshot"

    def _make(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _taken(self) -> int:
        """A number that nobody else has, by an empty file of that name."""
        number = max(self.numbers(), default=0)
        for _ in range(_TRIES):
            number += 1
            with contextlib.suppress(FileExistsError):
                os.close(os.open(self._path(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                return number
        raise FileExistsError(str(self._path(number)))

    def _prune(self, newest: int) -> None:
        """Let the oldest go, but the last that worked of each Python stays as long as there is room at all."""
        numbers = [number for number in self.numbers() if number != newest]
        sizes = {number: _size(self._path(number)) for number in (*numbers, newest)}
        over = len(sizes) - _MOST
        if over <= 0 and sum(sizes.values()) <= _MOST_BYTES:
            return
        kept: dict[str, int] = {}
        for snapshot in self.newest_first():
            if snapshot.worked:
                kept.setdefault(snapshot.key, snapshot.number)
        for number in sorted(numbers, key=lambda number: (number in kept.values(), number)):
            if len(sizes) <= _MOST and sum(sizes.values()) <= _MOST_BYTES:
                return
            with contextlib.suppress(OSError):
                self._path(number).unlink(missing_ok=True)
                sizes.pop(number)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

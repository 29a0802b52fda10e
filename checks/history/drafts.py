"""What was being examined when the program was killed: noted at the start of an examination, gone at its end.

Each process has its own note, so that two windows do not take each other's.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from checks.interpreters.disk import names_in, start_of
from checks.prepared import prepared
from checks.sharing.files import make_private, write_whole

_NAME = re.compile(r"(\d{1,10})\.draft")
_LARGEST = 8 * 2**20  # bytes


class Draft(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user had answered and given. ``case``: the one of the list that was being examined again.

    ``command``: of the user's own program, while that was watched; ``folder`` and ``seconds``: where, and how long.
    ``started``: when its process was started, in seconds since 1970: another one may have its number later.
    """

    symptom: str
    exactness: str = ""
    effort: str = ""
    text: str = ""
    files: tuple[tuple[str, str], ...] = ()  # path and kind
    target: str = ""
    case: str = ""
    command: str = ""
    folder: str = ""
    seconds: int = 0
    started: float = 0.0


@dataclass(frozen=True)
class Drafts:
    """The notes in one folder, which need not be there."""

    folder: Path

    def note(self, draft: Draft) -> None:
        """Write this process's note.

        Raises:
            OSError: the folder cannot be written.
        """
        make_private(self.folder)
        path = self._path(os.getpid())
        with contextlib.suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        started = psutil.Process().create_time()
        write_whole(path, msgspec.json.encode(msgspec.structs.replace(draft, started=started)))

    def done(self) -> None:
        """Nothing is being examined any more."""
        with contextlib.suppress(OSError):
            self._path(os.getpid()).unlink(missing_ok=True)

    def left(self) -> Draft | None:
        """What the newest of the killed processes was examining; the notes of all of them are removed."""
        found: list[Draft] = []
        for name in names_in(self.folder):
            number = _NAME.fullmatch(name)
            if number is None:
                continue
            draft = self._read(self.folder / name)
            if draft is not None and _runs(int(number[1]), draft.started):
                continue
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()
            found += [draft] if draft is not None else []
        return max(found, key=lambda draft: draft.started, default=None)

    @staticmethod
    def _read(path: Path) -> Draft | None:
        data = start_of(path, _LARGEST + 1)
        if not data or len(data) > _LARGEST:
            return None
        with contextlib.suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return msgspec.json.decode(data, type=prepared(Draft))
        return None

    def _path(self, number: int) -> Path:
        return self.folder / f"{number}.draft"


def _runs(number: int, started: float) -> bool:
    try:
        return abs(psutil.Process(number).create_time() - started) < 2  # seconds; some systems round
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True

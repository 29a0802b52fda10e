"""The folder in which a remedy is tried. It is gone afterwards; one that a killed process left goes with the next."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil

_NODE = re.sub(r"\W", "", platform.node())[:20] or "here"  # a home may be shared by several machines
_MUCH = 8 << 30  # bytes
_NAME = re.compile(rf"naosu-trial-{_NODE}-(\d+)-\w+")


@contextlib.contextmanager
def trial_folder(wanted: int, near: str | None = None) -> Iterator[Path]:
    """A new folder where there are so many bytes of room, else where there is most.

    Best on the disk of ``near``, with which blocks can be shared; and much goes rather to the user's own place than to
    the system's, which may be kept in memory.

    Raises:
        OSError: there is no place for temporary files on this machine.
    """
    places = sorted(_places(), key=lambda place: not _on_one_disk(place, near))
    if wanted > _MUCH and not _on_one_disk(places[0], near):
        places.reverse()
    for place in places:
        _clear(place)
    best = next((place for place in places if _free(place) >= wanted), max(places, key=_free, default=None))
    prefix = f"naosu-trial-{_NODE}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, dir=best, ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def _places() -> Iterator[Path]:
    """The system's, and the user's own, which is often on a larger disk than a system's that is kept in memory."""
    with contextlib.suppress(OSError):
        yield Path(tempfile.gettempdir())
    with contextlib.suppress(OSError, RuntimeError):
        own = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "naosu"
        own.mkdir(parents=True, exist_ok=True)
        if os.access(own, os.W_OK | os.X_OK):
            yield own


def _on_one_disk(place: Path, near: str | None) -> bool:
    try:
        return near is not None and place.stat().st_dev == Path(near).stat().st_dev
    except OSError:
        return False


def _free(place: Path) -> int:
    try:
        return shutil.disk_usage(place).free
    except OSError:
        return 0


def _clear(place: Path) -> None:
    """Remove what processes left there that are not there any more. Of other users nothing is touched."""
    with contextlib.suppress(OSError):
        for entry in place.iterdir():
            found = _NAME.fullmatch(entry.name)
            if found and not entry.is_symlink() and not psutil.pid_exists(int(found[1])) and _is_own(entry):
                shutil.rmtree(entry, ignore_errors=True)


def _is_own(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()

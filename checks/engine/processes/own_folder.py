"""A temporary folder for a program that may leave anything in it."""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def own_folder() -> Iterator[Path]:
    """A folder that is gone after the block, as far as the system lets it go.

    Raises:
        OSError: there is no place for temporary files on this machine.
    """
    folder = _made()
    try:
        yield Path(folder.name)
    finally:
        try:
            folder.cleanup()
        except RecursionError:
            _flatten(folder.name)
            folder.cleanup()


def can_be_made() -> bool:
    """Whether there is any place for temporary files."""
    try:
        with own_folder():
            return True
    except OSError:
        return False


def _made() -> tempfile.TemporaryDirectory[str]:
    """A folder where the system keeps such files; where that is full or read-only, in memory or at home."""
    try:
        return tempfile.TemporaryDirectory(prefix="naosu-", ignore_cleanup_errors=True)
    except OSError as error:
        for place in (os.environ.get("XDG_RUNTIME_DIR"), "/dev/shm", os.path.expanduser("~")):  # noqa: S108 - a last resort
            if place and os.path.isabs(place):
                with contextlib.suppress(OSError):
                    return tempfile.TemporaryDirectory(prefix="naosu-", dir=place, ignore_cleanup_errors=True)
        raise error from None


def _flatten(folder: str) -> None:
    """Bring all folders in it up to its top: so deep a tree is not removed by the recursion of the library."""
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(here) as entries:
            for entry in list(entries):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(os.path.join(folder, secrets.token_hex(8)))
                    os.rename(entry.path, waiting[-1])

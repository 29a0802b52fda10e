"""Files are written whole or not at all, and what a killed program left of one is removed by the next."""

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl  # not while a file is saved: where nothing can be opened any more, that is an error of its own

_PART = re.compile(r"\.naosu-[0-9a-f]{16}\.part")


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a failure leaves the old one as it was: a neighbour is written, then renamed over it.

    A link stays a link to the file that is written, and a file keeps its rights. A device or pipe (/dev/stdout) is
    written to as it is.

    Raises:
        OSError: the file or its folder is not writable, the disk is full, the path is a folder, or a pipe without a
            reader.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    exists = path.exists()
    if exists and not path.is_file():
        _write_through(path, data)
        return
    path = Path(os.path.realpath(path))
    if exists and not os.access(path, os.W_OK):  # a rename would not ask
        raise PermissionError(errno.EACCES, "is write-protected", str(path))
    remove_left_parts(path.parent)
    neighbour, file = _new_part(path.parent)
    try:
        with file:
            if exists:
                rights = stat.S_IMODE(path.stat().st_mode)
                if sys.platform == "win32":
                    neighbour.chmod(rights)
                else:
                    os.fchmod(file.fileno(), rights)  # by name it may be a link that somebody swapped in
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if sys.platform != "win32":  # which renames no open file
                neighbour.replace(path)
        if sys.platform == "win32":
            neighbour.replace(path)
    except BaseException:
        neighbour.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def privately() -> Iterator[None]:
    """While the block lasts what is made is for its owner alone: a database, and what it writes beside it."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def make_private(folder: Path) -> None:
    """Make a folder, and what is missing above it, for its owner alone; what is there keeps its rights.

    Raises:
        OSError: it cannot be made.
    """
    missing = [place for place in folder.parents if not place.exists()]
    for place in (*reversed(missing), folder):
        place.mkdir(mode=0o700, exist_ok=True)


def remove_left_parts(folder: Path) -> None:
    """Remove what a program that was killed while it wrote has left in a folder; what is being written stays."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if _PART.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_left(Path(entry.path))


def _remove_left(part: Path) -> None:
    """Remove a part that nobody writes. Windows refuses it for an open file; elsewhere its writer holds a lock."""
    if sys.platform == "win32":
        part.unlink()
        return
    with open(os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()


def _new_part(folder: Path) -> tuple[Path, BinaryIO]:
    """A new file in a folder, held so that nobody takes it for one that was left."""
    while True:
        path = folder / f".naosu-{os.urandom(8).hex()}.part"  # short: the name may be as long as one can be
        file = open(path, "xb")  # noqa: SIM115 - handed on
        try:
            if sys.platform != "win32":
                with contextlib.suppress(OSError):  # a file system without locks, where nobody else gets one either
                    fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists():  # else somebody was quicker to lock it
                return path, file
        except BaseException:
            file.close()
            path.unlink(missing_ok=True)
            raise
        file.close()


def _write_through(path: Path, data: bytes) -> None:
    """Write to what is no file. Opened without waiting: nobody may ever come to read a pipe."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as file:
        file.write(data)

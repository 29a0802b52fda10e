"""Files are written whole or not at all."""

import errno
import os
import secrets
import stat
from pathlib import Path


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
    neighbour = path.with_name(f".naosu-{secrets.token_hex(8)}.part")  # short: the name may be as long as one can be
    try:
        with open(neighbour, "xb") as file:
            if exists:
                neighbour.chmod(stat.S_IMODE(path.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        neighbour.replace(path)
    except BaseException:
        neighbour.unlink(missing_ok=True)
        raise


def _write_through(path: Path, data: bytes) -> None:
    """Write to what is no file. Opened without waiting: nobody may ever come to read a pipe."""
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    with open(descriptor, "wb") as file:
        file.write(data)

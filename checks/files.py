"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a failure leaves the old one as it was: a neighbour is written, then renamed over it.

    A link stays a link to the file that is written. A device or pipe (/dev/stdout) is written to as it is.

    Raises:
        OSError: the folder is not writable, the disk is full, the path is a folder.
    """
    path = Path(os.path.realpath(path))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    if path.exists() and not path.is_file():
        with open(path, "wb") as file:
            file.write(data)
        return
    neighbour = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with open(neighbour, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        neighbour.replace(path)
    except BaseException:
        neighbour.unlink(missing_ok=True)
        raise

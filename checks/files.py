"""Files are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that a failure leaves the old one as it was: a neighbour is written, then renamed over it.

    Raises:
        OSError: the folder is not writable, the disk is full, the path is a folder.
    """
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder")
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

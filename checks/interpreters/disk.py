"""Looking at files that may be missing, forbidden, endless or looped: what cannot be seen is not there, never an error.

pathlib's questions raise PermissionError until Python 3.12 and cost three times as much; thousands are asked here.
"""

# ruff: noqa: PTH111, PTH208
from __future__ import annotations

import os
import re
from os import PathLike
from pathlib import Path

StrPath = str | PathLike[str]


is_file, is_folder, is_link = os.path.isfile, os.path.isdir, os.path.islink
exists, is_named = os.path.exists, os.path.lexists  # of a dangling link only the name exists


def absolute(path: StrPath) -> Path:
    """The path from the root, "~" filled in, links not followed; only ".." leads where the system takes it."""
    absolute = Path(os.path.expanduser(path)).absolute()
    if ".." not in absolute.parts:
        return absolute
    if absolute.name == "..":
        return Path(os.path.realpath(absolute))
    return Path(os.path.realpath(absolute.parent)) / absolute.name


def names_in(folder: StrPath) -> list[str]:
    """The names in a folder, sorted; empty if it cannot be listed."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def start_of(path: StrPath, limit: int) -> bytes | None:
    """The first bytes of a file; None if it cannot be read."""
    return start_until(path, None, limit, limit)


def start_until(path: StrPath, end: re.Pattern[bytes] | None, step: int, limit: int) -> bytes | None:
    """A file up to where ``end`` matches, read in steps, at most ``limit`` bytes; None if it cannot be read.

    Does not wait at a pipe that someone put there instead of a file.
    """
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        data = os.read(file, step)
        while end is not None:
            found = end.search(data)
            if found is not None:
                return data[: found.start()]
            chunk = os.read(file, step) if len(data) < limit else b""
            if not chunk:
                break
            data += chunk
        return data
    except OSError:  # a folder
        return None
    finally:
        os.close(file)


def text_of(path: StrPath, limit: int = 64 * 1024) -> str | None:
    """The first bytes of a file as text, damaged bytes replaced; None if it cannot be read."""
    data = start_of(path, limit)
    return None if data is None else data.decode("utf-8-sig", "replace")

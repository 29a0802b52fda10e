"""Which files an installer wrote, by the lists that it left: RECORD, the installed-files.txt of old ones, conda's.

Format: "Recording installed projects" on packaging.python.org; conda-meta/*.json ("paths_data").
"""

from __future__ import annotations

import base64
import contextlib
import csv
import hashlib
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.interpreters.installed.record import conda_files
from checks.mending.tree import Entry, Tree

_BYTECODE = (b".pyc", b".pyo")
_RECEIPTS = (b"pipx_metadata.json", b"uv-receipt.toml")  # at the top: written by these tools alone
_OF_CONDA = b"conda-meta"
_METADATA = (b".dist-info", b".egg-info")
_METHODS = ("sha256", "sha384", "sha512")
_MOST_LIST = 32 << 20  # bytes of one list; torch's has 2


@dataclass(frozen=True)
class _Listed:
    """``digest``: "" where the list has none: of itself, and of bytecode."""

    digest: str
    size: int | None


def is_bytecode(path: bytes) -> bool:
    """Whether Python makes it anew by itself."""
    return path.endswith(_BYTECODE) or os.path.basename(path) == b"__pycache__"


def of_installers(root: bytes, paths: Collection[bytes], now: Tree, before: Tree) -> set[bytes]:
    """Those of the paths that hold what an installer put there, or that it moved there from somewhere else.

    Of any other nobody knows that it is not somebody's work.
    """
    known = {path for path in paths if is_bytecode(path) or path in _RECEIPTS or _is_record_of_conda(path)}
    rest = {path for path in paths if path not in known}
    moved = {_identity(entry) for entry in before.values() if entry.is_file} if rest else set()
    known |= {path for path in rest if now[path].is_file and _identity(now[path]) in moved}
    listed = _lists(root, now, rest - known) if rest - known else {}
    for path, line in listed.items():
        if now[path].target or line.digest:
            is_theirs = bool(now[path].target) or _is_as_listed(os.path.join(root, path), now[path], line)
        else:
            is_theirs = path not in before or os.path.dirname(path).endswith(_METADATA)
        if is_theirs:
            known.add(path)
    return known


def _is_record_of_conda(path: bytes) -> bool:
    """Whether it is in conda's own folder, where it alone writes."""
    folder, name = os.path.split(path)
    return folder == _OF_CONDA and (name.endswith(b".json") or name == b"history")


def _identity(entry: Entry) -> tuple[int, int, int]:
    return entry.inode, entry.size, entry.modified


def _lists(root: bytes, now: Tree, wanted: Collection[bytes]) -> dict[bytes, _Listed]:
    """The lines about these paths in all lists of the environment."""
    found: dict[bytes, _Listed] = {}
    for path in now:
        folder, name = os.path.split(path)
        if folder.endswith(_METADATA) and name in (b"RECORD", b"installed-files.txt"):
            site = os.path.dirname(folder) if name == b"RECORD" else folder
            for listed, line in _lines(os.path.join(root, path)):
                inside = os.path.normpath(os.path.join(site, listed))
                if inside in wanted:
                    found[inside] = line
        elif folder == _OF_CONDA and name.endswith(b".json"):
            for place, digest, size in conda_files(Path(os.fsdecode(os.path.join(root, path)))):
                if os.fsencode(place) in wanted:
                    found[os.fsencode(place)] = _Listed(_as_in_record(digest), size)
    return found


def _as_in_record(digest: str) -> str:
    """A hash of conda in the form of RECORD; "" for none."""
    with contextlib.suppress(ValueError):
        if digest:
            return "sha256=" + base64.urlsafe_b64encode(bytes.fromhex(digest)).rstrip(b"=").decode()
    return ""


def _lines(path: bytes) -> Iterator[tuple[bytes, _Listed]]:
    with contextlib.suppress(OSError, csv.Error):
        if os.stat(path).st_size <= _MOST_LIST:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                for name, *told in csv.reader(file):
                    digest, size = (*told, "", "")[:2]
                    yield os.fsencode(name), _Listed(digest, int(size) if size.isdecimal() else None)


def _is_as_listed(path: bytes, entry: Entry, line: _Listed) -> bool:
    method, _, digest = line.digest.partition("=")
    if line.size not in (None, entry.size) or method not in _METHODS:
        return False
    try:
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, method).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == digest

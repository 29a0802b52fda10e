"""What lies in the folder of an environment: enough of every file to see whether it is another one later."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping

import msgspec

from checks.proof.copies.environment_copy import BESIDE_CONDA, KEPT

STORE = os.fsencode(KEPT)  # what was saved there is no part of the environment
# Where installers write. Whatever else lies at the top of an environment is the user's, and is never touched; conda's
# packages bring places of their own ("ssl", "sbin", "x86_64-conda-linux-gnu"), and nothing else lies beside them
# (permission.py).
PLACES = frozenset(
    b"bin conda-meta etc include Include lib Lib lib32 lib64 man pipx_metadata.json pyvenv.cfg Scripts share "
    b"uv-receipt.toml".split()
)  # fmt: skip
_NO_PLACES = frozenset((STORE, *map(os.fsencode, BESIDE_CONDA)))


def is_place(root: bytes, name: bytes) -> bool:
    """Whether an installer may write at this name, at the top of an environment."""
    if os.path.isdir(os.path.join(root, b"conda-meta")):
        return name not in _NO_PLACES and not name.startswith(STORE + b"-")
    return name in PLACES


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A file, folder or link. Of a folder ``size`` and ``inode`` are 0; ``target``: where a link leads."""

    mode: int
    size: int
    modified: int  # nanoseconds
    inode: int
    target: bytes = b""

    @property
    def is_folder(self) -> bool:
        """Whether it may hold others."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        """Whether it has content."""
        return stat.S_ISREG(self.mode)

    def is_like(self, other: Entry) -> bool:
        """Whether both are the same one. What lies in a folder changes its time, and is compared by itself."""
        if self.is_folder or self.target:
            return (self.mode, self.target) == (other.mode, other.target)
        return self == other

    def is_copy_of(self, other: Entry) -> bool:
        """Whether both differ in nothing but their number."""
        return msgspec.structs.replace(self, inode=other.inode) == other


Tree = dict[bytes, Entry]  # by the path inside of the folder


def read_tree(root: bytes) -> Tree:
    """Everything in the places of installers; links are read and not followed.

    Raises:
        OSError: a folder in it cannot be read: then nobody knows what is there.
    """
    found: Tree = {}
    waiting = [b""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                path = os.path.join(folder, entry.name)
                if not folder and not is_place(root, entry.name):
                    continue
                found[path] = read_entry(os.path.join(root, path))
                if found[path].is_folder:
                    waiting.append(path)
    return found


def read_entry(path: bytes) -> Entry:
    """One of them.

    Raises:
        OSError: it is not there.
    """
    state = os.lstat(path)
    if stat.S_ISDIR(state.st_mode):
        return Entry(state.st_mode, 0, state.st_mtime_ns, 0)
    target = os.readlink(path) if stat.S_ISLNK(state.st_mode) else b""
    return Entry(state.st_mode, state.st_size, state.st_mtime_ns, state.st_ino, target)


def entry_at(path: bytes) -> Entry | None:
    """One of them; None: nothing is there."""
    try:
        return read_entry(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def differing(one: Mapping[bytes, Entry], other: Mapping[bytes, Entry]) -> Iterable[bytes]:
    """The paths at which they differ, in their order: a folder before what lies in it."""
    for path in sorted(one.keys() | other.keys()):
        mine, its = one.get(path), other.get(path)
        if mine is None or its is None or not mine.is_like(its):
            yield path

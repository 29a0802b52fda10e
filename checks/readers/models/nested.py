"""Archives that lie in a folder or in another archive: opened in bounds, and named where they are not."""

from __future__ import annotations

import contextlib
import tarfile
from collections.abc import Iterator

from checks.readers.containers.folder import MOST_NAMES, Folder
from checks.readers.containers.pickles.read import begins_like_a_pickle
from checks.readers.containers.source import MIB, Cancelled, Damaged, Source
from checks.readers.containers.tar import TarFolder

_DEEPEST = 4  # archives within archives
_MOST = 1000  # archives within one folder
_MOST_UNPACKED = 1024 * MIB  # of one that is compressed
# What is wrong with a file that is said under whatever name it lies there: nobody looked into it.
UNREAD_SAID = frozenset({"archive-in-folder", "archive-not-opened", "encrypted", "runs-code-unread"})
_ENDINGS = (
    ".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".7z", ".rar", ".nemo", ".mar",
    ".skops",
)  # fmt: skip
_READ_BY_NAME = (
    ".yaml", ".yml", ".json", ".jinja", ".py", "mlmodel", ".pkl", ".pickle", ".joblib", ".pt", ".pth", ".bin", ".ckpt",
)  # fmt: skip
# How archives begin, and files that are compressed.
_PACKED = (
    b"PK\x03\x04",
    b"7z\xbc\xaf",
    b"Rar!",
    b"MSCF",
    b"\x28\xb5\x2f\xfd",
    b"\x1f\x8b",
    b"BZh",
    b"\xfd7zXZ",
    b"\x78",
    b"\x5d\0\0",
)


def is_named_as_archive(name: str) -> bool:
    """Whether a name ends as those of archives do in which models are kept."""
    return name.lower().endswith(_ENDINGS)


def may_hold_code(folder: Folder, name: str) -> bool:
    """Whether a file begins as a pickle or an archive does, or is named as settings or code: it is worth reading."""
    if name.lower().endswith(_READ_BY_NAME):
        return True
    try:
        with folder.file(name) as source:
            head = source.read(0, min(tarfile.BLOCKSIZE, source.size))
    except Damaged:
        return False
    return begins_like_a_pickle(head[:64]) or head.startswith(_PACKED) or b"ustar" in head[257:265]


class NestedArchives:
    """How many archives may be opened while one folder is read, how deep, and with how many files in all."""

    def __init__(self, cancelled: Cancelled) -> None:
        self.cancelled = cancelled
        self._depth = 0
        self._archives = _MOST
        self._names = MOST_NAMES

    @contextlib.contextmanager
    def opened(self, archive: Folder) -> Iterator[None]:
        """While the block lasts, an archive is read whose list of files is known.

        Raises:
            Damaged: "archive-in-folder": there are too many, or it lies too deep.
        """
        names = len(archive.names)
        if self._depth >= _DEEPEST or not self._archives or names > self._names:
            raise Damaged("archive-in-folder", f"{names} files")
        self._archives -= 1
        self._names -= names
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextlib.contextmanager
    def tar(self, source: Source) -> Iterator[TarFolder]:
        """A tar archive, while the block lasts. Raises Damaged as ``opened`` does, and where it cannot be read."""
        if self._depth >= _DEEPEST or not self._archives:
            raise Damaged("archive-in-folder", source.name)
        with TarFolder(source, self.cancelled, _MOST_UNPACKED) as archive, self.opened(archive):
            yield archive

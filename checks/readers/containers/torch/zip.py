"""The zip archives of PyTorch: one folder that holds everything, records by name, storages as numbered files."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from checks.readers.containers.folder import Folder, ZipFolder
from checks.readers.containers.pickles.read import begins_like_a_pickle
from checks.readers.containers.pickles.values import Pickle
from checks.readers.containers.pickles.whole import read_whole_pickle
from checks.readers.containers.source import MIB, Damaged, Source

MOST_TEXT = 32 * MIB  # of one record that is read as a whole
MOST_LOOKED_AT = 2000  # members of which the first bytes are read
_STORAGE = re.compile(r"(?:data|constants|tensors)/(?:[\w.-]+/)*[\w.-]*\d")


class TorchZip:
    """An archive with its members under one root ("": at the top). ``members``: their names without it."""

    def __init__(self, archive: Folder, root: str) -> None:
        self.archive = archive
        self.root = root
        self._above = f"{root}/" if root else ""
        start = len(self._above)
        self.members = tuple(name[start:] for name in archive.names if name.startswith(self._above))
        self._there = frozenset(self.members)

    @classmethod
    def with_member(cls, archive: Folder, member: str) -> TorchZip | None:
        """The archive, if one of its top folders has such a member; of several the first by name."""
        roots = [name[: -len(member) - 1] for name in archive.names if name.endswith(f"/{member}")]
        root = next((item for item in roots if item and "/" not in item), None)
        return None if root is None else cls(archive, root)

    def __contains__(self, member: str) -> bool:
        return member in self._there

    def size_of(self, member: str) -> int | None:
        """Bytes of a member."""
        return self.archive.size_of(self._above + member)

    def source(self, member: str) -> contextlib.AbstractContextManager[Source]:
        """A member as a source."""
        return self.archive.file(self._above + member)

    def read(self, member: str, most: int = MOST_TEXT) -> bytes:
        """All bytes of a member. Raises Damaged: it is larger than ``most``, or cannot be read."""
        with self.source(member) as source:
            if source.size > most:
                raise Damaged("too-large", f"{member}: {source.size} bytes")
            return source.read(0, source.size)

    def text(self, member: str) -> str | None:
        """A short text; None where there is no such member or it is no text."""
        if member not in self or (self.size_of(member) or 0) > 1000:
            return None
        return self.read(member, 1000).decode("utf-8", "replace").strip()

    def pickle(self, member: str) -> Pickle:
        """A member as a pickle."""
        with self.source(member) as source:
            return read_whole_pickle(source)

    @property
    def version(self) -> str | None:
        """The version of the archive's form, in one of the two places where releases write it."""
        return self.text("version") or self.text(".data/version")


def hidden_pickles(archive: Folder, known: frozenset[str]) -> Iterator[tuple[str, Pickle]]:
    """Every further member of an archive that begins like a pickle, whatever its name. Storages are left out.

    Their name is "data/17": they are numbers, which may begin with any bytes.
    """
    names = (name for name in archive.names if name not in known and not _STORAGE.fullmatch(name.partition("/")[2]))
    for _, name in zip(range(MOST_LOOKED_AT), names, strict=False):
        try:
            with archive.file(name) as source:
                if begins_like_a_pickle(source.read(0, min(64, source.size))):
                    found = read_whole_pickle(source)
                    if found.problem is None or found.names:
                        yield name, found
        except Damaged:
            continue


def packed_members(archive: ZipFolder) -> int:
    """How many members are compressed: PyTorch stores them as they are, and then maps them into memory."""
    return sum(map(archive.is_packed, archive.names))

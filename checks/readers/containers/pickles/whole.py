"""Pickles with all that lies within them: what a stream hands to an unpickler is a pickle or a file of torch.save.

What cannot be looked into is listed as an unread pickle, so that it is never taken for harmless.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from checks.readers.containers.folder import ZipFolder
from checks.readers.containers.pickles.machine import MOST_OPCODES, AfterBuild
from checks.readers.containers.pickles.read import begins_like_a_pickle, read_pickle
from checks.readers.containers.pickles.values import UNREAD, Blob, Pickle
from checks.readers.containers.source import Damaged, Source, of_bytes

_DEEPEST = 8  # pickles within pickles within pickles
_MOST_ROWS = 100  # one after the other
_MOST_MEMBERS = 2000
_ZIP = b"PK\x03\x04"
_STORAGE = re.compile(r"[^/]*/data/\d+")


def read_whole_pickle(source: Source, start: int = 0, after_build: AfterBuild | None = None) -> Pickle:
    """A stream as :func:`read_pickle` follows it, with the names of all pickles within it among its own."""
    found = read_pickle(source, start, after_build)
    _Within(found).look_into(source, found)
    return found


class _Within:
    """The search through what is within one pickle, in which what it finds is noted."""

    def __init__(self, outer: Pickle) -> None:
        self._names = outer.names
        self._calls = outer.calls
        self._left = MOST_OPCODES

    def look_into(self, source: Source, pickle: Pickle, depth: int = 0) -> None:
        """Follow what a pickle hands on. What one pickle names twice is the same."""
        for data in dict.fromkeys(pickle.inner):
            try:
                if depth >= _DEEPEST or self._left <= 0:
                    raise Damaged("too-large", "pickles within pickles")
                self._follow(_bytes_of(source, data), depth + 1)
            except (Damaged, UnicodeError):
                self._names.setdefault(UNREAD, False)

    def _follow(self, part: Source, depth: int) -> None:
        if part.read(0, min(4, part.size)) == _ZIP:
            for found, member in _members(part):
                self._add(found, member, depth)
            return
        place = 0
        for number in range(_MOST_ROWS):
            found = read_pickle(part, place)
            if number and found.problem and not found.names:
                return  # what follows the last pickle only looked like one
            self._add(found, part, depth)
            place = found.end
            if found.problem or not begins_like_a_pickle(part.read(place, min(64, part.size - place))):
                break
        if found.problem:
            raise found.problem

    def _add(self, found: Pickle, source: Source, depth: int) -> None:
        self._left -= found.steps
        for name, is_called in found.names.items():
            self._names[name] = self._names.get(name, False) or is_called
        for name, given in found.calls.items():
            self._calls.setdefault(name, given)
        self.look_into(source, found, depth)


def _members(part: Source) -> Iterator[tuple[Pickle, Source]]:
    """The pickles in an archive of torch.save; of two that could be the one that is loaded both.

    Raises:
        Damaged: one that is loaded cannot be followed.
    """
    archive = ZipFolder(part)
    for _, name in zip(range(_MOST_MEMBERS), archive.names, strict=False):
        if _STORAGE.fullmatch(name):
            continue
        with archive.file(name) as source:
            is_main = "data.pkl" in name.lower()
            if not is_main and not begins_like_a_pickle(source.read(0, min(64, source.size))):
                continue
            found = read_pickle(source)
            if is_main or found.problem is None or found.names:
                yield found, source
            if is_main and found.problem:
                raise found.problem


def _bytes_of(source: Source, data: Blob | str) -> Source:
    if isinstance(data, str):
        return of_bytes(data.encode("latin-1"))
    if data.is_text:
        return of_bytes(source.read(data.start, data.size).decode("utf-8").encode("latin-1"))
    return source.part(data.start, data.size)

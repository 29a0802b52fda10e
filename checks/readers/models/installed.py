"""Models that an installed Python package brought along: whose they are, as the package's list of files says.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from checks.facts import ModelFacts, Package
from checks.interpreters.packages import read_package

_MOST_UP = 8  # folders above a model that are looked into
_MOST_ENTRIES = 5000  # of one folder; in site-packages lie some hundreds
_MOST_RECORD = 32 << 20  # bytes
_METADATA = ".dist-info"


def with_package(facts: ModelFacts) -> ModelFacts:
    """The facts of a model of the disk, with the package that it came with."""
    try:
        path = Path(facts.path).absolute()
        found = _owner(path, path.is_dir()) if facts.format is not None and path.exists() else None
    except (OSError, ValueError):  # a disk that went away, a name that no disk holds
        return facts
    return facts if found is None else msgspec.structs.replace(facts, package=found)


def _owner(path: Path, is_folder: bool) -> Package | None:
    """The package in whose list of files a file stands, or anything in a folder."""
    for above in list(path.parents)[:_MOST_UP]:
        changed = above.stat().st_mtime_ns
        names = _metadata(str(above), changed)
        within = path.relative_to(above).as_posix().encode("utf-8", "replace")
        for name in names:
            top = within.split(b"/", 1)[0]
            if top in _tops(str(above), name, changed) and _lists(above / name, within + (b"/" if is_folder else b",")):
                return read_package(above, name)
        if names:  # what lies here is some package's, or none's
            return None
    return None


@functools.lru_cache(maxsize=256)
def _metadata(folder: str, _changed: int) -> tuple[str, ...]:
    """The metadata folders in a folder, kept as long as it does not change."""
    found = []
    with os.scandir(folder) as entries:
        for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False):
            if entry.name.endswith(_METADATA):
                found.append(entry.name)
    return tuple(sorted(found))


@functools.lru_cache(maxsize=2000)
def _tops(folder: str, name: str, _changed: int) -> frozenset[bytes]:
    """The folders and files at the top of what a package installed."""
    return frozenset(line.lstrip(b'"').split(b"/", 1)[0] for line in _record(Path(folder) / name))


def _lists(metadata: Path, beginning: bytes) -> bool:
    return any(line.lstrip(b'"').replace(b'"', b"").startswith(beginning) for line in _record(metadata))


def _record(metadata: Path) -> Iterator[bytes]:
    """The lines of a package's list of files; none where it keeps none that can be read."""
    try:
        with open(metadata / "RECORD", "rb") as file:
            yield from file.read(_MOST_RECORD).split(b"\n")
    except OSError:
        return

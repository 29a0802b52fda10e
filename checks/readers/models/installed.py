"""Models that an installed Python package brought along: whose they are, as the package's list of files says.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import csv
import functools
import io
import os
from pathlib import Path

import msgspec

from checks.facts import ModelFacts, Package
from checks.interpreters.packages import read_package

_MOST_UP = 8  # folders above a model that are looked into
_MOST_ENTRIES = 5000  # of one folder; in site-packages lie some hundreds
_MOST_RECORD = 6 << 20  # characters; that of TensorFlow has three million
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
        within = path.relative_to(above).as_posix()
        for name in names:
            if within.partition("/")[0] not in _tops(str(above), name, changed):
                continue
            files = _files(str(above), name, changed)
            if within in files or (is_folder and any(each.startswith(f"{within}/") for each in files)):
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
def _tops(folder: str, name: str, changed: int) -> frozenset[str]:
    """The folders and files at the top of what a package installed."""
    return frozenset(each.partition("/")[0] for each in _files(folder, name, changed))


@functools.lru_cache(maxsize=4)
def _files(folder: str, name: str, _changed: int) -> frozenset[str]:
    """What a package installed, by its list of files; nothing where it keeps none that can be read."""
    try:
        with open(Path(folder) / name / "RECORD", encoding="utf-8", errors="replace", newline="") as file:
            return frozenset(row[0] for row in csv.reader(io.StringIO(file.read(_MOST_RECORD))) if row)
    except (OSError, csv.Error):
        return frozenset()

"""Models that an installed Python package brought along: whose they are, as the package's list of files says.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/
"""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from checks.facts import ModelFacts, Package
from checks.interpreters.disk import text_of
from checks.interpreters.packages import read_package

_MOST_UP = 8  # folders above a model that are looked into
_MOST_ENTRIES = 5000  # of one folder; in site-packages lie some hundreds
_MOST_RECORD = 6 << 20  # bytes; that of TensorFlow has three million
_MOST_RECORDS = 32 << 20  # characters of all lists of a folder; fifty packages have three million
_MOST_TOPS = 20_000  # names at the top of all of them
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
        installed = _installed(str(above), changed)
        within = path.relative_to(above).as_posix()
        for name, tops in installed:
            if within.partition("/")[0] not in tops:
                continue
            files = _files(str(above), name, changed)
            if within in files or (is_folder and any(file.startswith(f"{within}/") for file in files)):
                return read_package(above, name)
        if installed:  # what lies here is some package's, or none's
            return None
    return None


@functools.lru_cache(maxsize=64)
def _installed(folder: str, _changed: int) -> tuple[tuple[str, frozenset[str]], ...]:
    """The metadata folders in a folder, each with the names at the top of what it installed.

    Kept as long as the folder does not change. A package that lists more than any real one is left out.
    """
    with os.scandir(folder) as entries:
        limited = zip(entries, range(_MOST_ENTRIES), strict=False)
        names = sorted(entry.name for entry, _ in limited if entry.name.endswith(_METADATA))
    found = []
    left, tops_left = _MOST_RECORDS, _MOST_TOPS
    for name in names:
        record = _record(folder, name) if left > 0 else ""
        left -= len(record)
        tops = frozenset(path.partition("/")[0] for path in _listed(record))
        if len(tops) <= tops_left:
            tops_left -= len(tops)
            found.append((name, tops))
    return tuple(found)


@functools.lru_cache(maxsize=4)
def _files(folder: str, name: str, _changed: int) -> frozenset[str]:
    """What a package installed, by its list of files; nothing where it keeps none that can be read."""
    return frozenset(_listed(_record(folder, name)))


def _record(folder: str, name: str) -> str:
    return text_of(Path(folder) / name / "RECORD", _MOST_RECORD) or ""


def _listed(record: str) -> Iterator[str]:
    """The paths in a list of files, as far as it can be read."""
    with contextlib.suppress(csv.Error):
        for row in csv.reader(io.StringIO(record, newline="")):
            if row:
                yield row[0]

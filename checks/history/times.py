"""When a change was made, as the file system tells it: pip's and conda's records, changed files."""

from __future__ import annotations

import datetime as dt
import os
import re
from pathlib import Path

import msgspec

from checks.facts import Change, ChangeKind, Facts
from checks.interpreters.disk import absolute, names_in
from checks.interpreters.packages import normalised

_VERSION = re.compile(r"-(?=\d)")


def with_times(changes: tuple[Change, ...], facts: Facts) -> tuple[Change, ...]:
    """The changes, with the time of those of which it can be seen."""
    wanted = {change.name for change in changes if change.kind == ChangeKind.PACKAGE and change.after}
    installed = install_times(facts, wanted) if wanted else {}
    return tuple(_timed(change, facts, installed) for change in changes)


def _timed(change: Change, facts: Facts, installed: dict[str, float]) -> Change:
    moment: float | None = None
    if change.kind == ChangeKind.PACKAGE:
        moment = installed.get(change.name)
    elif change.kind == ChangeKind.FILE:
        moment = _of_file(change, facts)
    elif change.kind in (ChangeKind.PROGRAM, ChangeKind.MODEL) and change.after is not None:
        moment = modified(absolute(change.name))
    return msgspec.structs.replace(change, time=utc(moment)) if moment else change


def install_times(facts: Facts, names: set[str] | None = None) -> dict[str, float]:
    """When each distribution of the target was installed: the time of its metadata; None: of all of them."""
    target = facts.target_interpreter
    folders: dict[str, None] = {}
    for package in (target.packages or ()) if target else ():
        if package.location and (names is None or package.name in names):
            folders.setdefault(package.location)
    found: dict[str, float] = {}
    for folder in folders:
        for entry in names_in(folder):
            if not entry.endswith((".dist-info", ".egg-info", ".json")) or entry.startswith("~"):
                continue
            stem, _, suffix = entry.rpartition(".")
            name = normalised(stem.rsplit("-", 2)[0] if suffix == "json" else _VERSION.split(stem)[0])
            if names is None or name in names:
                place = Path(folder, entry)
                moment = next(filter(None, (modified(place / file) for file in ("RECORD", "INSTALLER"))), None)
                moment = moment or modified(place)
                if moment:
                    found.setdefault(name, moment)
    return found


def _of_file(change: Change, facts: Facts) -> float | None:
    if absolute(change.name) == Path(os.path.expanduser(change.name)):  # noqa: PTH111 - as text
        return modified(absolute(change.name))
    packages = facts.installed.packages if facts.installed else ()
    for package in packages:
        if any(file.path == change.name for file in package.files):
            return modified(Path(package.location, change.name))
    return None


def modified(path: str | Path) -> float | None:
    """When a file was written; None where it cannot be seen."""
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - strings
    except (OSError, ValueError):
        return None


def utc(moment: float) -> str:
    """As times stand in a case."""
    try:
        return dt.datetime.fromtimestamp(moment, dt.UTC).replace(microsecond=0).isoformat()
    except (OverflowError, OSError, ValueError):
        return ""

"""What conda and mamba wrote down of an environment: conda-meta/history, revision by revision.

Format: conda/history.py; a revision begins with "==> 2024-05-01 10:11:12 <==" in local time, its packages follow with
"+" and "-" before "channel::name-version-build". Its command lines are not read.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

from checks.facts import Change, ChangeKind
from checks.interpreters.disk import start_of
from checks.interpreters.packages import normalised

_LARGEST = 8 * 2**20  # bytes
_MOST = 5_000  # changes
_HEAD = re.compile(r"==> (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) <==")


def conda_history(prefix: Path) -> tuple[Change, ...]:
    """The changes of an environment, the oldest first; () where it is none of conda's, or only its first revision."""
    text = (start_of(prefix / "conda-meta" / "history", _LARGEST) or b"").decode("utf-8", "replace")
    return tuple(of_text(text))


def of_text(text: str) -> Iterator[Change]:
    """The changes behind the first revision, which only made the environment."""
    revision = count = 0
    time = ""
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    for line in (*text.splitlines(), "==> 0001-01-01 00:00:00 <=="):
        head = _HEAD.fullmatch(line.strip())
        if head is None:
            parts = line[1:].rpartition("::")[2].strip().rsplit("-", 2)
            if len(parts) == 3 and line[:1] in ("+", "-"):
                (added if line[0] == "+" else removed)[normalised(parts[0])] = parts[1]
            continue
        if revision > 1:
            for name in sorted(added.keys() | removed.keys()):
                if added.get(name) != removed.get(name) and count < _MOST:
                    count += 1
                    yield _change(name, removed.get(name), added.get(name), time)
        if added or removed or not revision:
            revision += 1
        time = _utc(head[1])
        added, removed = {}, {}


def _change(name: str, before: str | None, after: str | None, time: str) -> Change:
    return Change(kind=ChangeKind.PACKAGE.value, name=name, before=before, after=after, time=time, source="conda")


def _utc(text: str) -> str:
    try:
        return dt.datetime.fromisoformat(text).astimezone(dt.UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""

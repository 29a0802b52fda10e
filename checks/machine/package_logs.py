"""What the package managers of the system wrote down: their logs' texts become changes, the oldest first.

Formats: apt's history.log (apt_2.6, apt-pkg/history), dnf's dnf.rpm.log, pacman.log ("[ALPM]"), zypper's
/var/log/zypp/history (opensuse.github.io/libzypp, "ZyppHistory"), and of Windows the answer of Get-HotFix as JSON.
Of a log only names, releases and times are read: its command lines name people and may hold secrets.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Iterator

from checks.facts import Change, ChangeKind

_MOST_LINE = 2**20  # characters; a large installation stands in one line of apt's
_APT_ITEM = re.compile(r"([a-z0-9][a-z0-9+.-]{0,100}(?::[a-z0-9]{1,12})?) \(([^()]{1,200})\)")
_APT_VERBS = ("Install", "Upgrade", "Downgrade", "Remove", "Purge", "Reinstall")
_DNF = re.compile(r"(\S{10,40}) (?:SUBDEBUG|INFO|DEBUG) (\w+): (\S{3,250})")
_PACMAN = re.compile(
    r"\[([\d T:+-]{10,30})\] (?:\[ALPM\] )?(installed|upgraded|downgraded|removed) (\S{1,120}) \((.{1,200})\)"
)


def apt(text: str) -> Iterator[Change]:
    """The entries of a history.log; its times are local."""
    time = ""
    for line in text.splitlines():
        head, _, rest = line[:_MOST_LINE].partition(": ")
        if head == "Start-Date":
            time = _local(rest, "%Y-%m-%d  %H:%M:%S")
        elif head in _APT_VERBS and head != "Reinstall":
            for name, releases in _APT_ITEM.findall(rest):
                first, _, second = releases.partition(", ")
                second = "" if second == "automatic" else second.partition(", ")[0]
                before, after = _apt_releases(head, first, second)
                yield _change(_plain_name(name), before, after, time, "apt")


def _apt_releases(verb: str, first: str, second: str) -> tuple[str | None, str | None]:
    if verb in ("Remove", "Purge"):
        return first, None
    return (first, second) if verb in ("Upgrade", "Downgrade") else (None, first)


def _plain_name(name: str) -> str:
    """Without the architecture, which is the machine's but for few."""
    return name.partition(":")[0]


def dnf(text: str) -> Iterator[Change]:
    """The transactions of a dnf.rpm.log: "Upgrade: new" and, further down, "Upgraded: old"."""
    waiting: dict[str, tuple[int, str, str]] = {}  # name -> line, release, time
    for number, line in enumerate(text.splitlines()):
        found = _DNF.match(line)
        parts = found[3].rpartition(".")[0].rsplit("-", 2) if found else []
        if found is None or len(parts) != 3:
            continue
        verb, name, release, time = found[2], parts[0], "-".join(parts[1:]), _with_zone(found[1])
        if verb in ("Upgrade", "Downgrade"):
            waiting[name] = number, release, time
        elif verb in ("Upgraded", "Downgraded") and name in waiting:
            _, new, time = waiting.pop(name)
            yield _change(name, release, new, time, "dnf")
        elif verb == "Installed":
            yield _change(name, None, release, time, "dnf")
        elif verb in ("Erase", "Removed"):
            yield _change(name, release, None, time, "dnf")


def pacman(text: str) -> Iterator[Change]:
    """The lines of a pacman.log that change a package."""
    for line in text.splitlines():
        found = _PACMAN.match(line)
        if found is None:
            continue
        time = _with_zone(found[1]) or _local(found[1], "%Y-%m-%d %H:%M")
        first, arrow, second = found[4].partition(" -> ")
        if arrow:
            yield _change(found[3], first, second, time, "pacman")
        elif found[2] == "removed":
            yield _change(found[3], first, None, time, "pacman")
        elif found[2] == "installed":
            yield _change(found[3], None, first, time, "pacman")


def zypper(text: str) -> Iterator[Change]:
    """The installations and removals of a zypp history."""
    for line in text.splitlines():
        fields = [field.strip() for field in line.split("|", 5)]
        if line.startswith("#") or len(fields) < 5 or fields[1] not in ("install", "remove"):
            continue
        time = _local(fields[0], "%Y-%m-%d %H:%M:%S")
        is_new = fields[1] == "install"
        yield _change(fields[2], None if is_new else fields[3], fields[3] if is_new else None, time, "zypper")


def windows(text: str) -> Iterator[Change]:
    """The updates of Windows: what Get-HotFix answers, its HotFixID, Description and InstalledOn as JSON."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return
    for entry in read if isinstance(read, list) else [read]:
        if not isinstance(entry, dict) or not isinstance(entry.get("HotFixID"), str):
            continue
        on = entry.get("InstalledOn")
        value = on.get("DateTime") or on.get("value") if isinstance(on, dict) else on
        about = entry.get("Description")
        yield _change(
            entry["HotFixID"][:40], None, about if isinstance(about, str) else "update", _windows_time(value), "windows"
        )


def _windows_time(value: object) -> str:
    """PowerShell 5 writes a date as "/Date(milliseconds)/", PowerShell 7 as ISO 8601."""
    if not isinstance(value, str):
        return ""
    found = re.search(r"Date\((\d{1,15})\)", value)
    if found:
        try:
            return dt.datetime.fromtimestamp(int(found[1]) / 1000, dt.UTC).replace(microsecond=0).isoformat()
        except (OverflowError, OSError, ValueError):
            return ""
    return _with_zone(value)


# Package manager -> its log below "/", newest first when rotated, and how it is read.
LOGS: tuple[tuple[str, str, Callable[[str], Iterator[Change]]], ...] = (
    ("apt", "var/log/apt/history.log", apt),
    ("dnf", "var/log/dnf.rpm.log", dnf),
    ("pacman", "var/log/pacman.log", pacman),
    ("zypper", "var/log/zypp/history", zypper),
)


def _change(name: str, before: str | None, after: str | None, time: str, source: str) -> Change:
    return Change(
        kind=ChangeKind.SYSTEM_PACKAGE.value, name=name, before=before, after=after or None, time=time, source=source
    )


def _local(text: str, form: str) -> str:
    try:
        moment = dt.datetime.strptime(text.strip(), form).astimezone(dt.UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat()


def _with_zone(text: str) -> str:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return ""
    if moment.tzinfo is None:
        return ""
    return moment.astimezone(dt.UTC).replace(microsecond=0).isoformat()

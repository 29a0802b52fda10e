"""What happened while nobody examined: the logs of installers, as far as this user may read them, within bounds."""

from __future__ import annotations

import contextlib
import datetime as dt
import gzip
import itertools
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from checks.facts import Change, ChangeKind, Facts
from checks.history.times import install_times, utc
from checks.interpreters.conda_history import conda_history
from checks.interpreters.disk import start_of
from checks.machine.package_logs import LOGS, windows

DAYS = 60  # that are looked back where no examination is known at which it worked
_ROTATED = 6  # older files of one log
_LARGEST = 8 * 2**20  # bytes of one file
_MOST = 1_000  # changes
_TOGETHER = 3600.0  # seconds after the first package in which an environment is made
_HOTFIXES = "Get-HotFix | Select-Object HotFixID, Description, InstalledOn | ConvertTo-Json -Compress"
_PATIENCE = 20.0  # seconds


def logged(facts: Facts, since: str = "", root: Path = Path("/"), now: dt.datetime | None = None) -> tuple[Change, ...]:
    """The changes since then; "": those of the last weeks, also of the examined Python, the latest first."""
    moment = now or dt.datetime.now(dt.UTC)
    first = since or (moment - dt.timedelta(days=DAYS)).replace(microsecond=0).isoformat()
    found = [*_of_system(root)]
    if not since:
        found += _of_python(facts)
    kept = [change for change in found if change.time >= first]
    return tuple(sorted(kept, key=lambda change: change.time, reverse=True)[:_MOST])


def _of_system(root: Path) -> Iterator[Change]:
    if sys.platform == "win32":
        yield from windows(_asked(_hotfixes))
    for _, path, read in LOGS:
        for text in _texts(root / path):
            yield from itertools.islice(read(text), 20 * _MOST)


def _texts(path: Path) -> Iterator[str]:
    """A log and those that it was rotated into."""
    data = start_of(path, _LARGEST)
    if data is not None:
        yield data.decode("utf-8", "replace")
    for number in range(1, _ROTATED + 1):
        plain = start_of(f"{path}.{number}", _LARGEST)
        packed = start_of(f"{path}.{number}.gz", _LARGEST) if plain is None else None
        if packed is not None:
            with contextlib.suppress(OSError, EOFError, zlib.error), gzip.open(f"{path}.{number}.gz") as file:
                plain = file.read(_LARGEST)
        if plain is None:
            return
        yield plain.decode("utf-8", "replace")


def _of_python(facts: Facts) -> Iterator[Change]:
    """Conda's own history; else what pip installed later than the environment was made."""
    target = facts.target_interpreter
    if target is None or not target.prefix:
        return
    of_conda = conda_history(Path(target.prefix))
    yield from of_conda
    told = {change.name for change in of_conda}
    times = {name: time for name, time in install_times(facts).items() if name not in told}
    made = min(times.values(), default=0.0)
    versions = {package.name: package.version for package in reversed(target.packages or ())}
    for name, time in times.items():
        if time > made + _TOGETHER and name in versions:
            kind = ChangeKind.PACKAGE.value
            yield Change(kind=kind, name=name, after=versions[name], time=utc(time), source="pip")


def _hotfixes() -> str:
    """What Windows answers; never run here for real but on Windows."""
    powershell = Path(os.environ.get("SYSTEMROOT", r"C:\Windows"), r"System32\WindowsPowerShell\v1.0\powershell.exe")
    command = [str(powershell), "-NoProfile", "-NonInteractive", "-Command", _HOTFIXES]
    return subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False, text=True).stdout[:_LARGEST]


def _asked(ask: Callable[[], str]) -> str:
    try:
        return ask()
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""

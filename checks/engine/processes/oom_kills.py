"""How often the system's OOM killer struck while a program ran: in our own control groups, and on the whole machine.

The kernel counts it where everybody may read: memory.events of a control group of version 2, which counts what lies
below it, too; memory.oom_control of version 1, which does not; and /proc/vmstat for the machine, since Linux 4.13.
Windows and macOS count nothing that can be read.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

# https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-interface-files
# https://docs.kernel.org/admin-guide/cgroup-v1/memory.html
_COUNT = re.compile(r"^oom_kill (\d{1,19})$", re.MULTILINE)
_FILES = {"": ("/sys/fs/cgroup", "memory.events"), "memory": ("/sys/fs/cgroup/memory", "memory.oom_control")}
_MOST = 64  # control groups above ours


def oom_counts(root: Path = Path("/")) -> dict[str, int]:
    """File -> what its counter says; empty where there is none. ``root``: tests have another one."""
    files = [*_of_groups(root), "/proc/vmstat"]
    counts = {file: _COUNT.search(_text(root / file.lstrip("/"))) for file in files}
    return {file: int(found[1]) for file, found in counts.items() if found}


def struck_since(before: Mapping[str, int], root: Path = Path("/")) -> int | None:
    """How many processes it ended since ``before``; None: nobody counted."""
    now = oom_counts(root)
    return max((now[file] - count for file, count in before.items() if file in now), default=None)


def _of_groups(root: Path) -> list[str]:
    """The counters of our own control groups, up to the top."""
    found: list[str] = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        kind = "memory" if "memory" in controllers.split(",") else controllers
        if kind not in _FILES:
            continue
        base, name = _FILES[kind]
        parts = [part for part in path.split("/") if part and part != ".."][:_MOST]
        found += ["/".join([base, *parts[:depth], name]) for depth in range(len(parts), -1, -1)]
    return found


def _text(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text(encoding="ascii", errors="replace")
    return ""

"""Device files and libraries of the drivers, as facts."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from typing import Any

from checks.facts import DeviceNode, LibraryFile

Raw = dict[str, Any]

VERSION_IN_NAME = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")


def read_nodes(nodes: Iterable[Raw] | None, *patterns: str) -> tuple[DeviceNode, ...] | None:
    """The device files that match a pattern, in their folder only; None where /dev was not read."""
    if nodes is None:
        return None
    return tuple(
        DeviceNode(path=node["path"], **{name: node.get(name) for name in ("readable", "writable", "group")})
        for node in nodes
        if not node.get("directory") and any(_matches(node["path"], pattern) for pattern in patterns)
    )


def _matches(path: str, pattern: str) -> bool:
    # The files in /dev/nvidia-caps are root's alone on healthy machines, and are not meant by /dev/nvidia*.
    return path.count("/") == pattern.count("/") and fnmatch.fnmatch(path, pattern)


def read_libraries(raw: Raw, machine: str | None, *names: str) -> tuple[LibraryFile, ...]:
    """The libraries of these names, in the loader's order, without those of 32-bit programs."""
    wide = machine in (None, "x86_64", "aarch64", "ppc64le", "riscv64")
    found = []
    for name, path, real, origin, kind in raw.get("libraries") or ():
        if name not in names or (origin == "ldconfig" and wide and kind.split(",")[0] == "libc6" and "64" not in kind):
            continue
        version = VERSION_IN_NAME.search(real or path)
        found.append(
            LibraryFile(path=path, real_path=real, version=version.group(1) if version else None, origin=origin)
        )
    return tuple(found)

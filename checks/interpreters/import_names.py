"""Which modules a distribution installs, from its own list of files. Nothing is imported.

top_level.txt is setuptools' list; RECORD and installed-files.txt name every file (packaging.python.org, "Recording
installed projects").
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from checks.facts import Package
from checks.interpreters.disk import names_in, text_of
from checks.interpreters.packages import normalised

_MOST = 4 * 1024 * 1024  # bytes of a list of files
_FOLDER = re.compile(r"(?P<name>[^-]+)-.+\.(?:dist|egg)-info")
_MODULE = re.compile(r"[^\W\d]\w*")
_NO_MODULE = frozenset({"test", "tests", "docs", "doc", "examples", "example", "scripts", "benchmarks", "tools", "bin"})
_SUFFIX = re.compile(r"(?:\.(?:cpython|cp|pypy)[\w.-]*|\.abi3)?\.(?:py|pyd|so)")


def metadata_folders(location: str) -> Mapping[str, Path]:
    """The metadata folders in a site folder, by the normalised name of their distribution."""
    found = {}
    for name in names_in(location):
        match = _FOLDER.fullmatch(name)
        if match is not None:
            found[normalised(match["name"])] = Path(location) / name
    return found


def import_names(package: Package, folders: Mapping[str, Path]) -> tuple[str, ...]:
    """The names by which its modules are imported, those that resemble its own first; () where nobody knows.

    ``folders``: as :func:`metadata_folders` gives them for its location.
    """
    folder = folders.get(package.name)
    if folder is None:
        return ()
    names: dict[str, None] = {}
    for line in (text_of(folder / "top_level.txt") or "").split():
        if _MODULE.fullmatch(line):
            names[line] = None
    if not names:
        for line in (text_of(folder / "RECORD", _MOST) or "").splitlines():
            name = _module_of(line)
            if name:
                names[name] = None
    own = package.name.replace("-", "_").lower()
    public = [name for name in names if not name.startswith("_") and name.lower() not in _NO_MODULE]
    return tuple(sorted(public, key=lambda name: (name.lower() != own, own not in name.lower(), name)))


def _module_of(record: str) -> str:
    path = record.partition(",")[0].strip('"').replace(os.sep, "/")
    if path.count("/") > 1 and not path.endswith("/__init__.py"):  # most of the many thousand lines
        return ""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or parts[:1] in ([], [".."]):
        return ""
    first = parts[0]
    if len(parts) == 1:
        found = _SUFFIX.search(first)
        first = first[: found.start()] if found and found.end() == len(first) else ""
    elif parts[1:] != ["__init__.py"]:  # a namespace is nothing to import
        return ""
    return first if _MODULE.fullmatch(first) else ""

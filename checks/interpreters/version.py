"""The full version of an interpreter, read from what lies around it; an unread part is never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from checks.interpreters.binary import version_in_binary, windows_version
from checks.interpreters.disk import names_in, text_of
from checks.interpreters.layout import Layout, Library

_HEADER_LIMIT = 8 * 1024  # bytes of patchlevel.h: the version stands at its top
_PY_VERSION = re.compile(r'#define\s+PY_VERSION\s+"(\d+\.\d+\.\d+[^"]*)"')
_CONDA_PYTHON = re.compile(r"python-(\d+\.\d+\.\d+\w*)-[^-]+\.json")
_FULL = re.compile(r"(\d+\.\d+\.\d+)(?:\.(final|alpha|beta|candidate|a|b|rc)\.?(\d+))?((?:a|b|rc)\d+)?")
_SUFFIX = {"alpha": "a", "a": "a", "beta": "b", "b": "b", "candidate": "rc", "rc": "rc"}


def read_version(layout: Layout) -> tuple[str | None, str]:
    """(version, where it was read): "3.11.7", or only "3.11" where the rest stands nowhere, or None."""
    origin = layout.origin
    library = origin.library or layout.library
    if library is None:
        return next(_from_config(layout), (None, ""))
    if layout.config is None or layout.base is not None:
        for version, source in _readings(origin, library):
            if version is not None and version.startswith(library.minor + "."):
                return version, source
    # What pyvenv.cfg says was true when the environment was made; its base may have been updated since.
    for version, source in _from_config(layout):
        if version.startswith(library.minor + "."):
            return version, source
    return library.minor, str(library.folder)


def _readings(origin: Layout, library: Library) -> Iterator[tuple[str | None, str]]:
    """Versions of an installation, the cheapest sources first."""
    yield _conda_version(origin.prefix / "conda-meta")
    for folder in _include_folders(origin.prefix, library):
        yield _header_version(folder / "patchlevel.h")
    if library.windows:
        suffix = library.minor.replace(".", "") + ("t" if library.free_threaded else "")
        for path in (origin.executable, origin.prefix / f"python{suffix}.dll"):
            yield windows_version(path), str(path)
        return
    for path in (origin.real, *_shared_libraries(origin.prefix, library)):
        yield version_in_binary(path, library.minor), str(path)


def _from_config(layout: Layout) -> Iterator[tuple[str, str]]:
    config = layout.config or {}
    for key in ("version_info", "version"):  # virtualenv and uv write the first, venv the second
        match = _FULL.fullmatch(config.get(key, ""))
        if match is not None:
            suffix = match[4] or (_SUFFIX.get(match[2] or "", "") and f"{_SUFFIX[match[2]]}{match[3]}")
            yield match[1] + suffix, str(layout.prefix / "pyvenv.cfg")


def _conda_version(folder: Path) -> tuple[str | None, str]:
    found = [(match[1], name) for name in names_in(folder) if (match := _CONDA_PYTHON.fullmatch(name))]
    return (found[0][0], str(folder / found[0][1])) if len(found) == 1 else (None, "")


def _include_folders(prefix: Path, library: Library) -> Iterator[Path]:
    if library.windows:
        yield prefix / "include"
        return
    name = library.folder.name
    for suffix in ("", "m", "d"):  # pymalloc marked its folders until 3.7
        yield prefix / "include" / (name + suffix)


def _header_version(path: Path) -> tuple[str | None, str]:
    match = _PY_VERSION.search(text_of(path, _HEADER_LIMIT) or "")
    return (match[1], str(path)) if match else (None, "")


def _shared_libraries(prefix: Path, library: Library) -> Iterator[Path]:
    """libpython, where the program is only a small starter."""
    name = f"libpython{library.minor}{'t' if library.free_threaded else ''}"
    folder = prefix / "lib"
    for ending in (".so.1.0", ".dylib"):
        yield folder / (name + ending)
    if prefix.name == library.minor or prefix.parent.name == "Versions":  # a macOS framework
        yield prefix / "Python"

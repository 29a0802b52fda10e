"""Environments near a folder that the user chose: in it, one or two folders below, or in the folders above."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from checks.interpreters.disk import exists
from checks.interpreters.layout import executable_in, layout_of
from checks.interpreters.read import PROJECT_ENVIRONMENTS

_DEPTH = 2  # folders below the chosen one
_UP = 4  # folders above it
_MOST_FOLDERS = 1500  # opened below the chosen one
_SKIPPED = frozenset({
    "node_modules", "__pycache__", ".git", ".hg", ".svn", "site-packages", ".mypy_cache", ".pytest_cache",
    ".ruff_cache",
})  # fmt: skip


def interpreters_near(folder: Path, home: Path) -> Iterator[Path]:
    """Executables, the nearest first: the folder itself, its own environments, below it, above it up to home."""
    yield from _in_project(folder)
    yield from _below(folder)
    for count, up in enumerate(folder.parents):
        if count >= _UP or up == up.parent:
            break
        yield from _in_project(up)
        if up == home:
            break


def _in_project(folder: Path) -> Iterator[Path]:
    for name in ("", *PROJECT_ENVIRONMENTS):
        found = _environment(folder / name)
        if found is not None:
            yield found


def _environment(folder: Path) -> Path | None:
    """The interpreter whose prefix this folder is; a link to another one (~/bin/python) makes no environment."""
    found = executable_in(folder) if _looks_like_environment(folder) else None
    if found is None or not _is_same(layout_of(found).prefix, folder):
        return None
    return found


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _below(folder: Path) -> Iterator[Path]:
    """Environments below a folder, breadth first; no link is followed, so that no loop is walked."""
    level, opened = [folder], 0
    for _ in range(_DEPTH):
        deeper: list[Path] = []
        for parent in level:
            opened += 1
            if opened > _MOST_FOLDERS:
                return
            for child in _folders(parent):
                found = _environment(child)
                if found is not None:
                    yield found
                elif child.name == ".pixi":
                    yield from (path for folder in _folders(child / "envs") if (path := executable_in(folder)))
                else:
                    deeper.append(child)
        level = deeper


def _looks_like_environment(folder: Path) -> bool:
    """Cheap marks first: most folders of a project are none."""
    marks = ("pyvenv.cfg", "conda-meta", "python.exe", "bin")
    return any(exists(folder / mark) for mark in marks)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [
                entry.path for entry in entries if entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [Path(path) for path in sorted(found)]

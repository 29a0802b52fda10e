"""Environments in the user's projects: below the home, several levels deep, within bounds of number and time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from checks.interpreters.layout import executable_in
from checks.interpreters.read import PROJECT_ENVIRONMENTS

_DEPTH = 5  # folders below the home
_MOST_FOLDERS = 4000
_SECONDS = 1.5  # a slow disk must not keep anybody waiting
_MOST_FOUND = 60
_SKIPPED = frozenset({
    "node_modules", "__pycache__", "site-packages", "dist-packages", "caches", "cache", "library", "appdata", "trash",
    "snap", "onedrive", "dropbox", "google drive", "downloads", "pictures", "music", "movies", "videos", "photos",
    "miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", "target", "build", "dist", "vendor", "steam",
})  # fmt: skip
_ENVIRONMENT = re.compile(r"\.?(?:v|virtual)?env(?:ironment)?s?(?:[-_.].{1,40})?|.{1,40}[-_.]v?env", re.IGNORECASE)


def project_interpreters(home: Path, now: Callable[[], float] = time.monotonic) -> Iterator[Path]:
    """Executables, the shallowest first. No link is followed, and no other disk or network mount is entered."""
    deadline, opened, found = now() + _SECONDS, 0, 0
    try:
        device = home.stat().st_dev
    except OSError:
        return
    level = [home]
    for _ in range(_DEPTH):
        deeper: list[Path] = []
        for folder in level:
            opened += 1
            if opened > _MOST_FOLDERS or found >= _MOST_FOUND or now() > deadline:
                return
            names = _folders(folder, device)
            for name in names:
                executable = executable_in(folder / name) if _is_environment(folder / name) else None
                if executable is not None:
                    found += 1
                    yield executable
                elif not name.startswith(".") and name.lower() not in _SKIPPED:
                    deeper.append(folder / name)
        level = deeper


def _is_environment(folder: Path) -> bool:
    """By its name or its mark; of any other folder nothing is asked."""
    by_name = folder.name in PROJECT_ENVIRONMENTS or _ENVIRONMENT.fullmatch(folder.name) is not None
    return (by_name or not folder.name.startswith(".")) and os.path.isfile(folder / "pyvenv.cfg")  # noqa: PTH113 - in thousands


def _folders(folder: Path, device: int) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_dev == device
            )
    except OSError:
        return []


_IN_TRACEBACK = re.compile(
    r"""["'(\s](?P<prefix>(?:/|[A-Za-z]:\\)[^"'\n]{1,300}?)(?:/lib(?:64)?/python3\.\d{1,2}/|\\[Ll]ib\\site-packages\\)"""
)
_MOST_NAMED = 20


def interpreters_named_in(texts: tuple[str, ...]) -> Iterator[Path]:
    """The interpreters whose libraries a traceback names, the innermost frames' last; they may be another machine's."""
    prefixes = dict.fromkeys(found["prefix"] for text in texts for found in _IN_TRACEBACK.finditer(text))
    for prefix in list(prefixes)[-_MOST_NAMED:][::-1]:
        executable = executable_in(Path(prefix))
        if executable is not None:
            yield executable


def last_chosen(settings: Path) -> Iterator[Path]:
    """What the user chose by hand in Naosu's window, the last one first (wizard/desktop/folders.py writes it)."""
    try:
        lines = settings.read_text(encoding="utf-8", errors="replace")[:100_000].splitlines()
    except OSError:
        return
    line = next((line for line in lines if line.startswith("chosen=")), "chosen=")
    for word in line.removeprefix("chosen=").split(", "):
        path = Path(word.strip().strip('"').replace("\\\\", "\\"))
        executable = executable_in(path) if path.is_dir() else path
        if path.is_absolute() and executable is not None:
            yield executable

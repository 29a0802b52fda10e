"""The programs below a folder, without what others have installed there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from checks.readers.scripts.sources import NOTEBOOK, PYTHON

CONFIGS = (".yaml", ".yml", ".json")
_NOT_OURS = frozenset(
    {"__pycache__", "node_modules", "site-packages", "dist-packages", "venv", "env", "build", "dist", "checkpoints"}
)
MOST_FILES = 20_000


def programs_in(folder: Path) -> Iterator[Path]:
    """The Python files, notebooks and possible configurations of a folder and its folders, in order of their names.

    Hidden folders, environments, links to folders and links that lead out of the folder are left out.
    """
    count = 0
    whole = folder.resolve()
    for here, folders, files in os.walk(folder):
        is_environment = "pyvenv.cfg" in files and Path(here) != folder
        folders[:] = [] if is_environment else sorted(each for each in folders if _is_searched(each))
        for name in [] if is_environment else sorted(files):
            path = Path(here, name)
            is_program = path.suffix.lower() in (*PYTHON, NOTEBOOK, *CONFIGS) and path.is_file()
            if is_program and (not path.is_symlink() or path.resolve().is_relative_to(whole)):
                count += 1
                if count > MOST_FILES:
                    return
                yield path


def _is_searched(name: str) -> bool:
    return not name.startswith(".") and name not in _NOT_OURS and not name.endswith(".egg-info")

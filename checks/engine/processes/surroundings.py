"""The environment variables that a probe starts with: the user's own, without what only our own start brought in.

What the user's program would see is kept on purpose, also where it is the trouble (PYTHONPATH, PYTHONHOME,
LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES). Taken out is what points into our own environment: packaging/run, an
activated environment of ours or the frozen application put it there, and the user's program never has it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePath

from checks.paths import BUNDLE

# Our scripts keep it from our own Python, which heeds it on macOS in spite of -I and looks for its modules there.
_KEPT_BY_SCRIPT = {"NAOSU_KEPT_PYTHONEXECUTABLE": "PYTHONEXECUTABLE"}

# Our own start puts the settings of the loader aside (wizard/loader_settings.py), which are for the user's programs.
_ASIDE = "NAOSU_USERS_"
_KEPT_LOADER_SETTINGS = "NAOSU_KEEPS_LOADER_SETTINGS"

# macOS: names the interpreter that started us; a Python of another environment would take itself for that one.
# https://github.com/python/cpython/issues/66409
_ALWAYS_OURS = ("__PYVENV_LAUNCHER__", _KEPT_LOADER_SETTINGS)

# Order of conda's own activation, conda/activate.py.
_CONDA_FOLDERS = ("", "Library/mingw-w64/bin", "Library/usr/bin", "Library/bin", "Scripts", "bin")


def probe_environment(
    interpreter: str, variables: Mapping[str, str] = os.environ, own: tuple[str, ...] | None = None
) -> dict[str, str]:
    """The variables for a probe in this interpreter. ``own``: the folders that are ours (tests name others)."""
    ours = tuple(folder for folder in (own_folders() if own is None else own) if not _inside(interpreter, folder))
    kept: dict[str, str] = {}
    aside = {name.removeprefix(_ASIDE): value for name, value in variables.items() if name.startswith(_ASIDE)}
    plain = {name: value for name, value in variables.items() if not name.startswith(_ASIDE)}
    for name, value in {**plain, **aside}.items():
        left = _without(value, ours)
        if name not in _ALWAYS_OURS and (left or not value):
            kept[name] = left
    for saved, name in _KEPT_BY_SCRIPT.items():
        if saved in kept:
            kept[name] = kept.pop(saved)
    if sys.platform == "win32":
        kept["PATH"] = os.pathsep.join((*conda_folders(interpreter), kept.get("PATH", "")))
    return kept


def own_folders() -> tuple[str, ...]:
    """The folders that only our own start brings into the environment; none where we run in the system's Python."""
    if BUNDLE is not None:
        return (str(BUNDLE), str(PurePath(sys.executable).parent))
    return (sys.prefix,) if sys.prefix != sys.base_prefix else ()


def conda_folders(interpreter: str) -> tuple[str, ...]:
    """Windows: the folders that an activated conda environment has on PATH; its DLLs are not found without."""
    prefix = Path(interpreter).parent
    if not (prefix / "conda-meta").is_dir():
        return ()
    return tuple(str(prefix / folder) for folder in _CONDA_FOLDERS)


def _without(value: str, folders: tuple[str, ...]) -> str:
    """A list of paths without those in our folders; any other text as it is."""
    if not any(folder in value for folder in folders):
        return value
    entries = value.split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if not any(_inside(entry, folder) for folder in folders))


def _inside(path: str, folder: str) -> bool:
    """Compared as written: resolving the links would lead from an environment's Python to the one it was made from."""
    return PurePath(os.path.normcase(os.path.abspath(path))).is_relative_to(os.path.normcase(os.path.abspath(folder)))

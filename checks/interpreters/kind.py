"""What kind of installation an interpreter belongs to, and which tool installs packages into it.

Read from what the tools leave in the folder, whoever found it.
Sources: conda-meta (conda), pyvenv.cfg (PEP 405; uv adds the key uv), pipx_metadata.json (pipx), uv-receipt.toml
(uv tool), poetry.lock beside an in-project .venv (Poetry), ._pth (the embeddable Python of python.org).
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from checks.interpreters.disk import exists, is_folder
from checks.interpreters.finding.places import Places
from checks.interpreters.layout import STORE_FOLDER, Layout

_UV_BUILD = re.compile(r"(?:cpython|pypy|graalpy)-\d+\.\d+.*-(?:linux|macos|windows)-")
_WINPYTHON = re.compile(r"WPy(?:32|64)-")
# Below the root.
_SYSTEM_FOLDERS = ("usr", "opt/homebrew", "Library", "Applications/Xcode.app", "Program Files", "Program Files (x86)")


def kind_of(layout: Layout, places: Places) -> str:
    """The kind, as InterpreterFacts.kind names it."""
    prefix = layout.prefix
    if layout.config is not None:
        return _kind_of_environment(prefix)
    if STORE_FOLDER.match(prefix.name):
        return "store"
    if is_conda(prefix):
        return "conda"
    if _UV_BUILD.match(prefix.name) or prefix.parent.parts[-2:] == ("uv", "python"):
        return "uv"
    if prefix.parent.name == "versions" and "pyenv" in prefix.parent.parent.name.lower() + places.variable(
        "PYENV_ROOT"
    ):
        return "pyenv"
    if _is_portable(layout):
        return "portable"
    return "system" if _is_system(prefix, places) else "other"


def is_conda(prefix: Path) -> bool:
    """Whether conda, mamba or pixi made this environment."""
    return is_folder(prefix / "conda-meta")


def is_pixi(prefix: Path) -> bool:
    """Whether pixi made this conda environment: conda's commands do not apply to it."""
    return exists(prefix / "conda-meta" / "pixi") or ".pixi" in prefix.parts


def _kind_of_environment(prefix: Path) -> str:
    if exists(prefix / "pipx_metadata.json"):
        return "pipx"
    if exists(prefix / "uv-receipt.toml"):
        return "uv"
    if "pypoetry" in prefix.parts or _is_in_poetry_project(prefix):
        return "poetry"
    return "venv"


def _is_in_poetry_project(prefix: Path) -> bool:
    return prefix.name == ".venv" and exists(prefix.parent / "poetry.lock")


def _is_portable(layout: Layout) -> bool:
    """An interpreter that came unpacked with an application and is in no registry."""
    folder = layout.prefix
    if folder.name.lower().startswith("python_embed") or any(_WINPYTHON.match(part) for part in folder.parts):
        return True
    if folder.name == "python" and folder.parent.name == "system":
        return True
    library = layout.library
    if library is None or not library.windows:
        return False
    names = (f"python{library.minor.replace('.', '')}._pth", "python._pth")
    return any(exists(folder / name) for name in names)


def _is_system(prefix: Path, places: Places) -> bool:
    """Installed by the system's package manager or by an installer, for all users or (on Windows) for one."""
    folders = [places.root / name for name in _SYSTEM_FOLDERS]
    if places.system == "Windows":
        local = places.variable("LOCALAPPDATA")
        folders += [Path(local) / "Programs" / "Python", Path(local) / "Python"] if local else []
        folders += [places.root / prefix.name] if re.fullmatch(r"Python\d+", prefix.name) else []
    real = Path(os.path.realpath(prefix))
    return any(path.is_relative_to(folder) for folder in folders for path in (prefix, real))


def package_manager_of(layout: Layout, kind: str) -> str:
    """The tool that should install packages here: "pip" unless another keeps a record of them."""
    if kind == "conda" and is_pixi(layout.prefix):
        return "pixi"
    if kind in ("conda", "poetry", "pipx", "uv"):
        return kind
    if layout.config is not None and ("uv" in layout.config or _has_lock(layout.prefix, "uv")):
        return "uv"
    is_of_pdm = layout.prefix.parent.parts[-2:] == ("pdm", "venvs")
    return "pdm" if is_of_pdm or _has_lock(layout.prefix, "pdm") else "pip"


def project_of(layout: Layout, manager: str) -> str | None:
    """The folder whose manifest and lock file are the master of an environment, where they lie around it.

    Poetry and PDM keep environments elsewhere, too, and their names do not lead back.
    """
    prefix = layout.prefix
    if manager == "pixi" and ".pixi" in prefix.parts:
        return str(Path(*prefix.parts[: prefix.parts.index(".pixi")]))
    return str(prefix.parent) if manager in _MANIFESTS and _has_lock(prefix, manager) else None


_MANIFESTS = ("uv", "poetry", "pdm")


def _has_lock(prefix: Path, manager: str) -> bool:
    """Whether the folder of a project is around an environment: with its manifest, and with this tool's lock file."""
    project = prefix.parent
    return prefix.name == ".venv" and exists(project / f"{manager}.lock") and exists(project / "pyproject.toml")

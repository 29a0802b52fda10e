"""Change a copy of a project's manifest and lock file with the project's own tool, and so the copy of its environment.

The tool works in a folder that holds the manifest files alone: the user's project is not touched, and nothing of it is
built or installed. pipx works in a home of its own, which holds a link to the copy. conda takes the copy by its path,
and does not note it among its environments. What is carried out in the user's own environment is the command as it is
told. Sources: docs.astral.sh/uv/reference/environment, python-poetry.org/docs/basic-usage (an active environment is
used), pdm-project.org/latest/usage/venv (PDM_PYTHON), hatch.pypa.io/latest/plugins/environment/virtual (its "path"),
pipx.pypa.io/stable/reference/environment-variables, docs.conda.io/projects/conda/en/stable/user-guide/configuration/
settings.html (register_envs; tried with 26.7).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli

from checks.proof.changes import Change, Managed, NotTriable
from checks.proof.copies.environment_copy import EnvironmentCopy
from checks.proof.resolving.conda import conda_program
from checks.proof.resolving.resolver import uv_program

FILES = (
    "pyproject.toml", "uv.lock", "uv.toml", ".python-version", "poetry.lock", "poetry.toml", "pdm.lock", "pdm.toml",
)  # fmt: skip
_TEXTS = ("README", "LICEN")  # how the files begin that a manifest names
_LONGEST = 64 << 20
_PARTS = frozenset(("path", "workspace"))  # keys of a wish
_PLACE = re.compile(  # as pip writes one
    r"\bfile:|@\s*(?:\.{0,2}[/\\]|[A-Za-z]:[/\\])|^\s*(?:-e\b|--editable\b|\.{1,2}(?:[/\\]|$))|\$\{PROJECT_ROOT\}"
)
_QUIET = {
    "uv": ("--no-progress",), "poetry": ("--no-interaction", "--no-ansi"), "pdm": (), "pipx": (),
    "conda": ("--yes", "--quiet"), "mamba": ("--yes", "--quiet"),
}  # fmt: skip
_OF_CONDA = ("conda", "mamba")
_PLACES_OF_PIPX = {
    "PIPX_HOME": ".", "PIPX_SHARED_LIBS": "shared", "PIPX_BIN_DIR": "bin", "PIPX_MAN_DIR": "man",
    "PIPX_COMPLETION_DIR": "completions",
}  # fmt: skip
_WITHOUT_PROJECT = {"uv": ("--no-install-project",), "pdm": ("--no-self",)}  # which is not in the copy


def project_variables(tool: str, made: EnvironmentCopy) -> dict[str, str]:
    """By these a tool works in the copy, and ``uv run`` and its kin start the program there as it is."""
    if tool == "uv":
        return {"UV_PROJECT_ENVIRONMENT": str(made.folder), "UV_NO_SYNC": "1"}
    if tool == "pdm":  # which may let uv work for it
        return {**_active(made), "PDM_PYTHON": str(made.python), "UV_PROJECT_ENVIRONMENT": str(made.folder)}
    if tool == "hatch":
        return {"HATCH_ENV_TYPE_VIRTUAL_PATH": str(made.folder)}
    return _active(made) if tool == "poetry" else {}


def _active(made: EnvironmentCopy) -> dict[str, str]:
    return {"VIRTUAL_ENV": str(made.folder)}


def check_tools(changes: Sequence[Change]) -> None:
    """Refuse what only a real environment could be tried with.

    Raises:
        NotTriable: the tool of a change works on no copy.
    """
    for change in changes:
        if isinstance(change, Managed) and change.tool not in _QUIET:
            raise NotTriable("installer", tool=change.tool)


def tool_program(tool: str, variables: Mapping[str, str]) -> str:
    """Where such a tool is.

    Raises:
        NotTriable: it is not on the user's PATH.
    """
    found = conda_program(tool, variables) if tool in _OF_CONDA else shutil.which(tool, path=variables.get("PATH"))
    found = found or (uv_program(variables) if tool == "uv" else "")
    if not found:
        raise NotTriable("no-tool", tool=tool)
    return found


def pipx_variables(made: EnvironmentCopy) -> dict[str, str]:
    """By these pipx works in this environment, and makes no links to the commands of a copy."""
    if made.is_users_own:
        return {"PIPX_HOME": str(made.folder.parent.parent)}
    home = made.beside / "pipx"
    (home / "venvs").mkdir(parents=True, exist_ok=True)
    link = home / "venvs" / made.folder.name
    if not link.is_symlink():
        link.symlink_to(made.folder)
    return {name: str(home / place) for name, place in _PLACES_OF_PIPX.items()}


def manage(
    change: Managed,
    made: EnvironmentCopy,
    variables: Mapping[str, str],
    folder: str,
    run: Callable[[tuple[str, ...], Mapping[str, str]], None],
) -> None:
    """Carry it out in the copy. ``folder``: where the program was started; ``run``: runs a command to its end.

    Raises:
        NotTriable: the project cannot be taken apart from its other files, or its tool is not there.
    """
    if made.is_overlay:
        raise NotTriable("too-large-for-tool", tool=change.tool)
    tool = tool_program(change.tool, variables)
    if change.tool in _OF_CONDA:
        words = (made.moved(word) for word in change.words)
        unlisted = {} if made.is_users_own else {"CONDA_REGISTER_ENVS": "false"}
        run((tool, *words, *_QUIET[change.tool]), {**variables, **unlisted})
    elif change.tool == "pipx":
        run((tool, *change.words), {**variables, **pipx_variables(made)})
    else:
        _in_project(change, tool, made, variables, folder, run)


def _in_project(
    change: Managed,
    tool: str,
    made: EnvironmentCopy,
    variables: Mapping[str, str],
    folder: str,
    run: Callable[[tuple[str, ...], Mapping[str, str]], None],
) -> None:
    project = project_of(change, folder)
    words = list(change.words)
    if not made.is_users_own:
        copy = made.folder.parent / "project"
        if not copy.exists():
            _copy_manifest(project, copy)
        words = [str(copy) if change.project and word == change.project else word for word in words]
        project = copy
    if not change.project:
        words = ["-C", str(project), *words]
    if change.verb != "source":
        words += [*_QUIET[change.tool], *(() if made.is_users_own else _WITHOUT_PROJECT.get(change.tool, ()))]
    synced = {name: value for name, value in variables.items() if name != "UV_NO_SYNC"}
    run((tool, *words), {**synced, **_here(change, made)})


def _here(change: Managed, made: EnvironmentCopy) -> dict[str, str]:
    return {name: value for name, value in project_variables(change.tool, made).items() if name != "UV_NO_SYNC"}


def project_of(change: Managed, folder: str) -> Path:
    """The folder of the manifest: that of the command, else the nearest one above the program's folder."""
    if change.project:
        return Path(change.project)
    start = Path(folder)
    found = next((place for place in (start, *start.parents) if (place / "pyproject.toml").is_file()), None)
    if found is None:
        raise NotTriable("project", detail="pyproject.toml")
    return found


def _copy_manifest(project: Path, copy: Path) -> None:
    try:
        manifest = tomli.loads((project / "pyproject.toml").read_text("utf-8"))
    except (OSError, UnicodeError, tomli.TOMLDecodeError) as error:
        raise NotTriable("project", detail=str(error)) from error
    if hindrance := _needs_more(manifest):
        raise NotTriable("project", detail=hindrance)
    copy.mkdir()
    for path in sorted(project.iterdir()):
        is_text = path.name.upper().startswith(_TEXTS)
        if (path.name in FILES or is_text) and path.is_file() and path.stat().st_size <= _LONGEST:
            shutil.copyfile(path, copy / path.name)


def _needs_more(manifest: Mapping[str, Any]) -> str:
    """What in a manifest may need other files of the project: its parts, a path, or code that tells its version."""
    tools = _table(manifest.get("tool"))
    if "workspace" in _table(tools.get("uv")):
        return "tool.uv.workspace"
    project = _table(manifest.get("project"))
    wishes = (
        project.get("dependencies"),
        project.get("optional-dependencies"),
        manifest.get("dependency-groups"),
        _table(manifest.get("build-system")).get("requires"),
        *(tools.get(name) for name in _QUIET),
    )
    if any(map(_names_a_file, wishes)):
        return "path"
    return "dynamic" if "build-system" in manifest and project.get("dynamic") else ""


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _names_a_file(value: Any) -> bool:
    """Whether a wish for a part of the project, or for a file beside it, stands anywhere in it."""
    if isinstance(value, dict):
        return not _PARTS.isdisjoint(value) or any(map(_names_a_file, value.values()))
    if isinstance(value, list):
        return any(map(_names_a_file, value))
    return isinstance(value, str) and _PLACE.search(value) is not None

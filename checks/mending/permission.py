"""Where nothing is carried out: as root, in the system's Python, in an environment that is not the user's own."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.interpreters.owner import owner_of
from checks.mending.tree import PLACES, STORE
from checks.proof.changes import NotTriable

# Kinds of interpreters (checks/interpreters/kind.py) whose folder is nobody's to change, or another program's.
_NOT_OURS = ("system", "store", "portable", "other")
# What makers of environments, and file managers, leave at the top of one.
_AT_TOP = frozenset(
    (".DS_Store", ".Python", ".gitignore", ".lock", ".project", "CACHEDIR.TAG", "local", "pip-selfcheck.json")
)
_OF_CONDA = frozenset((".condarc", ".nonadmin", "LICENSE.txt", "envs", "locks", "pkgs"))
_MOST_NAMED = 5


class NotMended(NotTriable):
    """It is not carried out. ``reason``: behind "reason-" in resources/words/mendings.toml, else in proofs.toml."""


def is_administrator() -> bool:
    """Whether what this process writes would be the system's."""
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0


def check_permission(target: InterpreterFacts | None) -> Path:
    """The folder of the environment, where a remedy may be carried out in it.

    Raises:
        NotMended: it may not.
    """
    if is_administrator():
        raise NotMended("root")
    if sys.platform == "win32":
        raise NotMended("windows")
    if target is None or target.prefix is None:
        raise NotMended("no-environment")
    if target.externally_managed or target.kind in _NOT_OURS:
        raise NotMended("system", path=target.path)
    prefix = Path(target.prefix)
    is_environment = (prefix / "pyvenv.cfg").is_file() or (prefix / "conda-meta").is_dir()
    if not is_environment and target.kind not in ("pyenv", "uv"):
        raise NotMended("system", path=target.path)
    if os.stat(prefix).st_uid != os.geteuid():
        raise NotMended("of-another", path=str(prefix), owner=owner_of(target) or "?")
    _check_folders(prefix)
    others = [name for name in sorted(os.listdir(prefix)) if not _is_of_environment(name)]
    others = sorted(set(others) - _of_conda(prefix)) if others else []
    if others:
        named = ", ".join(others[:_MOST_NAMED]) + (" ..." if len(others) > _MOST_NAMED else "")
        raise NotMended("with-others", path=str(prefix), names=named)
    return prefix


def _is_of_environment(name: str) -> bool:
    return name in _AT_TOP or os.fsencode(name) in (*PLACES, STORE) or name.startswith(f"{os.fsdecode(STORE)}-")


def _of_conda(prefix: Path) -> set[str]:
    """What conda says that it put at the top."""
    folder = prefix / "conda-meta"
    found = set(_OF_CONDA) if folder.is_dir() else set()
    for path in folder.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            found |= {name.split("/", 1)[0] for name in json.loads(path.read_text("utf-8"))["files"]}
    return found


def _check_folders(prefix: Path) -> None:
    """Refuse where a part of the environment lies elsewhere, is another user's, or is mounted there.

    Raises:
        NotMended: one does.
    """
    if sys.platform == "win32":
        return
    real = os.path.realpath(prefix)
    device = os.stat(real).st_dev
    for root, folders, files in os.walk(prefix):
        for name in (*folders, *files):
            path = os.path.join(root, name)
            state = os.lstat(path)
            if state.st_uid != os.geteuid():
                raise NotMended("of-another", path=path, owner=_name(state.st_uid))
            if stat.S_ISLNK(state.st_mode):
                led = os.path.realpath(path)
                if os.path.isdir(led) and not Path(led).is_relative_to(real):
                    raise NotMended("linked", path=path)
            elif state.st_dev != device:
                raise NotMended("linked", path=path)


def _name(user: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)

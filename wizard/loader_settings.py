"""The user's settings of the loader, and one of Python: put aside for us, handed on to the programs that are examined.

LD_LIBRARY_PATH and its kin may lead to libraries that our own Python or Qt cannot live with; that is what we are asked
about. A running process cannot take them back, so it starts again without them. packaging/run and the installed command
put them aside before Python starts. Standard library alone: this runs before anything else is imported.
"""

from __future__ import annotations

import importlib
import os
import shutil
import sys

NAMES = (
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "DYLD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "PYTHONEXECUTABLE",  # -I does not keep Python from reading it, and then it finds no package of its environment
)
ASIDE = "NAOSU_USERS_"  # before the name: checks/engine/processes/surroundings.py gives it back
KEPT = "NAOSU_KEEPS_LOADER_SETTINGS"  # we live only with them: nix and modules of a cluster bring the C++ runtime so
_NATIVE = ("msgspec", "re2", "numpy")


def put_aside() -> None:
    """Start again without them where they are set, and with them where we cannot live without them."""
    if sys.platform == "win32" or getattr(sys, "frozen", False) or KEPT in os.environ:
        return
    found = [name for name in NAMES if name in os.environ]
    if found:
        _start_again({ASIDE + name: os.environ[name] for name in found}, found)
    elif any(name.startswith(ASIDE) for name in os.environ) and not _lives():
        aside = [ASIDE + name for name in NAMES if ASIDE + name in os.environ]
        _start_again({KEPT: "1", **{name.removeprefix(ASIDE): os.environ[name] for name in aside}}, aside)


def _lives() -> bool:
    try:
        for name in _NATIVE:
            importlib.import_module(name)
    except ImportError:
        return False
    return True


def _start_again(added: dict[str, str], removed: list[str]) -> None:
    kept = {name: value for name, value in os.environ.items() if name not in removed}
    program = shutil.which(sys.orig_argv[0]) or sys.executable  # which PYTHONEXECUTABLE may have named
    os.execve(program, [program, *sys.orig_argv[1:]], {**kept, **added})  # noqa: S606 - ourselves

"""Whose an interpreter is: who owns a file that it runs decides what it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from checks.facts import InterpreterFacts
from checks.interpreters.disk import names_in


def owner_of(interpreter: InterpreterFacts) -> str:
    """The name of who owns it; empty where the system does not tell (Windows)."""
    return _name(_owner(interpreter)) if sys.platform != "win32" else ""


def is_of_another(interpreter: InterpreterFacts) -> bool:
    """Whether somebody owns a part of it who is neither this user nor the system."""
    return sys.platform != "win32" and _owner(interpreter) not in (None, 0, os.geteuid())


def is_surely_own(interpreter: InterpreterFacts) -> bool:
    """Whether each part of it that is there now belongs to this user or the system; what cannot be seen does not."""
    if sys.platform == "win32":
        return True
    owners = []
    for part in _parts(interpreter):
        try:
            owners += [look(part).st_uid for look in (os.lstat, os.stat)]
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError):
            return False
    return bool(owners) and {0, os.geteuid()}.issuperset(owners)


def _owner(interpreter: InterpreterFacts) -> int | None:
    """The first stranger among the owners of its parts, else the owner of the program; None: nothing is there."""
    if sys.platform == "win32":
        return None
    owners = [owner for part in _parts(interpreter) for owner in _owners(part)]
    return next((owner for owner in owners if owner not in (0, os.geteuid())), owners[0] if owners else None)


def _parts(interpreter: InterpreterFacts) -> Iterator[Path]:
    """The program, the folder of the environment, and what is imported before any line of a probe."""
    program, real = Path(interpreter.path), Path(interpreter.real_path or interpreter.path)
    yield from (program, real, program.parent, real.parent)
    for prefix in {Path(folder) for folder in (interpreter.prefix, interpreter.base_prefix) if folder}:
        yield from (prefix, prefix / "pyvenv.cfg")
        for lib in (prefix / "lib", prefix / "lib64"):
            for folder in (lib / name for name in names_in(lib) if name.startswith(("python", "pypy"))):
                yield from (lib, folder, folder / "site-packages")
                for name in ("sitecustomize.py", "usercustomize.py"):
                    yield from (folder / name, folder / "site-packages" / name)


def _owners(path: Path) -> Iterator[int]:
    """Who owns a name, and who what it leads to."""
    for look in (os.lstat, os.stat):
        try:
            yield look(path).st_uid
        except (OSError, ValueError):
            return


def _name(owner: int | None) -> str:
    if owner is None or sys.platform == "win32":
        return ""
    import pwd

    try:
        return pwd.getpwuid(owner).pw_name
    except KeyError:  # a number without a name, as out of an archive or a container
        return str(owner)

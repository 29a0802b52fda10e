"""What an interrupted installation or removal left in a folder of packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from checks.facts.installed import Leftover
from checks.interpreters.disk import exists, is_folder
from checks.interpreters.installed.record import CODE
from checks.knowledge.packages.import_packages import is_named, is_own_code

_MOST_LOOKED_AT = 2_000  # entries of one folder without owner
_MOST = 20


def leftovers(folder: Path, names: list[str], owned: set[str] | None) -> Iterator[Leftover]:
    """In one folder, which holds ``names``. ``owned``: the modules that distributions list; None: not all list them."""
    count = 0
    for name in names:
        found = _leftover(folder, name, owned)
        if found is not None:
            yield found
            count += 1
            if count >= _MOST:
                return


def _leftover(folder: Path, name: str, owned: set[str] | None) -> Leftover | None:
    path = folder / name
    if name.startswith("~"):
        return Leftover(path=str(path), kind="renamed", module=name.lstrip("~-").partition("-")[0])
    if name.endswith(".dist-info"):
        is_empty = not exists(path / "METADATA") and is_folder(path)
        return Leftover(path=str(path), kind="no-metadata", module=name.partition("-")[0]) if is_empty else None
    module = name.removesuffix(".py")
    if owned is None or module in owned or not module.isidentifier():
        return None
    if not is_named(module) or is_own_code(module) or not (name.endswith(".py") or is_folder(path)):
        return None
    kind = "unowned" if name.endswith(".py") or _has_code(path) else "shell"
    return Leftover(path=str(path), kind=kind, module=module)


def _has_code(folder: Path) -> bool:
    looked_at = 0
    for _, _, files in os.walk(folder):
        if any(CODE.search(name) for name in files):
            return True
        looked_at += len(files) + 1
        if looked_at > _MOST_LOOKED_AT:
            return True  # too much to know
    return False

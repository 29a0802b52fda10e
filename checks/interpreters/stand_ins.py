"""Files called python that are no interpreter but lead to one: shims of version managers, aliases of the system.

None of them is started: pyenv's shim would run a shell, the alias of Windows opens the Microsoft Store, and the one of
macOS offers to install the developer tools. Sources: https://github.com/pyenv/pyenv#understanding-shims,
https://github.com/pyenv-win/pyenv-win, https://learn.microsoft.com/windows/python/faqs, xcode-select(1).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.interpreters.disk import is_file, is_folder, names_in, text_of
from checks.interpreters.finding.places import Places
from checks.interpreters.layout import EXECUTABLE, STORE_FOLDER, executable_in

_APPLE_TOOLS = ("Applications/Xcode.app/Contents/Developer/usr/bin", "Library/Developer/CommandLineTools/usr/bin")


@dataclass(frozen=True)
class StandIn:
    """What a file called python leads to. ``target`` None: to nothing that is known without starting it.

    ``installer``: without a target it only offers to install Python.
    """

    kind: str  # as InterpreterFacts.kind: "pyenv", "store", "system"
    target: Path | None
    installer: bool = False


def stand_in(path: Path, places: Places) -> StandIn | None:
    """What kind of stand-in a file is; None for an ordinary file."""
    if path.parent.name == "shims" and is_folder(path.parent.parent / "versions"):
        return StandIn("pyenv", _pyenv_target(path, places))
    if is_store_folder(path.parent):
        return _store_alias(path)
    if places.system == "Darwin" and path.parent == places.root / "usr" / "bin":
        return _apple_alias(path, places)
    return None


def is_store_folder(folder: Path) -> bool:
    """The folder of Windows that holds the aliases of Store applications."""
    return folder.name.lower() == "windowsapps" and folder.parent.name.lower() == "microsoft"


def _pyenv_target(shim: Path, places: Places) -> Path | None:
    """The interpreter of the version that pyenv has selected: by the shell, the folder, or for all."""
    root = shim.parent.parent
    name = shim.name if EXECUTABLE.fullmatch(shim.name) else shim.stem + ".exe"  # pyenv-win's shims are .bat files
    for version in _pyenv_selection(root, places):
        # "3.11" selects the newest 3.11.x; a name with a separator would lead out of the folder.
        if version == "system" or os.sep in version or "/" in version:
            continue
        for folder in (root / "versions" / version, *_newest_first(root / "versions", version + ".")):
            for place in (folder / "bin" / name, folder / name):
                if is_file(place):
                    return place
            if is_folder(folder):
                break
    return None


def _newest_first(folder: Path, start: str) -> list[Path]:
    names = [name for name in names_in(folder) if name.startswith(start) and name[len(start) :].isdecimal()]
    return [folder / name for name in sorted(names, key=lambda name: int(name[len(start) :]), reverse=True)]


def _pyenv_selection(root: Path, places: Places) -> Iterator[str]:
    """The selected versions: PYENV_VERSION, else .python-version near the chosen folder, else the global file."""
    shell = places.variable("PYENV_VERSION")
    if shell:
        yield from shell.split(":")
        return
    folders = [up for folder in places.near for up in (folder, *folder.parents)]
    for path in (*(folder / ".python-version" for folder in folders), root / "version"):
        text = text_of(path)
        if text is not None:
            yield from text.split()
            return


def _store_alias(path: Path) -> StandIn:
    """An alias leads to the one Store Python of its version; with none it opens the Store."""
    named = EXECUTABLE.fullmatch(path.name)
    names = [name for name in names_in(path.parent) if name.startswith("PythonSoftwareFoundation.Python")]
    pythons = [(match[1], path.parent / name) for name in names if (match := STORE_FOLDER.match(name))]
    wanted = named[1] if named is not None and named[1] and "." in named[1] else None
    fitting = [folder for version, folder in pythons if wanted in (None, version)]
    target = executable_in(fitting[0]) if len(fitting) == 1 else None
    return StandIn("store", target, installer=not names)


def _apple_alias(path: Path, places: Places) -> StandIn:
    """/usr/bin/python3 runs the one of Xcode or of the command line tools, if either is installed."""
    targets = (places.root / folder / path.name for folder in _APPLE_TOOLS)
    found = next((target for target in targets if is_file(target)), None)
    return StandIn("system", found, installer=found is None)

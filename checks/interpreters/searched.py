"""Where the modules of a program come from, without starting it: what in the user's folders hides a module.

Follows CPython's Lib/site.py and importlib: the folder of the script (or the current one), PYTHONPATH, the standard
library, site folders. A folder without __init__.py hides no package that is found later.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from checks.facts import InterpreterFacts, Package
from checks.facts.search import HidingFile, SearchedFacts, SearchedFolder, SearchPlace, StrayScript
from checks.interpreters.disk import exists, is_file, is_folder, names_in, start_of, text_of
from checks.interpreters.finding.places import Places
from checks.interpreters.import_names import import_names, metadata_folders
from checks.interpreters.layout import Layout, layout_of
from checks.interpreters.packages import linked_folders, normalised
from checks.interpreters.search_path import SearchPath, search_path
from checks.knowledge.packages.import_packages import distributions_of
from checks.knowledge.packages.standard_modules import is_loaded_first

_MOST_NAMES = 3_000  # entries of one folder of the user's
_MOST_HIDING = 20
_MOST_SCRIPTS = 300
_MOST_WALKED = 5_000  # files of a package's source in which a compiled module is looked for

_PYTHON_FOLDER = re.compile(r"(?:^|[/\\])(?:[Pp]ython)(\d)\.?(\d+)(?=t?[/\\]|t?$)")
_NO_PROGRAM = ("setup.py", "conftest.py", "__init__.py")
_MODULE_FILE = re.compile(r"(?P<name>[^\W\d]\w*)(?:\.py|\.pyc|(?:\.(?:cpython-|cp|pypy)[\w-]+|\.abi3)?\.(?:so|pyd))")
_COMPILED = (".so", ".pyd")
_SHEBANG = re.compile(rb"^#!\s*\"?([^\"\r\n]*?python[\w.]*(?:\.exe)?)\"?(?:[ \t][^\r\n]*)?\r?$", re.MULTILINE)
_EXEC = re.compile(rb"^'''exec' \"?([^\"\r\n]*?/python[\w.]*)\"? ", re.MULTILINE)  # where the path is too long
_ACTIVATED = re.compile(r"^\s*(?:export )?VIRTUAL_ENV=(?:\"([^\"$]+)\"|'([^'$]+)'|([^\s\"'$]+))\s*$", re.MULTILINE)
_OWN_NAME = re.compile(r"^\s*name\s*=\s*[\"']?([A-Za-z0-9][\w.-]*)", re.MULTILINE)


def read_searched(
    interpreter: InterpreterFacts, folders: Mapping[Path, SearchPlace], places: Places | None = None
) -> SearchedFacts:
    """What is searched, and what in the user's ``folders`` hides a module of Python's or of an installed package."""
    places = places or Places.of_this_machine()
    layout = layout_of(Path(interpreter.path))
    path = search_path(layout, places)
    searched = [*_searched(folders, path, layout)]
    hiding: list[HidingFile] = []
    modules = _Modules(layout, path, interpreter.packages or ())
    for folder, place in folders.items():
        hiding += modules.hidden_by(folder, place)
    read, stray = _scripts(layout)
    return SearchedFacts(
        folders=tuple(searched),
        hiding=tuple(hiding[:_MOST_HIDING]),
        stray_scripts=tuple(stray[:_MOST_HIDING]),
        scripts=read,
        made_as=_made_as(layout),
        origin=str(layout.prefix),
    )


def _searched(folders: Mapping[Path, SearchPlace], path: SearchPath, layout: Layout) -> Iterator[SearchedFolder]:
    for folder, place in folders.items():
        yield SearchedFolder(path=str(folder), place=place.value)
    for folder in path.plain:
        named = _PYTHON_FOLDER.search(str(folder))
        minor = f"{named[1]}.{named[2]}" if named else ""
        yield SearchedFolder(path=str(folder), place=SearchPlace.PYTHONPATH.value, python=minor)
    for folder in path.sites:
        is_own = folder.is_relative_to(layout.prefix) or folder.is_relative_to(layout.origin.prefix)
        yield SearchedFolder(path=str(folder), place=(SearchPlace.SITE if is_own else SearchPlace.USER_SITE).value)
        for linked in linked_folders(folder):
            yield SearchedFolder(path=str(linked), place=SearchPlace.PTH.value)


class _Modules:
    """The modules that a folder of the user's may hide."""

    def __init__(self, layout: Layout, path: SearchPath, packages: Iterable[Package]) -> None:
        self._standard = layout.library.folder if layout.library is not None else None
        self._dynload = set(_modules_in(self._standard / "lib-dynload")) if self._standard else set()
        self._sites = [*path.plain, *path.sites]
        self._linked = {os.path.realpath(added) for site in path.sites for added in linked_folders(site)}
        self._owners = _owners(packages)

    def hidden_by(self, folder: Path, place: SearchPlace) -> Iterator[HidingFile]:
        """What lies in this folder and is imported instead of something else."""
        real = os.path.realpath(folder)
        if real in self._linked or real in {os.path.realpath(site) for site in self._sites}:
            return
        names = names_in(folder)[:_MOST_NAMES]
        for name in names:
            module = _module_of(folder, name)
            if module is None:
                continue
            path = folder / name
            standard = self._in_standard(module)
            if standard is not None and not is_loaded_first(module):
                yield HidingFile(
                    module=module,
                    path=str(path),
                    place=place.value,
                    hidden=str(standard),
                    is_beside_program=_has_program(names, module),
                )
                continue
            owner = self._owners.get(module)
            installed = self._installed(module) if owner is not None else None
            if owner is None or installed is None or os.path.realpath(installed) == os.path.realpath(path):
                continue
            is_source = owner.name in _own_names(folder) or _is_repository_of(folder, owner.name)
            is_unbuilt = is_folder(path) and _has_compiled(installed) and not _has_compiled(path)
            if is_source and not is_unbuilt:  # the user works on that package, and means his own
                continue
            yield HidingFile(
                module=module,
                path=str(path),
                place=place.value,
                hidden=str(installed),
                package=f"{owner.name} {owner.version}",
                is_beside_program=_has_program(names, module),
                is_unbuilt=is_unbuilt and is_source,
            )

    def _in_standard(self, module: str) -> Path | None:
        if self._standard is None:
            return None
        if module in self._dynload:
            return self._standard / "lib-dynload"
        found = (self._standard / f"{module}.py", self._standard / module / "__init__.py")
        return next((path for path in found if is_file(path)), None)

    def _installed(self, module: str) -> Path | None:
        for site in self._sites:
            for path in (site / module, site / f"{module}.py"):
                if exists(path):
                    return path
            found = next((name for name in names_in(site) if name.partition(".")[0] == module and _file(name)), None)
            if found is not None:
                return site / found
        return None


def _owners(packages: Iterable[Package]) -> dict[str, Package]:
    """Module -> the installed distribution that is known by it. What merely came along ("tests") is nobody's."""
    found: dict[str, Package] = {}
    by_name = {package.name: package for package in packages}
    folders = {
        location: metadata_folders(location) for location in {p.location for p in by_name.values() if p.location}
    }
    for package in by_name.values():
        names = import_names(package, folders.get(package.location or "", {}))
        for module in names:
            is_known = package.name in distributions_of(module) or normalised(module) == package.name
            if is_known:
                found.setdefault(module, package)
    return found


def _file(name: str) -> str | None:
    found = _MODULE_FILE.fullmatch(name)
    return found["name"] if found else None


def _module_of(folder: Path, name: str) -> str | None:
    """The module that a name in a folder is imported as, and that comes before every later one."""
    if name.isidentifier() and is_file(folder / name / "__init__.py"):
        return name
    return _file(name)


def _modules_in(folder: Path) -> Iterator[str]:
    return (name.partition(".")[0] for name in names_in(folder))


def _has_program(names: Iterable[str], module: str) -> bool:
    """Whether there is a program or a notebook among these names, other than the module and what builds a package."""
    others = (name for name in names if name.endswith((".py", ".ipynb")) and name not in _NO_PROGRAM)
    return any(name.partition(".")[0] != module for name in others)


def _own_names(folder: Path) -> set[str]:
    """The distributions whose source lies in this folder, as its project files name them."""
    names = set()
    for name in ("pyproject.toml", "setup.cfg", "setup.py"):
        text = text_of(folder / name) or ""
        names |= {normalised(found) for found in _OWN_NAME.findall(text)}
    return names


def _is_repository_of(folder: Path, package: str) -> bool:
    return normalised(folder.name) == package and exists(folder / ".git")


def _has_compiled(path: Path) -> bool:
    """Whether there is a compiled module in a package; bounded."""
    looked_at = 0
    for _, _, files in os.walk(path):
        if any(name.endswith(_COMPILED) for name in files):
            return True
        looked_at += len(files) + 1
        if looked_at > _MOST_WALKED:
            return False
    return False


# --- moved environments ----------------------------------------------------------------------------------------------


def _scripts(layout: Layout) -> tuple[int, list[StrayScript]]:
    """How many commands of a virtual environment were read, and those that name another Python than its own."""
    if layout.config is None:
        return 0, []
    folder = layout.executable.parent
    own = {os.path.realpath(folder), os.path.realpath(layout.prefix)}
    read, stray = 0, []
    for name in names_in(folder)[:_MOST_SCRIPTS]:
        interpreter = _interpreter_of(folder / name)
        if interpreter is None or not Path(interpreter).is_absolute():
            continue
        read += 1
        if os.path.realpath(os.path.dirname(interpreter)) not in own:  # noqa: PTH120 - of another system's path
            stray.append(StrayScript(path=str(folder / name), interpreter=interpreter, is_gone=not exists(interpreter)))
    return read, stray


def _interpreter_of(path: Path) -> str | None:
    """The Python in the first line of a script, or at the end of a launcher of Windows."""
    if not is_file(path):
        return None
    is_launcher = path.suffix.lower() == ".exe"
    data = start_of(path, 512 * 1024 if is_launcher else 2048) or b""
    if is_launcher:
        found = _SHEBANG.match(data[data.rfind(b"#!") :]) if b"#!" in data else None
    elif data.startswith(b"#!/bin/sh"):
        found = _EXEC.search(data)
    else:
        found = _SHEBANG.match(data)
    return found[1].decode("utf-8", "replace") if found else None


def _made_as(layout: Layout) -> str | None:
    """The folder for which a virtual environment was made."""
    if layout.config is None:
        return None
    found = _ACTIVATED.search(text_of(layout.executable.parent / "activate") or "")
    return next(filter(None, found.groups()), None) if found else None

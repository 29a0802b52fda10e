"""Every Python of this machine that a user may mean, read without starting one."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from checks.facts import InterpreterFacts
from checks.interpreters.disk import is_folder, names_in, text_of
from checks.interpreters.finding.jupyter import kernel_interpreters
from checks.interpreters.finding.near import interpreters_near
from checks.interpreters.finding.places import Places
from checks.interpreters.finding.projects import interpreters_named_in, last_chosen, project_interpreters
from checks.interpreters.finding.windows_registry import registered_pythons
from checks.interpreters.layout import EXECUTABLE, executable_in
from checks.interpreters.read import read_interpreter
from checks.interpreters.stand_ins import stand_in
from checks.interpreters.target import NAMING, is_named

MOST_INTERPRETERS = 300  # beyond that nobody chooses from a list
_MOST_NEAR = 100  # more of them would leave no room for those that the user has named
_LIST_LIMIT = 1024 * 1024  # bytes of conda's environments.txt


def find_interpreters(places: Places) -> tuple[InterpreterFacts, ...]:
    """All interpreters, each environment once, in this order: near the chosen folders, active, on PATH, the others.

    Two names of one environment are one interpreter, known by the first name and by all its finders; a virtual
    environment and its base are two, although they may be one file. Broken environments are among them, with their
    ``problem``; stand-ins (shims, aliases of an installer) are followed or left out, never started.
    """
    found: dict[tuple[str, ...], InterpreterFacts] = {}
    read: dict[str, tuple[str, ...]] = {}  # a path that was read -> its key in found
    for finder, path in _candidates(places):
        # WSL shows the Windows side, whose interpreters know nothing of this system.
        if path.suffix.lower() == ".exe" and places.system != "Windows":
            continue
        name = str(path)
        if "\0" in name:  # from a file that somebody wrote; no file of this system has such a name
            continue
        key = read.get(name)
        if key is None:
            if len(found) >= MOST_INTERPRETERS:
                break
            facts = read_interpreter(path, (finder,), places)
            key = read[name] = _identity(facts)
            if not _is_worth_showing(facts):
                key = read[name] = ()
            if key and key not in found:
                found[key] = facts
                continue
        if key and finder not in found[key].found_by:
            known = found[key]
            if finder in NAMING and not is_named(known):  # started by the user's own name for it, not by a link near it
                known = read_interpreter(path, known.found_by, places)
            found[key] = msgspec.structs.replace(known, found_by=(*known.found_by, finder))
    return tuple(found.values())


def _is_worth_showing(facts: InterpreterFacts) -> bool:
    return facts.version is not None or facts.problem == "base-missing"


def _identity(facts: InterpreterFacts) -> tuple[str, ...]:
    """What makes two names the same interpreter: the environment and the version that runs in it."""
    prefix = os.path.normcase(os.path.realpath(facts.prefix or facts.path))
    version = ".".join((facts.version or "").split(".")[:2])
    return prefix, version, facts.implementation or "", str(facts.free_threaded)


def _candidates(places: Places) -> Iterator[tuple[str, Path]]:
    """(found by, executable) from all sources; the same one may come several times."""
    for folder in places.near:
        near = itertools.islice(interpreters_near(folder, places.home), _MOST_NEAR)
        yield from (("folder", path) for path in near)
    yield from (("traceback", path) for path in interpreters_named_in(places.texts))
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        for folder in places.folders_of(variable)[:1]:
            yield variable, executable_in(folder) or folder
    yield from (("PATH", path) for path in _on_path(places))
    for finder, path in places.usual_places():
        executable = executable_in(path) if is_folder(path) else path
        if executable is not None and EXECUTABLE.fullmatch(executable.name):
            yield finder, executable
    yield from (("conda", path) for path in _conda_list(places))
    yield from (("jupyter", path) for path in kernel_interpreters(places.jupyter_folders()))
    yield from (("registry", path) for path in registered_pythons(places.registry()))
    if places.settings is not None:
        yield from (("last", path) for path in last_chosen(places.settings))
    if places.has_projects:
        yield from (("project", path) for path in project_interpreters(places.home))
    if places.own is not None:
        yield "naosu", places.own


def _on_path(places: Places) -> Iterator[Path]:
    """Interpreters in the folders of PATH; of a version manager's shims only the one that it would start."""
    for folder in places.path_entries:
        for name in sorted(filter(_is_python_name, names_in(folder)), key=_plain_first):
            led = stand_in(folder / name, places)
            if led is None:
                yield folder / name
            elif led.target is not None:
                yield led.target


def _is_python_name(name: str) -> bool:
    return EXECUTABLE.fullmatch(name) is not None or name.lower() in ("python.bat", "python3.bat")


def _plain_first(name: str) -> tuple[int, str]:
    """What "python" starts comes before "python3.8"."""
    return len(name.partition(".exe")[0]), name


def _conda_list(places: Places) -> Iterator[Path]:
    for line in (text_of(places.home / ".conda" / "environments.txt", _LIST_LIMIT) or "").splitlines():
        executable = executable_in(Path(line.strip())) if line.strip() else None
        if executable is not None:
            yield executable

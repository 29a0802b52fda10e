"""The folders in which the user's program would look first, and what in them hides something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from checks.analysis.failures.of_runs import failures
from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts, ProgramRuns
from checks.facts.search import OwnModule, SearchedFacts, SearchPlace
from checks.interpreters.disk import absolute, is_file, is_folder, names_in
from checks.interpreters.searched import read_searched

_MOST_FOLDERS = 10
_SCRIPT = (".py", ".pyw", ".ipynb")


def searched_of(target: InterpreterFacts | None, facts: Facts, request: Request) -> SearchedFacts | None:
    """What is found before the installed packages; None where there is no usable interpreter."""
    if target is None or target.problem is not None:
        return None
    folders = dict(list(_folders(target, facts, request).items())[:_MOST_FOLDERS])
    of_programs = {absolute(run.file).parent: SearchPlace.SCRIPT for run in facts.runs if run.read_at and run.file}
    own = tuple(_own_modules(facts, {**folders, **of_programs}))
    return msgspec.structs.replace(read_searched(target, folders), own_modules=own)


def _folders(target: InterpreterFacts, facts: Facts, request: Request) -> dict[Path, SearchPlace]:
    """The user's folders, the surest first."""
    found: dict[Path, SearchPlace] = {}
    for run in facts.runs:
        folder = Path(run.folder) if run.folder else None
        words = [*run.command, *(word for python in run.pythons for word in python.arguments[:1])]
        for word in words:
            script = Path(word) if Path(word).is_absolute() or folder is None else folder / word
            if script.suffix.lower() in _SCRIPT and is_file(script):
                found.setdefault(absolute(script).parent, SearchPlace.SCRIPT)
        if folder is not None and is_folder(folder):
            found.setdefault(absolute(folder), SearchPlace.CURRENT)
    for sent in request.scripts:
        if sent.origin and is_file(sent.origin):
            found.setdefault(absolute(sent.origin).parent, SearchPlace.SCRIPT)
    project = absolute(request.target) if request.target else None
    prefixes = (target.prefix, target.base_prefix)
    if project is not None and is_folder(project) and str(project) not in prefixes and not _is_venv(project):
        found.setdefault(project, SearchPlace.PROJECT)
    if request.near is not None and is_folder(request.near):
        found.setdefault(absolute(request.near), SearchPlace.CURRENT)
    return found


def _own_modules(facts: Facts, folders: dict[Path, SearchPlace]) -> Iterator[OwnModule]:
    """Modules that a run did not find and that lie beside the program, above it, or in a folder "src" there."""
    ended = [failure.raised[-1] for failure in failures(ProgramRuns(runs=facts.runs)) if failure.raised]
    missing = {raised.name.partition(".")[0] for raised in ended if raised.name}
    for module in sorted(filter(str.isidentifier, missing)):
        for folder, place in folders.items():
            near = (folder, folder / "src", folder.parent, folder.parent / "src")
            holding = next((one for one in near if is_file(one / f"{module}.py") or _is_package(one / module)), None)
            if holding is not None and holding != Path.home():
                is_beside = holding == folder and place is SearchPlace.SCRIPT
                yield OwnModule(module=module, folder=str(holding), is_beside_program=is_beside)
                break


def _is_package(folder: Path) -> bool:
    return is_folder(folder) and any(name.endswith(".py") for name in names_in(folder))


def _is_venv(folder: Path) -> bool:
    return is_file(folder / "pyvenv.cfg")

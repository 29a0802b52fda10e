"""The folders in which the user's program would look first, and what in them hides something else."""

from __future__ import annotations

from pathlib import Path

from checks.engine.request import Request
from checks.facts import Facts, InterpreterFacts
from checks.facts.search import Place, SearchedFacts
from checks.interpreters.disk import absolute, is_file, is_folder
from checks.interpreters.searched import read_searched

_MOST_FOLDERS = 10
_SCRIPT = (".py", ".pyw", ".ipynb")


def searched_of(target: InterpreterFacts | None, facts: Facts, request: Request) -> SearchedFacts | None:
    """What is found before the installed packages; None where there is no usable interpreter."""
    if target is None or target.problem is not None:
        return None
    return read_searched(target, dict(list(_folders(target, facts, request).items())[:_MOST_FOLDERS]))


def _folders(target: InterpreterFacts, facts: Facts, request: Request) -> dict[Path, Place]:
    """The user's folders, the surest first."""
    found: dict[Path, Place] = {}
    for run in facts.runs:
        folder = Path(run.folder) if run.folder else None
        words = [*run.command, *(word for python in run.pythons for word in python.arguments[:1])]
        for word in words:
            script = Path(word) if Path(word).is_absolute() or folder is None else folder / word
            if script.suffix.lower() in _SCRIPT and is_file(script):
                found.setdefault(absolute(script).parent, Place.SCRIPT)
        if folder is not None and is_folder(folder):
            found.setdefault(absolute(folder), Place.CURRENT)
    for sent in request.scripts:
        if sent.origin and is_file(sent.origin):
            found.setdefault(absolute(sent.origin).parent, Place.SCRIPT)
    project = absolute(request.target) if request.target else None
    prefixes = (target.prefix, target.base_prefix)
    if project is not None and is_folder(project) and str(project) not in prefixes and not _is_venv(project):
        found.setdefault(project, Place.PROJECT)
    if request.near is not None and is_folder(request.near):
        found.setdefault(absolute(request.near), Place.CURRENT)
    return found


def _is_venv(folder: Path) -> bool:
    return is_file(folder / "pyvenv.cfg")

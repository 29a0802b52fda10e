"""Which Python a command starts: the one that the user named; what was only found is offered, and needs a yes."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import UsageError
from wizard.cli.questions import can_ask, is_agreed
from wizard.words import words

if TYPE_CHECKING:
    from checks.engine.watch.command import Command
    from checks.facts import InterpreterFacts
    from checks.interpreters import Choice

_WHY = ("traceback", "folder", "last", "project")  # finders, the most telling first


def check_target(chosen: argparse.Namespace) -> None:
    """Reject an interpreter that is not there. A command's name is looked for as a shell does: on PATH alone."""
    from checks.engine.processes.own_folder import can_be_made

    if not can_be_made():
        known = (os.environ.get("TMPDIR"), "/tmp", str(Path("~").expanduser()))  # noqa: S108 - as tempfile looks
        full = ", ".join(dict.fromkeys(filter(None, known)))
        raise UsageError(words("commands.no-temporary-folder", chosen.lang, places=full))
    if chosen.target is not None:
        chosen.target = located(chosen.target, chosen.lang)


def located(named: str, language: str) -> str:
    """The path of an interpreter that the user named.

    Raises:
        UsageError: it is not there.
    """
    from checks.interpreters import Places
    from checks.interpreters.layout import EXECUTABLE

    path = named
    if EXECUTABLE.fullmatch(path):
        folders = Places.of_this_machine().path_entries
        candidates = (folder / name for folder in folders for name in (path, f"{path}.exe"))
        path = next((str(place) for place in candidates if place.is_file()), "")
    if not path or not os.path.lexists(path):
        raise UsageError(words("commands.no-such-target", language, path=named))
    return path


def choose_target(
    chosen: argparse.Namespace,
    near: Path | None = None,
    files: tuple[str, ...] = (),
    texts: tuple[str, ...] = (),
) -> tuple[InterpreterFacts, ...] | None:
    """Set ``chosen.target`` where the user named none; returns the interpreters that were found for it.

    ``near``: the folder whose environments are the likely ones; None: the one that we are in. ``files``: given ones,
    beside which his environment may lie; ``texts``: error texts, whose paths may name it.

    Raises:
        UsageError: one was found that he may mean, and nobody can be asked.
    """
    if chosen.target is not None:
        return None
    from checks.interpreters import Places, choice_among, find_interpreters, is_active, may_start

    found = find_interpreters(Places.of_this_machine(near or Path.cwd(), *files, texts=texts))
    choice = choice_among(found)
    if choice.of_another is not None:
        note = _about(choice.of_another, "of-another-active" if is_active(choice.of_another) else "not-started", chosen)
        if is_active(choice.of_another):
            raise UsageError(note)
        print(note, file=sys.stderr)
    target = choice.offered if choice.offered is not None and _is_wanted(choice, chosen) else choice.named
    if target is not None and not may_start(target):  # since it was found, or while somebody answered
        raise UsageError(_about(target, "not-started", chosen))
    chosen.target = target.path if target is not None else None
    return found


def with_its_python(command: Command, chosen: argparse.Namespace) -> Command:
    """The command of a script, run by the Python that is chosen for it, which is set as ``chosen.target``.

    Raises:
        UsageError: one was found that may be meant, and nobody can be asked.
        CommandError: none was found, or it has nothing to run a notebook with.
    """
    from checks.engine.watch.command import CommandError, with_python
    from checks.interpreters import is_own, read_interpreter

    assert command.script is not None  # noqa: S101 - asked only then
    found = choose_target(chosen, command.script.parent) or ()
    ours = any(is_own(interpreter) and interpreter.path == chosen.target for interpreter in found)
    if chosen.target is None or ours:
        raise CommandError("no-python", path=str(command.script))
    return with_python(command, read_interpreter(chosen.target))


def _is_wanted(choice: Choice, chosen: argparse.Namespace) -> bool:
    assert choice.offered is not None  # noqa: S101 - asked only then
    if chosen.yes:
        return True
    if not can_ask():
        raise UsageError(_about(choice.offered, "needs-yes", chosen))
    other = choice.named.path if choice.named else words("commands.only-the-machine", chosen.lang)
    return is_agreed(_about(choice.offered, "offered", chosen, other=other))


def _about(interpreter: InterpreterFacts, key: str, chosen: argparse.Namespace, **more: str) -> str:
    from checks.interpreters import owner_of

    owner = owner_of(interpreter) or words("commands.owner-unknown", chosen.lang)
    path = interpreter.path
    finder = next((finder for finder in _WHY if finder in interpreter.found_by), "")
    why = words(f"commands.why-{finder or 'found'}", chosen.lang)
    return words(f"commands.{key}", chosen.lang, path=path, quoted=shlex.quote(path), owner=owner, why=why, **more)

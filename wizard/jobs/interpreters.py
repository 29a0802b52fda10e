"""Look for interpreters, as a job of the window: those of this machine, and one that the user chose."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checks.facts import InterpreterFacts

_FOUND_NEAR = frozenset(("folder", "traceback", "project"))  # somebody else may have put it there


def interpreters_here(
    near: Path | None, chosen: Iterable[Path] = (), text: str = ""
) -> tuple[tuple[InterpreterFacts, ...], str | None]:
    """The interpreters of this machine, the one to choose, and first those that the user pointed to at another start.

    One that lies beside the script is chosen by the user alone: a stranger may have sent both.
    """
    from checks.interpreters import Places, choice_among, find_interpreters, is_own, likely_first

    found = likely_first(find_interpreters(Places.of_this_machine(near, texts=(text,))))
    choice = choice_among(found)
    likely = choice.offered or choice.named
    if likely is not None and (is_own(likely) or not _FOUND_NEAR.isdisjoint(likely.found_by)):
        likely = None
    known = {interpreter.path for interpreter in found}
    usable = (again for again in map(interpreter_at, chosen) if again is not None and not again.problem)
    by_path = {interpreter.path: interpreter for interpreter in usable if interpreter.path not in known}
    by_hand = tuple(by_path.values())
    return by_hand + found, likely.path if likely else None


def interpreter_at(path: Path) -> InterpreterFacts | None:
    """The interpreter that a file is, or the likely one in a folder."""
    import msgspec

    from checks.interpreters import Places, find_interpreters, is_of_another, likely_target, read_interpreter

    if not path.is_dir():
        return read_interpreter(path, found_by=("chosen",))
    near = [
        interpreter
        for interpreter in find_interpreters(Places.of_this_machine(path))
        if "folder" in interpreter.found_by
    ]
    best = likely_target(near)
    if best is not None and is_of_another(best):  # the folder was chosen, not what somebody put there
        return msgspec.structs.replace(best, problem="of-another")
    return msgspec.structs.replace(best, found_by=("chosen", *best.found_by)) if best else None

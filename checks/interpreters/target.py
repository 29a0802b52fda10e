"""Which interpreter the user most likely means, and which of them he named."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from checks.facts import InterpreterFacts
from checks.facts.versions import release
from checks.interpreters.owner import is_of_another, is_surely_own
from checks.interpreters.read import read_interpreter
from checks.knowledge.packages.ai_packages import framework_of_package

_ACTIVE = frozenset(("VIRTUAL_ENV", "CONDA_PREFIX"))
NAMING = _ACTIVE | {"PATH", "naosu", "chosen"}  # finders that name an interpreter


def likely_target(interpreters: Iterable[InterpreterFacts]) -> InterpreterFacts | None:
    """The likely target among usable interpreters, or None.

    In this order: any but Naosu's own, which is there because Naosu was started; in an active environment; named in the
    error text; near the folder that the user chose (with frameworks before without); chosen in Naosu before; on PATH
    with AI frameworks; the one with the most of them; on PATH; the newest version; as found.
    """
    usable = [interpreter for interpreter in interpreters if interpreter.problem is None]
    return max(usable, key=_rank, default=None)


@dataclass(frozen=True)
class Choice:
    """What may be started where the user names no interpreter.

    ``named`` may: it is active, on PATH, chosen by hand, or Naosu's own. ``offered`` is likelier, but was only found:
    started after a yes. ``of_another`` would be the likely one, and is never started unless it is named.
    """

    named: InterpreterFacts | None = None
    offered: InterpreterFacts | None = None
    of_another: InterpreterFacts | None = None


def choice_among(interpreters: Iterable[InterpreterFacts]) -> Choice:
    """Which of the interpreters that were found may be started."""
    found = tuple(interpreters)
    own = [interpreter for interpreter in found if "naosu" in interpreter.found_by or not is_of_another(interpreter)]
    likely, best = likely_target(found), likely_target(own)
    return Choice(
        named=likely_target(filter(is_named, own)),
        offered=None if best is None or is_named(best) else best,
        of_another=None if likely is best else likely,
    )


def is_named(interpreter: InterpreterFacts) -> bool:
    """Whether a user who types "python" or has activated an environment starts it himself, or it is Naosu's own."""
    return not NAMING.isdisjoint(interpreter.found_by)


def may_start(interpreter: InterpreterFacts) -> bool:
    """Whether it may be started at this moment: the user named the file itself, or nobody else owns a part of it.

    It was found a while ago: since then somebody may have put another one in its place.
    """
    if not {"chosen", "naosu"}.isdisjoint(interpreter.found_by):
        return True
    return is_surely_own(interpreter) and is_surely_own(read_interpreter(interpreter.path))


def is_active(interpreter: InterpreterFacts) -> bool:
    """Whether it is the user's active environment."""
    return "naosu" not in interpreter.found_by and not _ACTIVE.isdisjoint(interpreter.found_by)


def likely_first(interpreters: Iterable[InterpreterFacts]) -> tuple[InterpreterFacts, ...]:
    """All of them in the order in which a user looks for his: the likely target, those with frameworks, the rest."""
    found = tuple(interpreters)
    likely = likely_target(found)
    return tuple(sorted(found, key=lambda one: (one is not likely, not frameworks_of(one))))


def is_own(interpreter: InterpreterFacts) -> bool:
    """Whether it is Naosu's own Python, which nobody pointed to."""
    return "naosu" in interpreter.found_by and "chosen" not in interpreter.found_by


def frameworks_of(interpreter: InterpreterFacts) -> dict[str, str]:
    """The AI frameworks installed in an interpreter with their versions: {"torch": "2.13.0+cpu"}.

    Of several distributions of one framework the first on the search path counts, for it is imported.
    """
    table = framework_of_package()
    found: dict[str, str] = {}
    for package in interpreter.packages or ():
        if package.name in table:
            found.setdefault(table[package.name], package.version)
    return found


def _rank(interpreter: InterpreterFacts) -> tuple[object, ...]:
    own = "naosu" in interpreter.found_by
    frameworks = len(frameworks_of(interpreter))
    near = "folder" in interpreter.found_by and not own
    return (
        not own,
        is_active(interpreter),
        "traceback" in interpreter.found_by and not own,
        near,
        frameworks if near else 0,
        "last" in interpreter.found_by and not own,
        not own and frameworks > 0 and is_named(interpreter),
        frameworks,
        "PATH" in interpreter.found_by,
        release(interpreter.version or ""),
    )

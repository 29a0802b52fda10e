"""Which interpreter the user most likely means."""

from __future__ import annotations

from collections.abc import Iterable

from checks.facts import InterpreterFacts
from checks.facts.versions import release
from checks.knowledge.packages.ai_packages import framework_of_package


def likely_target(interpreters: Iterable[InterpreterFacts]) -> InterpreterFacts | None:
    """The likely target among usable interpreters, or None.

    In this order: near the folder that the user chose (with frameworks before without); in an active environment;
    the one with the most AI frameworks; Naosu's own, which has one; on PATH; the newest version; as found.
    Naosu's own counts neither as near nor as active: it is there because Naosu was started.
    """
    usable = [interpreter for interpreter in interpreters if interpreter.problem is None]
    return max(usable, key=_rank, default=None)


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
    active = not own and ("VIRTUAL_ENV" in interpreter.found_by or "CONDA_PREFIX" in interpreter.found_by)
    return (
        near,
        frameworks if near else 0,
        active,
        0 if own else frameworks,
        own and frameworks > 0,
        "PATH" in interpreter.found_by,
        release(interpreter.version or ""),
    )

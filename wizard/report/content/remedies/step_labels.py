"""Small words that several prints share: the number and label of a step, what to do with it, what source is a link."""

from __future__ import annotations

from collections.abc import Sequence

from checks.remedies.plan import PYTHON_MANAGERS, PlannedStep
from wizard.words import words


def step_label(step: PlannedStep, language: str) -> str:
    """The label of a step that applies only somewhere: "Linux (apt)"; "" for one that applies on this machine."""
    platforms = " / ".join(words(f"report.platform-{platform}", language) for platform in step.platforms)
    managers = " / ".join(step.managers)
    return f"{platforms} ({managers})" if platforms and managers else platforms or managers


def step_numbers(steps: Sequence[PlannedStep]) -> tuple[str, ...]:
    """What to show before each step: "1." and so on, or "" for all where none follows another.

    Steps for different systems or package managers are alternatives, so each is counted among those done with it.
    """
    counted: list[int] = []
    for step in steps:
        before = (
            number for number, earlier in zip(counted, steps, strict=False) if not _are_alternatives(earlier, step)
        )
        counted.append(1 + max(before, default=0))
    return tuple(f"{number}." if max(counted) > 1 else "" for number in counted)


def _are_alternatives(one: PlannedStep, other: PlannedStep) -> bool:
    """Whether nobody does both: they are for other systems, or for other managers of one kind."""
    if one.platforms and other.platforms and not set(one.platforms) & set(other.platforms):
        return True
    first, second = set(one.managers), set(other.managers)
    is_one_kind = first.isdisjoint(PYTHON_MANAGERS) == second.isdisjoint(PYTHON_MANAGERS)
    return bool(first and second) and is_one_kind and not first & second


def step_text(step: PlannedStep, language: str) -> str:
    """What to do with the code of a step. A command needs no word; a setting or a piece of program does."""
    return step.text or (words(f"window.report-step-{step.kind}", language) if step.kind in ("setting", "code") else "")


def is_address(source: str) -> bool:
    """Whether a source is the address of a page; else it names a document in words."""
    return source.startswith(("https://", "http://"))

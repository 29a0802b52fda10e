"""Small words that several prints share: the label of a step, what to do with it, whether a source can be a link."""

from __future__ import annotations

from checks.remedy import PlannedStep
from wizard.words import words


def step_label(step: PlannedStep, language: str) -> str:
    """The label of a step that applies only somewhere: "Linux (apt)"; "" for one that applies on this machine."""
    platforms = " / ".join(words(f"report.platform-{each}", language) for each in step.platforms)
    managers = " / ".join(step.managers)
    return f"{platforms} ({managers})" if platforms and managers else platforms or managers


def step_text(step: PlannedStep, language: str) -> str:
    """What to do with the code of a step. A command needs no word; a setting or a piece of program does."""
    return step.text or (words(f"window.report-step-{step.kind}", language) if step.kind in ("setting", "code") else "")


def is_address(source: str) -> bool:
    """Whether a source is the address of a page; else it names a document in words."""
    return source.startswith(("https://", "http://"))

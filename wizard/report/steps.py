"""What stands before a step whose platform or package manager is not known."""

from __future__ import annotations

from checks.remedy import PlannedStep
from wizard.words import words


def step_label(step: PlannedStep, language: str) -> str:
    """The label of a step that applies only somewhere: "Linux (apt)"; "" for one that applies on this machine."""
    platforms = " / ".join(words(f"report.platform-{each}", language) for each in step.platforms)
    managers = " / ".join(step.managers)
    return f"{platforms} ({managers})" if platforms and managers else platforms or managers

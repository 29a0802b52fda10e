"""What a report is called, by what was asked."""

from __future__ import annotations

from checks.facts.case import Case
from checks.facts.question import COMPARISON, MODELS, SERVED

_TITLES = {MODELS.value: "title-models", COMPARISON.value: "title-comparison", SERVED.value: "title-served"}


def title_key(case: Case) -> str:
    """The key of its title in resources/words/report.toml."""
    if case.facts.reported:
        return "title-ticket"
    if case.facts.served_pair is not None:
        return "title-served-comparison"
    return _TITLES.get(case.answers.symptom, "title")

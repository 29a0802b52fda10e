"""Why a model was not tried in a program, or not to the end, in words."""

from __future__ import annotations

from checks.facts import ExportRun, ModelRun
from checks.facts.model_verdicts import ModelVerdict
from wizard.report.content.fact_sheet import size
from wizard.words import known


def reason_of(told: ModelRun | ExportRun | ModelVerdict, language: str) -> str:
    """The sentence; "" where nothing was in the way."""
    if not told.reason:
        return ""
    text = known(f"models.reason-{told.reason}", told.reason, language)
    return text.replace("{limit}", "?" if told.memory_limit is None else size(told.memory_limit, language))

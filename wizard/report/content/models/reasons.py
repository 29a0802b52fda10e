"""Why a model was not tried in a program, or not to the end, in words."""

from __future__ import annotations

from checks.facts import ExportRun, ModelRun
from checks.facts.models.verdicts import ModelVerdict
from wizard.report.content.fact_sheet import size
from wizard.words import known


def reason_of(run: ModelRun | ExportRun | ModelVerdict, language: str) -> str:
    """The sentence; "" where nothing was in the way."""
    if not run.reason:
        return ""
    text = known(f"models.reason-{run.reason}", run.reason, language)
    return text.replace("{limit}", "?" if run.memory_limit is None else size(run.memory_limit, language))

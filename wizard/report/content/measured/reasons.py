"""Why something within a model was not measured, in words."""

from __future__ import annotations

from checks.analysis.models.runs import telling_line
from checks.facts import Measured
from wizard.words import known, words


def why_words(measured: Measured, language: str) -> str:
    """The reason with its detail, or the line of the error that says the most."""
    text = measured.reason
    for area in ("models", "measurements", "graphs"):  # the last that knows it
        text = known(f"{area}.reason-{measured.reason}", text, language)
    detail = measured.detail or telling_line(measured)
    if "{detail}" in text:
        return text.replace("{detail}", detail)
    return words("report.with-detail", language, text=text, detail=detail) if detail else text

"""What the list of cases shows of one: its cause or its verdict, in every language."""

from __future__ import annotations

from checks.facts.case import Case
from checks.history.cases import Verdicts
from checks.languages import LANGUAGES
from wizard.report.content.report import Report, build

_LIKELY = 0.5  # below, nothing is called the cause


def verdicts_of(case: Case) -> Verdicts:
    """The sentences of a case's heading."""
    reports = [build(case, language) for language in LANGUAGES]
    return Verdicts({report.language: _sentence(report) for report in reports}, reports[0].verdict.state)


def _sentence(report: Report) -> str:
    """The likely cause in a few words; else the whole verdict."""
    if report.verdict.state in ("blocking", "warning"):
        first = next(iter(report.findings), None)
        if first is not None and first.confidence >= _LIKELY and not first.is_mended:
            return first.title
    return report.verdict.sentence

"""What the list of cases shows of one: its cause or its verdict, in every language."""

from __future__ import annotations

from checks.facts.case import Case
from checks.history.cases import Verdicts
from checks.languages import LANGUAGES
from wizard.report.content.report import Report, build

_LINE = 90  # characters of a ticket that stand for it
_LIKELY = 0.5  # below, nothing is called the cause


def verdicts_of(case: Case) -> Verdicts:
    """The sentences of a case's heading."""
    reports = [build(case, language) for language in LANGUAGES]
    sent = _first_line(case) if case.facts.reported else ""
    return Verdicts({report.language: _sentence(report, sent) for report in reports}, reports[0].verdict.state)


def _sentence(report: Report, sent: str) -> str:
    """The likely cause in a few words; else, of a ticket, how it begins; else the whole verdict."""
    if report.verdict.state in ("blocking", "warning"):
        first = next(iter(report.findings), None)
        if first is not None and first.confidence >= _LIKELY and not first.is_mended:
            return first.title
    return sent or report.verdict.sentence


def _first_line(case: Case) -> str:
    """By this tickets are told apart of which nobody knows the cause yet."""
    texts = (sent.text for sent in case.facts.logs if sent.text)
    lines = (" ".join(line.split()) for text in texts for line in text.splitlines())
    line = next(filter(None, lines), "")
    return line if len(line) <= _LINE else f"{line[:_LINE].rstrip()} …"

"""The report as text for a terminal: the verdict, and what to do. Everything else is in the other prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from wizard.report.model import FindingView, Report
from wizard.report.steps import step_label, step_text
from wizard.words import words

_FIRST = 3  # remedies and steps are shown in full for so many findings


def to_terminal(report: Report) -> str:
    """The summary. Control characters that came from outside are made visible: a terminal would obey them."""
    return "\n".join(visible(line) for line in _lines(report))


def visible(line: str) -> str:
    """The line without characters that a terminal obeys (escape sequences, bidirectional overrides)."""
    return "".join("\ufffd" if unicodedata.category(each) in {"Cc", "Cf", "Cs"} else each for each in line)


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.verdict.symbol} {report.verdict.sentence}"
    yield from (f"  {line}" for line in report.verdict.scope)
    yield from (f"  {note}" for note in report.notes)
    for number, finding in enumerate(report.shown):
        yield ""
        yield f"{finding.symbol} {finding.severity_word}: {finding.title}"
        if number < _FIRST:
            yield from (f"  {line}" if line else "" for line in _finding(finding, report.language))
    for row in report.probes:
        if row.is_trouble or row.is_slow:
            yield f"! {row.name}: {row.status} {row.seconds} {row.detail}".rstrip()


def _finding(finding: FindingView, language: str) -> Iterator[str]:
    yield finding.why
    yield f"{words('report.confidence-label', language)}: {finding.confidence_words}"
    for remedy in finding.remedies[:1]:
        yield f"{words('report.heading-remedy', language)}: {remedy.title}"
        for step in remedy.steps:
            yield from (f"  {line}" for line in (step_label(step, language), step_text(step, language)) if line)
            yield from (f"    {line}" for line in step.code.splitlines())
        yield words("report.verify", language, expect=remedy.verify.expect)
        yield from (f"    {line}" for line in remedy.verify.code.splitlines())
    others = len(finding.remedies) - 1
    if others > 0:
        yield words("report.more-remedies", language, count=others)

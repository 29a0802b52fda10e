"""The report on a terminal: the verdict, each finding with its remedy, and the counts. No colours, no control codes."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from checks.remedy import RemedyPlan
from wizard.report.model import FindingView, Report
from wizard.words import words

WIDTH = 100


def to_terminal(report: Report) -> str:
    """The report as plain lines of at most 100 columns (Japanese text may be wider; terminals wrap it)."""
    return printable("\n".join(_lines(report)))


def printable(text: str) -> str:
    """Text from outside without control codes: an escape sequence in a path must not reach the terminal."""
    return "".join(each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}" for each in text)


def _lines(report: Report) -> Iterator[str]:
    verdict = report.verdict
    yield from _wrap(f"{verdict.symbol} {verdict.word}: {verdict.sentence}")
    yield from _wrap(verdict.scope)
    for note in report.notes:
        yield from _wrap(note)
    for number, finding in enumerate(report.findings, start=1):
        yield ""
        yield from _finding(number, finding, report.language)
    if report.undecided:
        yield ""
        yield words("report.undecided", report.language) + ":"
        for question in report.undecided:
            yield from _wrap(f"? {question.statement} - {question.reason}", "  ")


def _finding(number: int, finding: FindingView, language: str) -> Iterator[str]:
    yield from _wrap(f"{number}. {finding.symbol} {finding.severity_word}: {finding.title}")
    yield from _wrap(finding.why, "   ")
    if finding.severity == "note":
        return
    for remedy in finding.remedies:
        yield from _remedy(remedy, language)


def _remedy(remedy: RemedyPlan, language: str) -> Iterator[str]:
    yield from _wrap(f"-> {remedy.title}", "   ")
    for step in remedy.steps:
        if step.text:
            yield from _wrap(step.text, "      ")
        yield from (f"      $ {line}" for line in step.code.splitlines())
    check = words("report.verify", language)
    yield from _wrap(f"{check}: {remedy.verify.expect}", "      ")
    yield from (f"      $ {line}" for line in remedy.verify.code.splitlines())


def _wrap(text: str, indent: str = "") -> Iterator[str]:
    for line in text.splitlines():
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", break_on_hyphens=False
        ) or [""]

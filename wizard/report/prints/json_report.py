"""The report as JSON: a contract for other programs, and a case that Naosu reads back (checks/sharing/case.py).

On top of the case as plain data, every finding carries its texts and its remedies in one language. A kind of facts
that was not collected is ``null``; a list that is empty was looked for, or nothing was given.
"""

from __future__ import annotations

from typing import Any

import msgspec

from checks.facts.case import Case
from checks.facts.finding import Finding
from checks.sharing.case import to_builtins
from checks.visible import visible_json
from wizard.report.content.report import FindingView, build


def to_json(case: Case, language: str) -> bytes:
    """The case with its findings in words, as indented UTF-8."""
    report = build(case, language)
    plain = to_builtins(case)
    plain["language"] = language
    plain["verdict"] = {
        "state": report.verdict.state,
        "sentence": report.verdict.sentence,
        "scope": list(report.verdict.scope),
    }
    plain["findings"] = [
        {"evidence": [], **finding, **_in_words(view)}
        for finding, view in zip(plain["findings"], report.findings, strict=True)
    ]
    return visible_json(msgspec.json.format(msgspec.json.encode(plain), indent=2)) + b"\n"


def finding_in_words(finding: Finding, view: FindingView) -> dict[str, Any]:
    """One finding as plain data with its texts."""
    return {"evidence": [], **msgspec.to_builtins(finding), **_in_words(view)}


def _in_words(view: FindingView) -> dict[str, Any]:
    return {
        "title": view.title,
        "why": view.why,
        "explanation": view.explanation,
        "remedies": msgspec.to_builtins(view.remedies),
        "questions": list(view.questions),
        "sources": list(view.sources),
    }

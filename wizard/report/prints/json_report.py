"""The report as JSON: a contract for other programs, and a case that Naosu reads back (checks/sharing/case.py).

On top of the case as plain data, every finding carries its texts and its remedies in one language. A kind of facts
that was not collected is ``null``; a list that is empty was looked for, or nothing was given. A ticket has the one
``question`` that is best asked next, or ``null``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from checks.facts.case import Case
from checks.facts.finding import Finding
from checks.sharing.case import to_builtins
from checks.visible import visible_json
from wizard.report.content.asking import QuestionView
from wizard.report.content.history import changes_in_words
from wizard.report.content.report import FindingView, build

WORDED = 1_000  # findings with all their words, six megabytes of them; of the others the first of each cause has them


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
    if case.facts.reported:
        plain["question"] = question_in_words(report.asking)
    if case.facts.history is not None:
        plain["changes"] = changes_in_words(case, language)
    first = {view.cause: place for place, view in reversed(tuple(enumerate(report.findings)))}
    plain["findings"] = [
        {"evidence": [], **finding, **_in_words(view, is_short=place >= WORDED and first[view.cause] != place)}
        for place, (finding, view) in enumerate(zip(plain["findings"], report.findings, strict=True))
    ]
    return visible_json(msgspec.json.format(msgspec.json.encode(plain), indent=2)) + b"\n"


def question_in_words(asking: Sequence[QuestionView]) -> dict[str, Any] | None:
    """The one question that is best asked next as plain data; None where no answer changes the remedy."""
    if not asking:
        return None
    best = asking[0]
    return {
        "id": best.id,
        "text": best.text,
        "choices": [{"id": name, "text": text} for name, text in best.choices],
        "gain": best.gain,
        "why": best.why,
    }


def finding_in_words(finding: Finding, view: FindingView) -> dict[str, Any]:
    """One finding as plain data with its texts."""
    return {"evidence": [], **msgspec.to_builtins(finding), **_in_words(view)}


def _in_words(view: FindingView, *, is_short: bool = False) -> dict[str, Any]:
    """``is_short``: without what the first finding of its cause says as well; a JSON of 64 MB is not opened again."""
    return {
        "title": view.title,
        "why": view.why,
        "explanation": "" if is_short else view.explanation,
        "remedies": [] if is_short else msgspec.to_builtins(view.remedies),
        "questions": [] if is_short else list(view.questions),
        "sources": [] if is_short else list(view.sources),
    }

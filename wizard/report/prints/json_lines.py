"""Many tickets, one JSON object per line, and one line of answer each: findings, question as of one case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.judgement.ranking import is_found
from checks.readers.text import kept
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.redact import redact as redacted
from checks.visible import visible_json
from wizard.report.content.asking import questions_worth_asking
from wizard.report.content.report import finding_view
from wizard.report.prints.json_report import finding_in_words, question_in_words
from wizard.words import words


@dataclass(frozen=True)
class Answer:
    """What one line gets. ``line``: the answer with its line break.

    ``is_ticket``: whether the line was one at all. ``is_found``: whether something blocking, or a warning, was found.
    """

    line: bytes
    is_ticket: bool
    is_found: bool = False


def answer_of(line: bytes, number: int, language: str, *, hide: Sequence[str] | None = ()) -> Answer:
    """The answer to one line, with private values hidden or as they are.

    ``number`` counts the lines from 1, to name the one that is wrong.
    """
    name, text = _ticket(line)
    if text is None:
        wrong = words("commands.not-a-ticket-line", language, number=number)
        return Answer(_line({"id": name, "findings": [], "error": wrong}), is_ticket=False)
    case = judged(read_ticket(pasted(kept(text))), Answers(symptom=TICKET))
    if hide is not None:
        case = redacted(msgspec.structs.replace(case, outcomes=()), words=hide).case  # which are not in the answer
    question = question_in_words(questions_worth_asking(case, language))
    findings = [finding_in_words(finding, finding_view(finding, case.facts, language, {})) for finding in case.findings]
    found = is_found(case.findings, reported=True)
    return Answer(_line({"id": name, "findings": findings, "question": question}), is_ticket=True, is_found=found)


def _ticket(line: bytes) -> tuple[msgspec.Raw, str | None]:
    """The ``id``, to be given back as it came (null where there is none), and the ``text``; None for no ticket.

    Python's own decoder takes what Python's encoder writes: also NaN, and halves of surrogate pairs.
    """
    nameless = msgspec.Raw(b"null")
    try:
        plain = json.loads(line)
        if not isinstance(plain, dict):
            return nameless, None
        name = msgspec.Raw(json.dumps(plain.get("id")).encode())
    except (ValueError, RecursionError):
        return nameless, None
    text = plain.get("text")
    return name, text.encode("utf-8", "replace").decode() if isinstance(text, str) else None


def _line(answer: dict[str, Any]) -> bytes:
    return visible_json(msgspec.json.encode(answer)) + b"\n"

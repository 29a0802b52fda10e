"""Many tickets, one JSON object per line, and one line of answer each: the same findings as in the JSON of one case."""

from __future__ import annotations

from typing import Any

import msgspec

from checks.case import Answers, judged
from checks.readers.text import kept
from checks.readers.ticket.read import TICKET, pasted, read_ticket
from wizard.report.json_report import finding_in_words
from wizard.report.model import finding_view
from wizard.words import words


class _Ticket(msgspec.Struct, frozen=True):
    """A line. ``id`` is given back as it came."""

    text: str
    id: Any = None


_DECODER = msgspec.json.Decoder(_Ticket)


def answer_of(line: bytes, number: int, language: str) -> tuple[bytes, bool]:
    """The answer to one line, with its line break, and whether the line was a ticket at all.

    ``number`` counts the lines from 1, to name the one that is wrong.
    """
    try:
        ticket = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        wrong = words("commands.not-a-ticket-line", language, number=number)
        return msgspec.json.encode({"id": None, "findings": [], "error": wrong}) + b"\n", False
    case = judged(read_ticket(pasted(kept(ticket.text))), Answers(symptom=TICKET))
    findings = [finding_in_words(each, finding_view(each, case.facts, language)) for each in case.findings]
    return msgspec.json.encode({"id": ticket.id, "findings": findings}) + b"\n", True

"""A ticket's text as facts: what it states about machine, interpreter and frameworks, and the text itself."""

from __future__ import annotations

import msgspec

from checks.facts import AskedQuestion, Facts, SentFile, Symptom
from checks.readers.tickets.assemble import Beginning
from checks.readers.tickets.lines import PASTED, Line, lines_of
from checks.readers.tickets.reported import reported_in

TICKET = "ticket"  # the symptom of a case that is about what somebody sent
ANSWER = "answer"  # the kind of a text that was pasted because it was asked for


def read_ticket(*sent: SentFile, asked: tuple[AskedQuestion, ...] = ()) -> Facts:
    """The facts that the texts of one ticket state together, and the texts themselves.

    ``asked``: the questions that were asked about it. What was pasted as an answer comes first among ``sent`` where it
    is to count before what the ticket said by itself.
    """
    texts: list[Beginning] = []
    lines: list[Line] = []
    answered = 0
    for file in sent:
        first = lines[-1].number + 1 if lines else 1
        texts.append((first, file.name or PASTED))
        lines += lines_of(file.text or "", first)
        if file.kind == ANSWER and lines:
            answered = lines[-1].number
    found = reported_in(lines, texts if len(texts) > 1 else (), answered)
    symptom = Symptom(origin=TICKET, name=TICKET)
    return msgspec.structs.replace(found.facts, reported=True, logs=sent, asked=asked, symptom=symptom)


def pasted(text: str) -> SentFile:
    """A text that came without a file."""
    return SentFile(name="", kind="log", origin=PASTED, text=text, examined=True)

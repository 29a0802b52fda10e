"""A ticket's text as facts: what it states about machine, interpreter and frameworks, and the text itself."""

from __future__ import annotations

import msgspec

from checks.facts import Facts, SentFile, Symptom
from checks.readers.tickets.assemble import Beginning
from checks.readers.tickets.lines import PASTED, Line, lines_of
from checks.readers.tickets.reported import reported_in

TICKET = "ticket"  # the symptom of a case that is about what somebody sent


def read_ticket(*sent: SentFile) -> Facts:
    """The facts that the texts of one ticket state together, and the texts themselves."""
    texts: list[Beginning] = []
    lines: list[Line] = []
    for file in sent:
        first = lines[-1].number + 1 if lines else 1
        texts.append((first, file.name or PASTED))
        lines += lines_of(file.text or "", first)
    found = reported_in(lines, texts if len(texts) > 1 else ())
    return msgspec.structs.replace(found.facts, reported=True, logs=sent, symptom=Symptom(origin=TICKET, name=TICKET))


def pasted(text: str) -> SentFile:
    """A text that came without a file."""
    return SentFile(name="", kind="log", origin=PASTED, text=text, examined=True)

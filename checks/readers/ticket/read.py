"""A ticket's text as facts: what it tells of machine, interpreter and frameworks, and the text itself."""

from __future__ import annotations

import msgspec

from checks.facts import Facts, SentFile, Symptom
from checks.readers.ticket.lines import PASTED, lines_of
from checks.readers.ticket.told import told

TICKET = "ticket"  # the symptom of a case that is about what somebody sent


def read_ticket(*sent: SentFile) -> Facts:
    """The facts that the texts of one ticket tell, and the texts themselves."""
    text = "\n".join(each.text or "" for each in sent)
    return msgspec.structs.replace(
        told(lines_of(text)).facts, told=True, logs=sent, symptom=Symptom(origin=TICKET, name=TICKET)
    )


def pasted(text: str) -> SentFile:
    """A text that came without a file."""
    return SentFile(name="", kind="log", origin=PASTED, text=text, examined=True)

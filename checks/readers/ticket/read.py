"""A ticket's text as facts: what it tells of machine, interpreter and frameworks, and the text itself."""

from __future__ import annotations

import msgspec

from checks.facts import Facts, SentFile, Symptom
from checks.readers.ticket.lines import lines_of
from checks.readers.ticket.told import told


TICKET = "ticket"  # the symptom of a case that is about what somebody sent


def read_ticket(text: str, name: str = "", size: int | None = None) -> Facts:
    """The facts that a pasted text tells. ``name``: of the file that it came from; ``size`` in bytes."""
    sent = SentFile(name=name, kind="log", origin=name or "pasted", size=size, text=text, examined=True)
    return msgspec.structs.replace(
        told(lines_of(text)).facts, told=True, logs=(sent,), symptom=Symptom(origin=TICKET, name=TICKET)
    )

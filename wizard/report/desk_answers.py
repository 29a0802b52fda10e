"""Answers to many tickets: one for a group, which quotes nothing that only one of them says; drafts for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from checks.desk.judging import OpenCase, case_of
from checks.desk.tickets import Ticket
from checks.desk.views import Group
from checks.facts import Facts, Symptom
from checks.facts.case import Answers, Case, now
from checks.facts.finding import CLUE, Evidence, Finding, Severity
from checks.knowledge.catalogue import UNKNOWN, cause_of
from checks.languages import LANGUAGES
from checks.readers.tickets.language import ENGLISH
from checks.readers.tickets.read import TICKET, pasted
from checks.sharing.case import CaseError
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.reply import to_reply


def answer_language(written: str) -> str:
    """The language of an answer: that of the ticket where Naosu speaks it, else English."""
    return written if written in LANGUAGES else ENGLISH


def group_answer(group: Group, lines: Sequence[str], language: str) -> str:
    """One answer for all tickets of a group, as Markdown. ``lines``: those that every one of them has, word by word."""
    finding = Finding(
        cause=group.cause or UNKNOWN,
        severity=Severity(cause_of(group.cause or UNKNOWN).severity),
        confidence=group.confidence,
        evidence=tuple(Evidence(CLUE, line, "", "", (number,)) for number, line in enumerate(lines, start=1)),
    )
    facts = Facts(reported=True, logs=(pasted("\n".join(lines)),), symptom=Symptom(origin=TICKET, name=TICKET))
    case = Case(created=now(), answers=Answers(symptom=TICKET), facts=facts, outcomes=(), findings=(finding,))
    return to_reply(build(case, language), is_told=True)


def draft(ticket: Ticket, language: str, open_case: OpenCase, hide: Sequence[str] | None = ()) -> str:
    """The answer to one ticket, as Markdown; "" for a case that cannot be opened."""
    try:
        case = case_of(ticket, open_case)
    except CaseError:
        return ""
    return render(case, "reply", language, hide=hide).decode()

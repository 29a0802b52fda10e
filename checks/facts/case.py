"""A case: what was asked, the facts, and what they were judged to mean. Files of cases: checks/sharing/case.py."""

import datetime as dt

import msgspec

from checks import __version__
from checks.facts.finding import Finding, Outcome
from checks.facts.models.verdicts import ModelVerdict
from checks.facts.question import Effort, SymptomName
from checks.facts.whole import Facts


class Answers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the user answered. ``symptom``, ``exactness`` and ``effort`` as in checks/facts/question.py."""

    symptom: str = SymptomName.EVERYTHING.value
    exactness: str = ""
    effort: str = Effort.STANDARD.value


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One examination, whole. ``newer``: it was written in a newer format than this version knows.

    ``shortened``: it was opened from a file that held more than is read of one; what was too much was left out.
    """

    created: str  # ISO 8601, UTC
    answers: Answers
    facts: Facts
    outcomes: tuple[Outcome, ...]
    findings: tuple[Finding, ...]
    verdicts: tuple[ModelVerdict, ...] = ()  # what each runtime makes of each model file
    naosu: str = __version__
    complete: bool = True  # False: the examination was cancelled
    newer: bool = False
    shortened: bool = False


def now() -> str:
    """The present moment as it stands in a case: ISO 8601, UTC, whole seconds."""
    return dt.datetime.now(dt.UTC).replace(microsecond=0).isoformat()

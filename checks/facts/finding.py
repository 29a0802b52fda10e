"""What a check says: findings, and the five ways in which a check ends."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from checks.facts import OsFacts
from checks.facts.phrase import Value

NOT_COLLECTED = "not-collected"


class Severity(StrEnum):
    """How bad a finding is. Never part of a cause's id."""

    BLOCKING = "blocking"
    WARNING = "warning"
    NOTE = "note"


class Status(StrEnum):
    """The five ways in which a check ends."""

    FOUND = "found"
    CLEAR = "clear"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"
    CRASHED = "crashed"


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """One value that proves a finding.

    ``name`` is also the placeholder in the cause's texts and has a label in resources/words/fields.toml.
    ``origin`` is where the value was read; for a row of a knowledge table the table's name, with its ``source``.
    ``lines``: the numbers of the lines of a pasted text that show it, counted from 1.
    """

    name: str
    value: str
    origin: str = ""
    source: str = ""
    lines: tuple[int, ...] = ()


# The value of a finding that names the program of the user, or its statement, that was seen to fail because of it.
FAILED_RUN = "failed_run"
MEASURED_MODEL = "measured_model"  # the value of a finding that says by its path which model, run again, it is about
CLUE = "clue"  # the name of the evidence that is a line, with its numbers where it stands in a text that was sent
FRAMEWORK = "framework"  # the value of a finding that says which one computed what it is about: whose steps are shown
MISSPELT = "written"  # ... what the program imports, where it is no such name, and another one is meant
LOCAL_PROGRAM = "local_program"  # ... which AI program that brings its own runtime it is about ("Ollama")


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A cause that was seen. Data only: the words are in resources/causes under the same id, which the check fills in.

    ``confidence`` is the share of such findings that are right, 0 to 1. ``values`` fills placeholders of texts and
    remedies that are no evidence: text, or phrases. ``remedies`` are ids of resources/remedies, the best first; empty:
    as the cause's file orders them. ``subject`` tells two findings of one cause apart (a GPU, a package). ``apart``: of
    a ticket the confidence of a second cause, seen without the lines that show the first
    (checks/judgement/tickets/second_cause.py). ``is_mended``: it is what was wrong, until a remedy was carried out here
    behind which what had failed was seen to work; it is a note then.
    """

    cause: str = ""
    severity: Severity
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    remedies: tuple[str, ...] = ()
    values: Mapping[str, Value] = {}
    subject: str = ""
    apart: float = 0.0
    is_mended: bool = False

    @property
    def likelihood(self) -> float:
        """How sure it is by itself, be it the first trouble or a second one."""
        return max(self.confidence, self.apart)

    def placeholders(self) -> dict[str, Value]:
        """Every value that a text of this finding may name; in words: checks/knowledge/phrases.py."""
        return {shown.name: shown.value for shown in self.evidence} | dict(self.values)

    def named(self, name: str) -> str:
        """A value that is an id, a path or a name; "" where there is none."""
        value = self.values.get(name, "")
        return value if isinstance(value, str) else ""


class Inconclusive(Exception):  # noqa: N818 - an open question is no error
    """The facts are there, but do not decide. ``reason`` is an id of resources/words/reasons.toml."""

    def __init__(self, reason: str, **values: str) -> None:
        super().__init__(f"{reason} {values}" if values else reason)
        self.reason = reason
        self.values = values


class Unread(Inconclusive):
    """A field that decides could not be read; named by its evidence name (fields.toml)."""

    def __init__(self, field: str, why: str = "") -> None:
        super().__init__("unread", field=field, why=why)


class NotInTable(Inconclusive):
    """A value that no row of a knowledge table covers."""

    def __init__(self, table: str, value: str) -> None:
        super().__init__("not-in-table", table=table, value=value)


class NotHere(Exception):  # noqa: N818 - nothing to check is no error
    """The cause cannot occur here, so there is nothing to check, and nothing was found to be fine.

    ``fact``: what it takes, and what this machine or interpreter has not got (fields.toml). ``reason``: an id of
    reasons.toml.
    """

    def __init__(self, fact: str, reason: str = "not-on-this-system") -> None:
        super().__init__(f"{reason} {fact}")
        self.fact = fact
        self.reason = reason


class NotCollected(NotHere):
    """Of facts that may be missing one by one all are; why the named one is, ``Facts.missing`` tells."""

    def __init__(self, fact: str) -> None:
        super().__init__(fact, NOT_COLLECTED)


def only_on(system: str, os: OsFacts) -> None:
    """Let only the machines pass that have this system ("Windows"), which is the only one on which a cause occurs.

    Raises:
        NotHere: it is another system.
        Unread: nobody knows which it is.
    """
    if not os.system:
        raise Unread("os", os.unread.get("system", ""))
    if os.system != system:
        raise NotHere(system.lower())


class Outcome(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one check ended. ``reason`` and ``values`` (an id of reasons.toml) for inconclusive and skipped."""

    cause: str
    status: Status
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    values: dict[str, Any] = {}
    detail: str = ""  # the exception of a crashed check, for us
    seconds: float | None = None

"""A ticket judged: what the desk remembers of it. Not its text; whatever is quoted of it is redacted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from checks import __version__
from checks.desk.likeness import Likeness, likeness_of, shape_of_line
from checks.desk.tickets import Ticket
from checks.facts import Facts
from checks.facts.case import Answers, Case
from checks.facts.finding import CLUE, Finding
from checks.facts.question import SymptomName
from checks.judgement.headline import headline
from checks.judgement.judge import judged
from checks.judgement.verdict import decide, decide_ticket
from checks.knowledge.catalogue import UNKNOWN
from checks.readers.mails.dates import moment_of
from checks.readers.mails.numbering import number_of
from checks.readers.tickets.language import language_of
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.case import CaseError
from checks.sharing.redact import redacted_texts

_MOST_LINES = 3
_EVEN = 0.5  # below, nothing is decided (checks/judgement/verdict.py)
OpenCase = Callable[[bytes], Case]


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One ticket, judged.

    ``state`` as in checks/judgement/verdict.py; "unread" where a case could not be opened, with the reason as
    ``problem``. ``lines``: of the error, redacted; ``alike``: the same number for the same cause shown by the same
    lines, 0 where neither is known. ``driver``: of NVIDIA, as the text states it. ``naosu``: the version that judged.
    """

    key: str
    digest: int
    source: str
    number: str = ""
    title: str = ""
    url: str = ""
    created: str = ""
    thread: int = 0
    language: str = ""
    product: str = ""
    driver: str = ""
    cause: str = UNKNOWN
    state: str = "incomplete"
    confidence: float = 0.0
    lines: tuple[str, ...] = ()
    alike: int = 0
    problem: str = ""
    likeness: Likeness = Likeness()
    naosu: str = __version__

    @property
    def is_decided(self) -> bool:
        """Whether a cause is named, rather likely than not."""
        return self.cause != UNKNOWN and self.confidence >= _EVEN


def case_of(ticket: Ticket, open_case: OpenCase) -> Case:
    """The case of a ticket.

    Raises:
        CaseError: it came as a case that cannot be opened.
    """
    if ticket.case:
        return open_case(ticket.case)
    return judged(read_ticket(pasted(ticket.whole)), Answers(symptom=TICKET))


def judge(ticket: Ticket, open_case: OpenCase, hide: Sequence[str] | None = ()) -> Judged:
    """Judge one. ``hide``: the user's own words to hide besides what is private, None to hide nothing."""
    blank = Judged(
        key=ticket.mark,
        digest=ticket.digest,
        source="",
        created=ticket.created,
        thread=ticket.thread or number_of(ticket.key.encode("utf-8", "replace")),
    )
    named = (ticket.source, ticket.number, ticket.product)
    try:
        case = case_of(ticket, open_case)
    except CaseError as error:
        source, number, _ = _named(ticket, _shown(named, "", hide))
        return msgspec.structs.replace(blank, source=source, number=number, state="unread", problem=error.reason)
    text = ticket.whole or "\n".join(log.text or "" for log in case.facts.logs)
    best = next(iter(case.findings), None)
    clues = [shown.value for shown in best.evidence if shown.name == CLUE][:_MOST_LINES] if best else []
    state = _state(case)
    title, url, *shown = _shown((ticket.title, ticket.url, *named, *clues), text, hide)
    source, number, product = _named(ticket, shown[: len(named)])
    lines = shown[len(named) :]
    cause = best.cause if best else UNKNOWN if state != "clear" else ""
    return msgspec.structs.replace(
        blank,
        source=source,
        number=number,
        title=title,
        url=url,
        created=moment_of(case.created) if ticket.case else ticket.created,
        language=language_of(text),
        product=product or _product(case.facts),
        driver=_driver(case.facts),
        cause=cause,
        state=state,
        confidence=best.confidence if best and best.cause != UNKNOWN else 0.0,
        lines=tuple(lines),
        alike=_alike(best, clues),
        likeness=likeness_of(text),
    )


def _named(ticket: Ticket, shown: Sequence[str]) -> tuple[str, str, str]:
    """Source, number and product as they are kept; a number stays whose column the user named."""
    source, number, product = shown
    return source, ticket.number if ticket.is_number_chosen else number, product


def _state(case: Case) -> str:
    if case.facts.reported:
        return decide_ticket(case).state if case.findings else "incomplete"
    if case.findings:
        return case.findings[0].severity.value
    symptom = SymptomName.EVERYTHING.value
    return decide(case, headline(case.facts, (), symptom, case.answers.exactness), symptom).state


def _shown(texts: tuple[str, ...], around: str, hide: Sequence[str] | None) -> tuple[str, ...]:
    return texts if hide is None else redacted_texts(texts, (around,), words=hide)


def _alike(best: Finding | None, clues: Sequence[str]) -> int:
    """The same for tickets that one answer fits: the same cause, and the same line or kind of fact that shows it.

    What words alone tell of is no group: they are told in a hundred ways, of as many troubles.
    """
    if best is None or best.cause == UNKNOWN or not best.evidence:
        return 0
    shown = [shape_of_line(clues[0])] if clues else sorted({evidence.name for evidence in best.evidence})
    return number_of("\n".join((best.cause, *shown)).encode("utf-8", "replace"))


def _product(facts: Facts) -> str:
    """The AI program that is asked about, else the framework."""
    program = next((program.name for program in facts.local_programs or ()), "")
    frameworks = facts.frameworks.each() if facts.frameworks is not None else iter(())
    return program or next((name for name, _ in frameworks), "")


def _driver(facts: Facts) -> str:
    nvidia = facts.machine.nvidia if facts.machine is not None else None
    return (nvidia.driver_version or "") if nvidia is not None else ""

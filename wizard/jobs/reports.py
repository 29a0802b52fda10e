"""Read, compare and write reports, as jobs of the window."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wizard.flow import Answers

if TYPE_CHECKING:
    from checks.facts.case import Case
    from checks.sharing.redact import Hidden


class Unopened(Exception):  # noqa: N818 - which of two reports it is, and why
    """One of several reports could not be opened."""

    def __init__(self, path: Path, why: Exception) -> None:
        super().__init__(str(path))
        self.path = path
        self.why = why


def diagnosed(answers: Answers) -> Case:
    """The case of a ticket's text and logs."""
    from checks.facts.case import Answers as CaseAnswers
    from checks.judgement.judge import judged
    from checks.readers.tickets.read import read_ticket
    from wizard.jobs.sent_files import sent_files

    facts = read_ticket(*sent_files(answers.text, answers.given).logs)
    return judged(facts, CaseAnswers(symptom=answers.symptom, exactness=answers.exactness))


def told(case: Case, question: str, choice: str, text: str) -> Case:
    """The case of a ticket, judged again with an answer."""
    from checks.judgement.tickets.dialogue import answered

    return answered(case, question, choice=choice, text=text)


def untold(case: Case) -> Case:
    """The case of a ticket, judged again without the last answer."""
    from checks.judgement.tickets.dialogue import unanswered

    return unanswered(case)


def opened(path: Path) -> Case:
    """The case of a file or folder.

    Raises:
        CaseError: it is none, or cannot be read.
    """
    from checks.sharing.case import CaseError
    from wizard.report.open import open_case

    if path.exists() and not path.is_file() and not path.is_dir():  # a pipe: nobody may ever write to it
        raise CaseError("file-unreadable", str(path))
    return open_case(path)


def compared_files(first: Path, second: Path) -> Case:
    """The case of two reports side by side.

    Raises:
        Unopened: one of them could not be opened.
    """
    from checks.sharing.two_cases import compared, names_of

    cases = []
    for path in (first, second):
        try:
            cases.append(opened(path))
        except Exception as error:
            raise Unopened(path, error) from error
    return compared(cases[0], cases[1], names_of(first, second))


def exported(
    case: Case,
    path: Path,
    kind: str,
    language: str,
    paper: str,
    *,
    hide: Sequence[str] | None,
    keep: Sequence[str] = (),
) -> dict[str, int]:
    """Write a report. Returns how many values of each kind are hidden in it."""
    from wizard.report.export import export

    return export(case, path, kind, language, paper, hide=hide, keep=keep)


def rendered(case: Case, kind: str, language: str, *, hide: Sequence[str] | None, keep: Sequence[str] = ()) -> str:
    """A report as text."""
    from wizard.report.export import render

    return render(case, kind, language, hide=hide, keep=keep).decode()


class Outgoing(NamedTuple):
    """What leaves the machine: the report as text, and what is hidden in it."""

    text: str
    hidden: tuple[Hidden, ...]


def outgoing(case: Case, language: str, *, hide: Sequence[str], keep: Sequence[str]) -> Outgoing:
    """The whole report as others will read it."""
    from checks.sharing.redact import redact
    from wizard.report.export import render

    redacted = redact(case, words=hide, keep=keep)
    return Outgoing(render(redacted.case, "markdown", language, hide=None).decode(), redacted.hidden)

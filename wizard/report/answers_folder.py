"""A folder of answers to many tickets: one for each group, a draft for every other one."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from checks.desk.parallel import mapped
from checks.desk.tickets import Ticket
from checks.desk.views import Filter, Group, Placed, Views
from checks.sharing.files import make_private, write_whole
from wizard.report.desk_answers import answer_language, draft, group_answer
from wizard.report.open import case_in
from wizard.report.prints.spreadsheet import cell

_MOST_GROUPS = 100_000
_ASKED_AT_ONCE = 200


def write_answers(
    views: Views, tickets: Iterator[Ticket], folder: Path, hide: Sequence[str] | None = ()
) -> Iterator[Path]:
    """Write them, and last a list of which ticket is answered by which file; each file as it is there.

    ``tickets``: read again, since no text of theirs is kept; without any there are the answers to groups alone.

    Raises:
        OSError: one cannot be written.
    """
    make_private(folder)
    answered: list[tuple[str, str, str]] = []
    for place, group in enumerate(views.groups(_MOST_GROUPS), start=1):
        for written in _languages(group):
            name = f"group-{place:04}-{group.cause}.{written}.md"
            write_whole(folder / name, group_answer(group, views.shared_lines(group.group), written).encode())
            yield folder / name
            only = Filter(group=group.group)
            answered += [
                (row.number, row.source, name)
                for row in views.rows(only, most=group.count)
                if answer_language(row.language) == written
            ]
    work = functools.partial(_drafted, hide=hide)
    for number, (placed, source, language, text) in enumerate(mapped(work, _alone(views, tickets)), start=1):
        if text:
            name = f"ticket-{number:05}.{language}.md"
            write_whole(folder / name, text.encode())
            answered.append((placed, source, name))
            yield folder / name
    lines = io.StringIO()
    csv.writer(lines).writerows([("number", "source", "answer"), *(map(cell, row) for row in answered)])
    write_whole(folder / "answers.csv", lines.getvalue().encode("utf-8", "replace"))


def _languages(group: Group) -> list[str]:
    return list(dict.fromkeys(map(answer_language, group.languages or ("",))))


def _alone(views: Views, tickets: Iterator[Ticket]) -> Iterator[tuple[Ticket, Placed]]:
    """The tickets that no answer to a group is for."""
    waiting: list[Ticket] = []
    for ticket in tickets:
        waiting.append(ticket)
        if len(waiting) >= _ASKED_AT_ONCE:
            yield from _of_these(views, waiting)
            waiting = []
    yield from _of_these(views, waiting)


def _of_these(views: Views, tickets: Sequence[Ticket]) -> Iterator[tuple[Ticket, Placed]]:
    placed = views.placed([ticket.mark for ticket in tickets])
    for ticket in tickets:
        found = placed.get(ticket.mark)
        if found is not None and not (found.is_decided and found.alike > 1):
            yield ticket, found


def _drafted(pair: tuple[Ticket, Placed], hide: Sequence[str] | None) -> tuple[str, str, str, str]:
    ticket, placed = pair
    language = answer_language(placed.language)
    return placed.number, placed.source, language, draft(ticket, language, case_in, hide)

"""The labelled tickets of this project: well formed, neutral, and enough of them for every cause.

``known/`` may be read by whoever writes signatures, and is learned from. ``held_back/`` tells honestly how good the
judgement is on tickets that nobody tuned it to (README.md says what is in which).
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from support.walk import for_each

from checks.knowledge.catalogue import cause_files, cause_of

TICKETS = Path(__file__).parents[1] / "tickets"
FILES = sorted(path for folder in ("known", "held_back") for path in (TICKETS / folder).glob("*.jsonl"))
FIELDS = ("id", "source", "date", "platform", "text", "expected", "also_plausible", "fix", "confirmed_by")
INNOCENT = ("user-code-error", "unknown")

# Of public threads only what programs print is kept: nobody can be found through a mail address or a home folder.
# "runner" is the account of GitHub's build machines and "mendel" the one every Coral board comes with: no persons.
MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[a-z]{2,}", re.IGNORECASE)
HOME = re.compile(r"(?<![\w.])/home/(?!(?:user|mendel)\b)\w|[\\/]Users[\\/]+(?!(?:user|runner)\b)\w")


def tickets(paths: list[Path] = FILES) -> list[dict[str, object]]:
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def labels(ticket: dict[str, object], *fields: str) -> list[str]:
    """The cause ids under these fields, all of them a list in the file."""
    found: list[str] = []
    for field in fields:
        ids = ticket[field]
        assert isinstance(ids, list), ticket["id"]
        found.extend(ids)
    return found


def test_both_folders_hold_tickets() -> None:
    assert {path.parent.name for path in FILES} == {"known", "held_back"}


@for_each(FILES, lambda path: f"{path.parent.name}/{path.stem}")
def test_every_line_is_a_whole_ticket(path: Path) -> None:
    for ticket in tickets([path]):
        assert tuple(ticket) == FIELDS, ticket.get("id")
        for field in ("id", "source", "platform", "text", "fix"):
            value = ticket[field]
            assert isinstance(value, str), (ticket["id"], field)
            assert value.strip(), (ticket["id"], field)
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", str(ticket["date"])), ticket["id"]
        assert ticket["confirmed_by"] in ("maintainer", "reporter", "error-text"), ticket["id"]
        assert labels(ticket, "expected"), ticket["id"]
        assert not set(labels(ticket, "expected")) & set(labels(ticket, "also_plausible")), ticket["id"]


@for_each(FILES, lambda path: f"{path.parent.name}/{path.stem}")
def test_every_label_is_a_cause_of_the_catalogue(path: Path) -> None:
    causes = set(cause_files())
    for ticket in tickets([path]):
        assert set(labels(ticket, "expected", "also_plausible")) <= causes, ticket["id"]


@pytest.mark.parametrize("field", ["id", "source", "text"])
def test_nothing_is_there_twice(field: str) -> None:
    times = Counter(str(ticket[field]) for ticket in tickets())
    assert [value for value, count in times.items() if count > 1] == []


@for_each(FILES, lambda path: f"{path.parent.name}/{path.stem}")
def test_nobody_can_be_found(path: Path) -> None:
    for ticket in tickets([path]):
        for field in ("text", "fix"):
            assert not MAIL.search(str(ticket[field])), ticket["id"]
            assert not HOME.search(str(ticket[field])), ticket["id"]


def test_there_are_at_least_250() -> None:
    assert len(tickets()) >= 250


def test_every_cause_has_at_least_two() -> None:
    times = Counter(cause for ticket in tickets() for cause in labels(ticket, "expected"))
    worded = [
        cause for cause in cause_files() if cause_of(cause).signature
    ]  # the others only a file or a machine shows
    missing = [cause for cause in worded if times[cause] < 2]
    assert not missing, (
        f"add two real tickets of each of {missing} to tests/tickets/known/ (see tests/tickets/README.md)"
    )


def test_at_least_40_are_the_users_own_bug_or_cannot_be_told() -> None:
    assert sum(any(cause in INNOCENT for cause in labels(ticket, "expected")) for ticket in tickets()) >= 40


def test_enough_is_held_back_to_measure_with() -> None:
    assert len(tickets([path for path in FILES if path.parent.name == "held_back"])) >= 200


def test_the_threads_are_unseen_labelled_and_neutral() -> None:
    threads = tickets(sorted((TICKETS / "threads").glob("*.jsonl")))
    seen = {str(ticket["source"]) for ticket in tickets()}
    assert threads
    for thread in threads:
        assert set(labels(thread, "expected", "also_plausible")) <= set(cause_files()), thread["id"]
        assert thread["source"] not in seen, thread["id"]
        said = thread["said"]
        assert isinstance(said, list)
        for text in (thread["text"], *(part for one in said for part in (one["asked"], one["text"]))):
            assert not MAIL.search(text), thread["id"]
            assert not HOME.search(text), thread["id"]

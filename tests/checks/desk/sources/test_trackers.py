"""JSON as GitHub, GitLab, Jira, Redmine and Zendesk write it (the shapes of their documented answers)."""

import io
import json
from typing import Any

import pytest

from checks.desk.sources import trackers
from checks.desk.sources.trackers import tickets_of
from checks.desk.tickets import Ticket
from checks.readers.containers.source import Damaged

TEXT = "RuntimeError: CUDA out of memory"


def read(plain: Any, lines: bool = False) -> list[Ticket]:
    text = "\n".join(map(json.dumps, plain)) if lines else json.dumps(plain)
    return list(tickets_of(io.BytesIO(text.encode()), "export.json"))


def test_github() -> None:
    rest = {
        "url": "https://api.github.com/repos/a/b/issues/1347",
        "html_url": "https://github.com/a/b/issues/1347",
        "id": 1,
        "number": 1347,
        "title": "No GPU",
        "user": {"login": "customer", "id": 1},
        "body": TEXT,
        "labels": [{"name": "bug"}],
        "comments": 3,
        "created_at": "2024-05-01T10:00:00Z",
    }
    listed = {  # gh issue list --json
        "number": 1348,
        "title": "No GPU",
        "body": TEXT,
        "author": {"login": "customer"},
        "url": "https://github.com/a/b/issues/1348",
        "createdAt": "2024-05-02T10:00:00Z",
        "comments": [
            {"author": {"login": "maintainer"}, "body": "Update the driver."},
            {"author": {"login": "customer"}, "body": "nvidia-smi says 535."},
        ],
    }
    first, second = read([rest, listed])
    assert (first.number, first.url, first.text) == ("1347", "https://github.com/a/b/issues/1347", TEXT)
    assert first.created == "2024-05-01T10:00:00"
    assert second.text == f"{TEXT}\n\nnvidia-smi says 535."  # what a maintainer advises is no fact of the customer's
    nested = {"data": {"repository": {"issues": {"nodes": [{"title": "No GPU", "bodyText": "", "body": TEXT}]}}}}
    assert [ticket.title for ticket in read(nested)] == ["No GPU"]


def test_gitlab() -> None:
    plain = {"iid": 12, "id": 9912, "title": "No GPU", "description": TEXT, "created_at": "2024-05-01T10:00:00.000Z"}
    noted = {**plain, "author_id": 5, "notes": [{"note": "535", "author_id": 5}, {"note": "upgrade", "author_id": 6}]}
    first, second = read([plain, noted], lines=True)  # tree/project/issues.ndjson
    assert (first.number, first.text) == ("12", TEXT)
    assert second.text == f"{TEXT}\n\n535"


def test_jira() -> None:
    document = {
        "type": "doc",
        "content": [
            {"type": "paragraph", "content": [{"type": "text", "text": "It fails:"}, {"type": "hardBreak"}]},
            {"type": "codeBlock", "content": [{"type": "text", "text": TEXT}]},
        ],
    }
    fields = {"summary": "No GPU", "description": document, "created": "2024-05-01T10:00:00.000+0900"}
    plain = {"issues": [{"key": "AI-7", "fields": {**fields, "project": {"name": "Vision"}}}], "total": 1}
    (ticket,) = read(plain)
    assert (ticket.number, ticket.product, ticket.created) == ("AI-7", "Vision", "2024-05-01T01:00:00")
    assert ticket.text.split() == f"It fails: {TEXT}".split()


def test_redmine() -> None:
    issue = {"id": 7, "project": {"id": 1, "name": "画像認識"}, "subject": "GPUが使えない", "description": TEXT}
    (ticket,) = read({"issues": [{**issue, "created_on": "2024-05-01T10:00:00Z"}], "total_count": 1})
    assert (ticket.number, ticket.title, ticket.product) == ("7", "GPUが使えない", "画像認識")


def test_zendesk() -> None:
    comments = [{"author_id": 3, "body": TEXT}, {"author_id": 4, "body": "update"}, {"author_id": 3, "body": "535"}]
    ticket = {"id": 99, "subject": "No GPU", "description": TEXT, "requester_id": 3, "comments": comments}
    for plain, lines in (([ticket], True), ({"tickets": [ticket], "count": 1}, False), ({"ticket": ticket}, False)):
        (read_back,) = read(plain, lines)
        assert (read_back.number, read_back.text) == ("99", f"{TEXT}\n\n535")


def test_a_long_export_is_read_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trackers, "_PIECE", 64)
    many = [{"id": number, "title": f"ticket {number}", "body": TEXT} for number in range(50)]
    for plain in (many, {"total": 50, "issues": many}):
        assert [ticket.number for ticket in read(plain)] == [str(number) for number in range(50)]


def test_what_is_no_export_is_refused_and_what_came_before_stays() -> None:
    for text in ("{}", "[]", "[1, 2]", '{"a": 1}', "[" * 100_000, '{"issues": 3}', "{", "[{"):
        with pytest.raises(Damaged):
            list(tickets_of(io.BytesIO(text.encode()), "x.json"))
    cut = json.dumps([{"id": 1, "title": "No GPU"}, {"id": 2, "title": "x"}])[:-9]
    found: list[Ticket] = []
    with pytest.raises(Damaged):
        found.extend(tickets_of(io.BytesIO(cut.encode()), "x.json"))
    assert [ticket.number for ticket in found] == ["1"]

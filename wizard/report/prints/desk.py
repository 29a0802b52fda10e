"""The desk for other programs: the list as CSV, and list, groups and counts as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from checks.desk.views import SORTS, Filter, Row, Views
from checks.visible import visible_json
from wizard.report.content.many.desk import Reading, cause_title
from wizard.report.prints.spreadsheet import cell

FORMAT = 1
_AT_ONCE = 5_000
_MOST_GROUPS = 1_000
_COLUMNS = (
    *("number", "source", "title", "url", "created", "age", "language", "product", "driver", "cause", "cause_title"),
    *("confidence", "decided", "group", "alike", "duplicate_of", "lines", "problem"),
)
SORT = SORTS[-1]


def rows_as_csv(views: Views, only: Filter, sort: str, language: str) -> Iterator[bytes]:
    """The list in pieces; UTF-8 with the mark by which spreadsheets know it."""
    yield b"\xef\xbb\xbf" + _lines([_COLUMNS])
    for rows in _pages(views, only, sort):
        yield _lines([tuple(map(cell, _plain(row, language).values())) for row in rows])


def as_json(views: Views, today: str, only: Filter, sort: str, language: str, reading: Reading) -> bytes:
    """Everything as JSON."""
    counts = views.over_time()
    plain = {
        "format": FORMAT,
        "as_of": today,
        "overview": views.overview(),
        "needs_a_human": views.needs_a_human(_MOST_GROUPS),
        "groups": views.groups(_MOST_GROUPS),
        "new_this_week": views.new_groups(_MOST_GROUPS),
        "causes_over_time": counts,
        **{f"per_{what}": [_count(*row) for row in views.per(what, _MOST_GROUPS)] for what in ("product", "driver")},
        "not_read": reading.not_read,
        "tickets": [_plain(row, language) for rows in _pages(views, only, sort) for row in rows],
    }
    return visible_json(msgspec.json.format(msgspec.json.encode(plain), indent=1)) + b"\n"


def _count(name: str, count: int, decided: int) -> dict[str, Any]:
    return {"name": name, "tickets": count, "decided": decided}


def _pages(views: Views, only: Filter, sort: str) -> Iterator[list[Row]]:
    behind = 0
    while rows := views.rows(only, sort, _AT_ONCE, behind):
        yield rows
        behind += len(rows)


def _plain(row: Row, language: str) -> dict[str, Any]:
    return {
        "number": row.number,
        "source": row.source,
        "title": row.title,
        "url": row.url,
        "created": row.created,
        "age": row.age,
        "language": row.language,
        "product": row.product,
        "driver": row.driver,
        "cause": row.cause,
        "cause_title": cause_title(row.cause, language) if row.cause else "",
        "confidence": round(row.confidence, 3),
        "decided": row.is_decided,
        "group": f"lines-{row.group}" if row.group > 0 else f"ticket-{-row.group}",
        "alike": row.alike,
        "duplicate_of": row.duplicate_of,
        "lines": list(row.lines),
        "problem": row.problem,
    }


def _lines(rows: list[tuple[str, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")

"""A fleet as JSON, whole, and as CSV, one line for each machine."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import msgspec

from checks.fleet.store import HARDWARE, SOFTWARE, Store
from checks.fleet.survey import Survey
from checks.visible import visible_json
from wizard.report.content.many.fleet import explanation, is_suspect
from wizard.report.prints.spreadsheet import cell

FORMAT = 1
_HEADS = ("host", "created", "naosu", "problem", "hardware", "software", "bits", "suspect", "explained_by", "changed")
_NAMES = ("cpu", "processors", "memory", "gpus", "os", "kernel", "driver", "python", "torch", "numpy")
_AT_ONCE = 1_000  # lines


def as_json(survey: Survey, language: str) -> bytes:
    """The contract: an object with ``format``, and all that the page shows; ``why`` says it in words."""
    plain: dict[str, Any] = {"format": FORMAT, **msgspec.to_builtins(survey)}
    for group, made in zip(survey.bits, plain["bits"], strict=True):
        if group.questions:
            made |= {"suspect": is_suspect(group), "why": explanation(group, language)}
    return visible_json(msgspec.json.format(msgspec.json.encode(plain))) + b"\n"


def rows_as_csv(store: Store, survey: Survey) -> Iterator[bytes]:
    """A line for each machine, some at a time: which groups it belongs to, and what it is."""
    groups = {group.number: group for group in survey.bits}
    changed = {drift.host: len(drift.changes) + drift.more + len(drift.bits) for drift in survey.drift}
    profiles = {
        (area, str(key)): store.profile(area, str(key))
        for area in (HARDWARE, SOFTWARE)
        for (key,) in store.rows(f"SELECT DISTINCT {area} FROM latest WHERE {area} != ''")
    }
    query = """SELECT host, created, naosu, problem, hardware, software, number FROM latest
        LEFT JOIN member USING (vector) ORDER BY host"""
    lines = [(*_HEADS, *_NAMES)]
    for host, created, naosu, problem, hardware, software, number in store.stream(query):
        group = groups.get(number)
        values = {**profiles.get((HARDWARE, hardware), {}), **profiles.get((SOFTWARE, software), {})}
        suspect = "yes" if group is not None and is_suspect(group) else ""
        explained = " ".join(group.explained_by) if group is not None else ""
        known = (host, created, naosu, problem, hardware, software, number or "", suspect, explained)
        lines.append((*known, changed.get(host, 0), *(values.get(name, "") for name in _NAMES)))
        if len(lines) >= _AT_ONCE:
            yield _written(lines)
            lines = []
    yield _written(lines)


def _written(lines: list[tuple[Any, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*map(cell, line)] for line in lines)
    return text.getvalue().encode("utf-8", "replace")

"""`naosu diff A B`: what differs between two examinations: cases, reports, or those that are remembered here."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text
from wizard.cli.inputs import case_in
from wizard.cli.outputs import write
from wizard.cli.snapshots import LAST_WORKING, snapshot_named
from wizard.words import words

if TYPE_CHECKING:
    from checks.analysis.history.state import State
    from checks.facts import Change


def add_arguments(parser: Parser, text: Text) -> None:
    """Its files or numbers, and options."""
    parser.add_argument("first", metavar="A", help=text("help-diff-first"))
    parser.add_argument("second", metavar="B", nargs="?", default="", help=text("help-diff-second"))
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))


@dataclass(frozen=True)
class _Side:
    name: str
    created: str
    state: State


def run(chosen: argparse.Namespace) -> int:
    """Compare, and say what differs; the status is 1 where something does."""
    from checks.analysis.history.state import differences

    second = _side(chosen.second or "last", chosen)
    first = _side(chosen.first, chosen, other=chosen.second or "last")
    changes = differences(first.state, second.state)
    if chosen.json is not None:
        _write(first, second, changes, chosen)
    else:
        is_itself = chosen.first == LAST_WORKING and first == second
        _print(first, second, changes, chosen.lang, is_itself=is_itself)
    return int(bool(changes))


def _side(given: str, chosen: argparse.Namespace, other: str = "") -> _Side:
    """An examination by its number, "last", "last-working", or the path of a case or report.

    Raises:
        UsageError: there is no such one, or it cannot be opened.
    """
    from checks.analysis.history.phrases import moment

    is_named = given in ("last", LAST_WORKING) or (given.isdecimal() and not Path(given).exists())
    if is_named:
        snapshot = snapshot_named(given, chosen.lang, before=other if given == LAST_WORKING else "")
        time = moment(snapshot.created)
        name = words("history.examination", chosen.lang, number=snapshot.number, time=time)
        return _Side(name, snapshot.created, snapshot.state)
    from checks.history.remember import state_to_compare

    case = case_in(given, chosen.lang)
    return _Side(given, case.created, state_to_compare(case.facts))


def _write(first: _Side, second: _Side, changes: Sequence[Change], chosen: argparse.Namespace) -> None:
    import msgspec

    from checks.visible import visible_json

    sides = [{"name": side.name, "created": side.created} for side in (first, second)]
    listed = [
        {"kind": change.kind, "name": change.name, "before": change.before, "after": change.after} for change in changes
    ]
    found = {"format": 1, "first": sides[0], "second": sides[1], "changes": listed}
    write(chosen.json, visible_json(msgspec.json.format(msgspec.json.encode(found))) + b"\n", chosen.lang)


def _print(first: _Side, second: _Side, changes: Sequence[Change], language: str, *, is_itself: bool) -> None:
    from checks.analysis.history.phrases import change_in_words
    from checks.knowledge.phrases import in_language
    from checks.visible import visible

    key = "differs" if changes else "itself" if is_itself else "same"
    print(visible(words(f"history.{key}", language, first=first.name, second=second.name)))
    for kind, group in itertools.groupby(changes, key=lambda change: change.kind):
        print(f"\n{words(f'history.kind-{kind}', language)}")
        for change in group:
            print(f"  {visible(in_language(change_in_words(change), language))}")

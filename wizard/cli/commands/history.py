"""`naosu history`: the examinations that are remembered on this computer, and how they are forgotten."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.outputs import write
from wizard.words import words

if TYPE_CHECKING:
    from checks.history.store import Snapshot, Store

_ALL = "all"


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options."""
    parser.add_argument("--forget", metavar="NUMBER|all", help=text("help-history-forget"))
    parser.add_argument("--keep", choices=("on", "off"), help=text("help-history-keep"))
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))


def run(chosen: argparse.Namespace) -> int:
    """List, forget, or turn it on or off."""
    from checks.history.store import Store, default_folder

    folder = default_folder()
    if folder is None:
        print(words("history.off-by-variable", chosen.lang), file=sys.stderr)
        return 0 if chosen.forget is None and chosen.keep is None else 2
    store = Store(folder)
    try:
        if chosen.keep is not None:
            store.switch(on=chosen.keep == "on")
            print(words(f"history.is-{chosen.keep}", chosen.lang), file=sys.stderr)
        if chosen.forget is not None:
            count = store.forget_all() if chosen.forget == _ALL else _forgotten(store, chosen)
            print(words("history.forgotten", chosen.lang, count=count), file=sys.stderr)
    except OSError as error:
        raise UsageError(
            "naosu: " + words("history.folder-trouble", chosen.lang, folder=folder, detail=error.strerror or error)
        ) from error
    if chosen.keep is None and chosen.forget is None:
        _list(store, folder, chosen)
    return 0


def _forgotten(store: Store, chosen: argparse.Namespace) -> int:
    if not chosen.forget.isdecimal() or not store.forget(int(chosen.forget[:9])):
        raise UsageError("naosu: " + words("history.no-such", chosen.lang, number=chosen.forget))
    return 1


def _list(store: Store, folder: Path, chosen: argparse.Namespace) -> None:
    snapshots = list(store.newest_first())
    if chosen.json is not None:
        import msgspec

        from checks.visible import visible_json

        listed = {"format": 1, "folder": str(folder), "on": store.is_on, "examinations": list(map(_plain, snapshots))}
        write(chosen.json, visible_json(msgspec.json.format(msgspec.json.encode(listed))) + b"\n", chosen.lang)
        return
    for snapshot in snapshots:
        print(line_of(snapshot, chosen.lang))
    if not snapshots:
        print(words("history.list-empty", chosen.lang))
    print(words("history.list-where", chosen.lang, folder=folder))
    if not store.is_on:
        print(words("history.is-off", chosen.lang))


def line_of(snapshot: Snapshot, language: str) -> str:
    """One examination in a line or two: number, time, what was seen, and of which Python."""
    from checks.analysis.history.phrases import moment, shortened

    state = "unknown" if not snapshot.observed else "worked" if snapshot.worked else "failed"
    seen = next((one for one in snapshot.observed if one.worked is (state == "worked")), None)
    about = shortened(seen.label) if seen else ""
    failure = f"\n        {shortened(seen.shown)}" if seen and not seen.worked and seen.shown else ""
    head = f"{snapshot.number:>5}  {moment(snapshot.created)}  {words(f'history.state-{state}', language)}"
    return "  ".join(filter(None, (head, about, snapshot.target))) + failure


def _plain(snapshot: Snapshot) -> dict[str, Any]:
    import msgspec

    return {
        "number": snapshot.number,
        "created": snapshot.created,
        "target": snapshot.target,
        "python": snapshot.python,
        "worked": snapshot.worked if snapshot.observed else None,
        "observed": msgspec.to_builtins(snapshot.observed),
    }

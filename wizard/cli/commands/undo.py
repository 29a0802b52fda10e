"""`naosu undo`: put back what a remedy changed in an environment of the user's."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from checks.visible import visible
from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.outputs import write
from wizard.cli.questions import can_ask, is_agreed
from wizard.words import words

if TYPE_CHECKING:
    from checks.mending.journal import Journal


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options."""
    parser.add_argument("id", nargs="?", metavar="ID", help=text("help-undo-id"))
    parser.add_argument("--list", action="store_true", help=text("help-undo-list"))
    parser.add_argument("--forget", action="store_true", help=text("help-undo-forget"))
    parser.add_argument("--yes", action="store_true", help=text("help-undo-yes"))
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-undo-json"))


def run(chosen: argparse.Namespace) -> int:
    """List, forget, or undo."""
    from checks.mending.journal import journals
    from checks.mending.undo import forget, moved_aside, tidy
    from wizard.report.content.remedies.mendings import aside_words

    tidy()
    found = journals()
    if chosen.id is not None and all(journal.id != chosen.id for journal in found):
        raise UsageError(visible(words("mendings.no-such", chosen.lang, id=chosen.id)))
    if chosen.list or not found:
        for journal in found or ():
            _print(chosen, _line(journal, chosen.lang))
        if not found:
            _print(chosen, words("mendings.list-none", chosen.lang))
        _write(chosen, [_plain(journal) for journal in found])
        return 0
    journal = next(journal for journal in found if chosen.id in (None, journal.id))
    if not chosen.yes:
        if not can_ask():
            raise UsageError(words("mendings.undo-needs-yes", chosen.lang))
        print(visible(_line(journal, chosen.lang)), file=sys.stderr)
        if not chosen.forget and (moved := moved_aside(journal)):
            print(visible(aside_words(journal, moved, chosen.lang)), file=sys.stderr)
        if not is_agreed(words("mendings.ask-undo-one", chosen.lang)):
            print(words("mendings.declined", chosen.lang), file=sys.stderr)
            return 1
    if chosen.forget:
        forget(journal)
        _print(chosen, words("mendings.forgotten", chosen.lang, title=journal.title))
        _write(chosen, {**_plain(journal), "result": "forgotten"})
        return 0
    return _undone(journal, chosen)


def _undone(journal: Journal, chosen: argparse.Namespace) -> int:
    from checks.mending.permission import NotMended
    from checks.mending.undo import undo
    from wizard.report.content.remedies.mendings import refusal_words

    try:
        done = undo(journal)
    except (NotMended, OSError) as error:
        is_refused = isinstance(error, NotMended)
        values = {"detail": str(error), "id": journal.id}
        why = error if isinstance(error, NotMended) else NotMended("not-put-back", **values)
        print(visible(refusal_words(why, chosen.lang)), file=sys.stderr)
        reason = why.reason if is_refused else str(error)
        _write(chosen, {**_plain(journal), "result": "not-undone", "reason": reason, "values": why.values})
        return 1
    values = {"title": journal.title, "path": journal.prefix, "files": ", ".join(done.lost), "folder": str(done.aside)}
    _print(chosen, words(f"mendings.undone-{done.key}", chosen.lang, **values))
    aside = str(done.aside) if done.aside else None
    _write(chosen, {**_plain(journal), "result": "undone", "lost": list(done.lost), "moved_aside": aside})
    return int(bool(done.lost))


def _line(journal: Journal, language: str) -> str:
    from wizard.report.content.remedies.mendings import journal_words

    return journal_words(journal, language)


def _plain(journal: Journal) -> dict[str, Any]:
    import msgspec

    return {**msgspec.to_builtins(journal), "half_done": journal.is_half_done}


def _print(chosen: argparse.Namespace, line: str) -> None:
    print(visible(line), file=sys.stderr if chosen.json == STANDARD_STREAM else sys.stdout)


def _write(chosen: argparse.Namespace, found: object) -> None:
    if chosen.json is not None:
        import msgspec

        write(chosen.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n", chosen.lang)

"""`naosu desk`: many tickets read, judged and grouped; the list, the report, and answers to send."""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from wizard.cli.arguments import PAPERS, STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.inputs import given_path
from wizard.cli.outputs import check_outputs, document_pdf, write
from wizard.cli.streams import write_over
from wizard.words import words

if TYPE_CHECKING:
    from checks.desk.sources.walk import Reader
    from checks.desk.store import Store
    from checks.desk.views import Filter, Views
    from wizard.report.content.many.desk import Reading

_SORTS = ("urgent", "newest", "oldest", "sure", "unsure", "cause", "product", "alike")
_LISTED = 100
_WIDTH = 60
_TWICE_A_SECOND = 0.5
T = TypeVar("T")


def add_arguments(parser: Parser, text: Text) -> None:
    """What is read, what is shown of it, and what is written."""

    def say(key: str) -> str:
        return words(f"desk.help-{key}", parser.language)

    parser.add_argument("path", nargs="?", metavar="PATH", help=say("path"))
    parser.add_argument("--store", metavar="FILE", help=say("store"))
    parser.add_argument("--list", nargs="?", type=int, const=_LISTED, metavar="MOST", help=say("list"))
    parser.add_argument("--sort", choices=_SORTS, default=_SORTS[0], help=say("sort"))
    parser.add_argument("--cause", default="", metavar="ID", help=say("cause"))
    parser.add_argument("--product", default="", metavar="NAME", help=say("product"))
    parser.add_argument("--language", default="", metavar="CODE", help=say("language"))
    parser.add_argument("--driver", default="", metavar="VERSION", help=say("driver"))
    parser.add_argument("--state", choices=("decided", "undecided"), default="", help=say("state"))
    parser.add_argument("--words", default="", metavar="WORDS", help=say("words"))
    parser.add_argument("--number-column", default="", metavar="NAME", help=say("number-column"))
    parser.add_argument("--as-of", metavar="DAY", help=say("as-of"))
    parser.add_argument("--answers", metavar="FOLDER", help=say("answers"))
    parser.add_argument("--csv", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=say("csv"))
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=say("json"))
    parser.add_argument("--markdown", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=say("markdown"))
    parser.add_argument("--pdf", metavar="FILE", help=text("help-pdf"))
    parser.add_argument("--paper", choices=PAPERS, help=text("help-paper"))
    parser.add_argument("--redact", action="append", default=[], metavar="WORD", help=text("help-redact"))
    parser.add_argument("--no-redact", action="store_true", help=text("help-no-redact"))
    parser.add_argument("--quiet", action="store_true", help=text("help-quiet"))


def run(chosen: argparse.Namespace) -> int:
    """Read, judge what is new, and show."""
    _check(chosen)
    try:
        from checks.desk.store import Store, StoreError
    except ModuleNotFoundError as error:
        if error.name != "duckdb":
            raise
        raise UsageError(words("desk.no-duckdb", chosen.lang)) from error
    try:
        store = Store(Path(chosen.store) if chosen.store else None)
    except StoreError as error:
        raise UsageError(words(f"desk.store-{error.reason}", chosen.lang, path=chosen.store)) from error
    with store:
        reader = _filled(store, chosen) if chosen.path is not None else None
        _show(store, reader, chosen)
    return 0


def _check(chosen: argparse.Namespace) -> None:
    """What is wrong with the arguments is told before an hour of work."""
    if chosen.path is None and (not chosen.store or not Path(chosen.store).exists()):
        raise UsageError(words("desk.nothing-given", chosen.lang))
    if chosen.path is not None:
        given = given_path(chosen.path, chosen.lang)
        if chosen.store and given.is_dir() and given.resolve() in Path(chosen.store).resolve().parents:
            raise UsageError(words("desk.store-is-source", chosen.lang, path=chosen.store))
    if chosen.as_of is not None:
        try:
            dt.date.fromisoformat(chosen.as_of)
        except ValueError:
            raise UsageError(words("desk.wrong-day", chosen.lang, day=chosen.as_of)) from None
    folder = Path(chosen.answers) if chosen.answers else None
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(words("desk.answers-not-empty", chosen.lang, path=chosen.answers))
    check_outputs(chosen)


def _filled(store: Store, chosen: argparse.Namespace) -> Reader:
    """Judge what the store does not know yet.

    Raises:
        UsageError: nothing could be read, or a process died.
    """
    from checks.desk.judging import judge
    from checks.desk.parallel import mapped
    from checks.desk.sources.walk import Reader
    from checks.desk.unknown import Unknown
    from checks.readers.containers.source import Damaged
    from wizard.report.open import case_in

    reader = Reader(number_column=chosen.number_column)
    progress, begun = _Progress(chosen, "progress"), time.monotonic()
    work = functools.partial(judge, open_case=case_in, hide=None if chosen.no_redact else tuple(chosen.redact))
    new = Unknown(store, reader.tickets(Path(chosen.path)))
    count = 0
    try:
        count = store.add(progress.counting(mapped(work, new)))
    except Damaged as error:
        detail = error.detail or error.reason
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.path, detail=detail)) from error
    except BrokenProcessPool as error:
        raise UsageError(words("desk.processes-died", chosen.lang)) from error
    except KeyboardInterrupt:
        key = "interrupted" if chosen.store else "interrupted-lost"
        print(f"\n{words(f'desk.{key}', chosen.lang, count=progress.count, path=chosen.store)}", file=sys.stderr)
        raise
    finally:
        progress.end()
    if not new.count and not chosen.store and not reader.not_read:
        raise UsageError(words("desk.no-tickets", chosen.lang, path=chosen.path))
    if not chosen.quiet:
        seconds = round(time.monotonic() - begun)
        key = "judged-all" if count == new.count else "judged"
        print(words(f"desk.{key}", chosen.lang, new=count, count=new.count, seconds=seconds), file=sys.stderr)
    return reader


def _show(store: Store, reader: Reader | None, chosen: argparse.Namespace) -> None:
    from checks.desk.views import Filter, Views
    from wizard.report.content.many.desk import Reading

    today = chosen.as_of or dt.datetime.now(dt.UTC).date().isoformat()
    views = Views(store.connection, today)
    names = ("cause", "product", "language", "driver", "state", "words")
    only = Filter(**{name: getattr(chosen, name) for name in names})
    reading = Reading(tuple(reader.not_read), reader.left_out, reader.answers) if reader else Reading()
    is_streamed = _write(views, today, only, reading, chosen)
    if chosen.answers:
        _answer(views, chosen)
    if not is_streamed and not chosen.quiet:
        _print(views, today, only, reading, chosen)


def _write(views: Views, today: str, only: Filter, reading: Reading, chosen: argparse.Namespace) -> bool:
    """The files that were asked for; whether one of them was standard output."""
    from wizard.report.content.many.desk import document_of_desk
    from wizard.report.prints.desk import as_json, rows_as_csv
    from wizard.report.prints.markdown import document_as_markdown

    if chosen.csv is not None:
        write(chosen.csv, b"".join(rows_as_csv(views, only, chosen.sort, chosen.lang)), chosen.lang)
    if chosen.json is not None:
        write(chosen.json, as_json(views, today, only, chosen.sort, chosen.lang, reading), chosen.lang)
    if chosen.markdown is not None or chosen.pdf is not None:
        document = document_of_desk(views, today, chosen.lang, reading, only, chosen.sort)
        if chosen.markdown is not None:
            write(chosen.markdown, document_as_markdown(document).encode(errors="replace"), chosen.lang)
        if chosen.pdf is not None:
            write(chosen.pdf, document_pdf(document, chosen), chosen.lang)
    return STANDARD_STREAM in (chosen.csv, chosen.json, chosen.markdown)


def _print(views: Views, today: str, only: Filter, reading: Reading, chosen: argparse.Namespace) -> None:
    from wizard.report.content.many.desk import document_of_desk, list_document
    from wizard.report.prints.terminal import document_on_terminal

    if chosen.list is not None or only.is_any:
        most = chosen.list if chosen.list is not None else _LISTED
        document = list_document(views, today, chosen.lang, only, chosen.sort, max(1, most))
    else:
        document = document_of_desk(views, today, chosen.lang, reading, only, chosen.sort)
    print(document_on_terminal(document))


def _answer(views: Views, chosen: argparse.Namespace) -> None:
    from checks.desk.sources.walk import Reader
    from wizard.report.answers_folder import write_answers

    progress = _Progress(chosen, "progress-answers")
    reader = Reader(number_column=chosen.number_column)
    tickets = reader.tickets(Path(chosen.path)) if chosen.path is not None else iter(())
    hide = None if chosen.no_redact else tuple(chosen.redact)
    try:
        for _ in progress.counting(write_answers(views, tickets, Path(chosen.answers), hide)):
            pass
    except OSError as error:
        detail = error.strerror or str(error)
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.answers, detail=detail)) from error
    finally:
        progress.end()
    if not chosen.quiet:
        print(words("desk.progress-answers", chosen.lang, count=progress.count), file=sys.stderr)


class _Progress:
    """Counts what passes, on one line of a terminal that is written over."""

    def __init__(self, chosen: argparse.Namespace, key: str) -> None:
        self.count = 0
        self._key, self._language = f"desk.{key}", chosen.lang
        self._is_shown = sys.stderr.isatty() and not chosen.quiet
        self._last = 0.0

    def counting(self, things: Iterator[T]) -> Iterator[T]:
        for thing in things:
            self.count += 1
            if self._is_shown and time.monotonic() - self._last > _TWICE_A_SECOND:
                self._last = time.monotonic()
                write_over(words(self._key, self._language, count=f"{self.count:,}").ljust(_WIDTH))
            yield thing

    def end(self) -> None:
        """Leave the line empty."""
        if self._is_shown:
            write_over(" " * _WIDTH + "\r")

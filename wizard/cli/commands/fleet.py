"""`naosu fleet FOLDER`: many machines from the answers of the portable probe and saved cases."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import PAPERS, STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.outputs import check_outputs, streams, write
from wizard.words import words

if TYPE_CHECKING:
    from checks.fleet.store import Store
    from checks.fleet.survey import Survey


def add_arguments(parser: Parser, text: Text) -> None:
    """Its folder and options."""
    parser.add_argument("folder", metavar="FOLDER", help=text("help-fleet-folder"))
    parser.add_argument("--store", metavar="FILE", help=text("help-fleet-store"))
    for kind in ("json", "csv", "markdown"):
        parser.add_argument(
            f"--{kind}", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text(f"help-fleet-{kind}")
        )
    parser.add_argument("--pdf", metavar="FILE", help=text("help-pdf"))
    parser.add_argument("--paper", choices=PAPERS, help=text("help-paper"))
    parser.add_argument("--quiet", action="store_true", help=text("help-quiet"))


def run(chosen: argparse.Namespace) -> int:
    """Read the answers, and say what there is. Status: 1 where something wants a human, 2 where there is no answer."""
    folder = Path(chosen.folder)
    if not folder.is_dir():
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.folder, detail="not a folder"))
    check_outputs(chosen)
    from checks.fleet.collect import survey
    from checks.fleet.store import Store, StoreError

    try:
        with Store(Path(chosen.store) if chosen.store else None) as store:
            found = survey(folder, store, _progress(chosen))
            if not found.hosts and not found.problem_count:
                raise UsageError(words("fleet.nothing-here", chosen.lang, path=chosen.folder))
            _deliver(found, store, chosen)
    except StoreError as error:
        sentence = words(f"fleet.{error.reason}", chosen.lang)
        raise UsageError(f"naosu: {chosen.store}: {sentence}") from error
    return int(_wants_a_human(found))


def _wants_a_human(found: Survey) -> bool:
    from wizard.report.content.many.fleet import is_suspect

    odd = any(drift.bits and not drift.changes for drift in found.drift)
    return odd or bool(found.problem_count) or any(map(is_suspect, found.bits))


def _progress(chosen: argparse.Namespace) -> Callable[[int], None]:
    if chosen.quiet or not sys.stderr.isatty():
        return lambda _: None
    return lambda count: print(
        f"\r{words('fleet.progress', chosen.lang, count=count)}", end="", file=sys.stderr, flush=True
    )


def _deliver(found: Survey, store: Store, chosen: argparse.Namespace) -> None:
    from wizard.report.content.many.fleet import document_of_fleet
    from wizard.report.prints.fleet import as_json, rows_as_csv
    from wizard.report.prints.markdown import document_as_markdown
    from wizard.report.prints.terminal import document_on_terminal

    if not chosen.quiet and sys.stderr.isatty():
        print(file=sys.stderr)
    document = document_of_fleet(found, chosen.lang)
    if chosen.json is not None:
        write(chosen.json, as_json(found, chosen.lang), chosen.lang)
    if chosen.csv is not None:
        write(chosen.csv, b"".join(rows_as_csv(store, found)), chosen.lang)
    if chosen.markdown is not None:
        write(chosen.markdown, document_as_markdown(document).encode(errors="replace"), chosen.lang)
    if chosen.pdf is not None:
        from wizard.cli.outputs import document_pdf

        write(chosen.pdf, document_pdf(document, chosen), chosen.lang)
    if not streams(chosen) and not chosen.quiet:
        print(document_on_terminal(document))

"""`naosu scan`: programs, notebooks and configurations, read for what keeps a run from being repeated."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.inputs import given_path
from wizard.cli.outputs import write
from wizard.words import words

if TYPE_CHECKING:
    from checks.analysis.scripts.scan import Scan


def add_arguments(parser: Parser, text: Text) -> None:
    """Its files and options."""
    parser.add_argument("file", nargs="+", metavar="FILE", help=text("help-scan-file"))
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help=text("help-scan-json"))
    forms.add_argument("--sarif", action="store_true", help=text("help-scan-sarif"))
    forms.add_argument("--diff", action="store_true", help=text("help-scan-diff"))


def run(chosen: argparse.Namespace) -> int:
    """Read them and print what was found. Status: 0 no warning, 1 a warning, 2 a file that could not be read."""
    from checks.analysis.scripts.scan import scan
    from checks.analysis.scripts.words import severity_of
    from checks.facts.finding import Severity
    from wizard.cli.scan_outputs import unread_line

    found = scan([given_path(path, chosen.lang) for path in chosen.file])
    if not found.scripts and not found.unread:
        raise UsageError(words("scan.no-programs", chosen.lang))
    write(STANDARD_STREAM, _printed(found, chosen), chosen.lang)
    for unread in found.unread:
        print(unread_line(unread, chosen.lang), file=sys.stderr)
    if found.unread:
        return 2
    return int(any(severity_of(mark) == Severity.WARNING for mark in found.marks))


def _printed(found: Scan, chosen: argparse.Namespace) -> bytes:
    from wizard.cli.scan_outputs import as_diff, as_json, as_text

    if chosen.json:
        return as_json(found, chosen.lang)
    if chosen.diff:
        return as_diff(found).encode("utf-8", "surrogateescape")
    return as_text(found, chosen.lang).encode()

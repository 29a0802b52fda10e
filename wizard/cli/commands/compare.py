"""`naosu compare`: two machines beside each other, what differs in their numbers and what explains it."""

from __future__ import annotations

import argparse
from pathlib import Path

from wizard.cli.arguments import Parser, Text, add_outputs
from wizard.cli.inputs import case_in
from wizard.cli.outputs import check_outputs, deliver


def add_arguments(parser: Parser, text: Text) -> None:
    """Its files and options."""
    parser.add_argument("first", metavar="A", help=text("help-compare-first"))
    parser.add_argument("second", metavar="B", help=text("help-compare-second"))
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Compare two saved cases."""
    from checks.sharing.two_cases import compared, names_of

    first, second = case_in(chosen.first, chosen.lang), case_in(chosen.second, chosen.lang)
    check_outputs(chosen)
    case = compared(first, second, names_of(Path(chosen.first), Path(chosen.second)))
    return deliver(case, chosen)

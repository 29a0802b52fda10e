"""`naosu show`: a saved case or report on the terminal, judged again by this version."""

from __future__ import annotations

import argparse

from wizard.cli.arguments import Parser, Text, add_outputs
from wizard.cli.inputs import case_in
from wizard.cli.outputs import deliver


def add_arguments(parser: Parser, text: Text) -> None:
    """Its file and options."""
    parser.add_argument("file", metavar="FILE")
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Show the case."""
    return deliver(case_in(chosen.file, chosen.lang), chosen)

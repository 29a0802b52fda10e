"""`naosu open`: a saved case or report in the window."""

from __future__ import annotations

import argparse

from wizard.cli.arguments import Parser, Text, UsageError
from wizard.words import words


def add_arguments(parser: Parser, _text: Text) -> None:
    """Its file."""
    parser.add_argument("file", metavar="FILE")


def run(chosen: argparse.Namespace) -> int:
    """Open the window with the file."""
    from wizard.desktop.display import no_window

    trouble = no_window()
    if trouble is not None:
        raise UsageError(words(f"commands.{trouble.reason}-open", chosen.lang, detail=trouble.detail))
    from wizard.window.app import run_window

    return run_window([chosen.file], chosen.lang)

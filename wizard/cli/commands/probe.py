"""`naosu probe`: the probe that is carried to another machine as one file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from checks.visible import visible
from wizard.cli.arguments import STANDARD_STREAM, Parser, Text
from wizard.cli.outputs import write
from wizard.words import words


def add_arguments(parser: Parser, text: Text) -> None:
    """Where it goes."""
    parser.add_argument("file", nargs="?", metavar="FILE", help=text("help-probe-file"))


def run(chosen: argparse.Namespace) -> int:
    """Write it, and say what to run on the other machine."""
    from checks.engine.portable.archive import archive
    from checks.engine.portable.command import NAME, command

    path = chosen.file or NAME
    write(path, archive(), chosen.lang)
    if path != STANDARD_STREAM:
        line = visible(command(computes=True, name=Path(path).name))
        print(words("commands.probe-written", chosen.lang, path=visible(path), line=line), file=sys.stderr)
    return 0

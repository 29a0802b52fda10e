"""`naosu mcp`: a read-only server of the Model Context Protocol over standard input and output."""

from __future__ import annotations

import argparse
import sys

from wizard.cli.arguments import Parser, Text, UsageError
from wizard.cli.target import located
from wizard.words import words


def add_arguments(parser: Parser, _: Text) -> None:
    """Its option."""
    named = words("mcp.help-target", parser.language)
    parser.add_argument("--target", action="append", default=[], metavar="PYTHON", help=named)


def run(chosen: argparse.Namespace) -> int:
    """Answer until the other side closes standard input."""
    allowed = tuple(located(path, chosen.lang) for path in chosen.target)
    try:
        from wizard.cli.mcp_server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio", "pydantic"):
            raise
        raise UsageError(words("mcp.missing", chosen.lang)) from error
    if sys.stdin.isatty():
        print(words("mcp.terminal", chosen.lang), file=sys.stderr)
    serve(chosen.lang, allowed)
    return 0

"""`naosu scan`: programs, notebooks and configurations, read for what keeps a run from being repeated."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from checks.visible import visible_text
from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError, seconds
from wizard.cli.inputs import given_path
from wizard.cli.outputs import write
from wizard.words import words

if TYPE_CHECKING:
    from checks.analysis.scripts.scan import Scan
    from checks.proof.scripts.prove import ScriptProof


def add_arguments(parser: Parser, text: Text) -> None:
    """Its files and options."""
    parser.add_argument("file", nargs="+", metavar="FILE", help=text("help-scan-file"))
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help=text("help-scan-json"))
    forms.add_argument("--sarif", action="store_true", help=text("help-scan-sarif"))
    forms.add_argument("--diff", action="store_true", help=text("help-scan-diff"))
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help=text("help-scan-rule"))
    parser.add_argument("--all", action="store_true", help=text("help-scan-all"))
    parser.add_argument("--prove", action="store_true", help=text("help-scan-prove"))
    parser.add_argument("--runs", type=int, metavar="N", help=text("help-scan-runs"))
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help=text("help-scan-timeout"))
    parser.add_argument("--target", metavar="PYTHON", help=text("help-run-target"))
    parser.add_argument("--yes", action="store_true", help=text("help-scan-yes"))


def run(chosen: argparse.Namespace) -> int:
    """Read them and print what was found. Status: 0 no warning, 1 a warning, 2 a file that could not be read."""
    from checks.analysis.scripts.scan import scan
    from checks.analysis.scripts.words import severity_of
    from checks.facts.finding import Severity
    from wizard.cli.scan.outputs import unread_line
    from wizard.cli.scan.proving import check_proving, proven

    _check_rules(chosen)
    check_proving(chosen)
    found = scan([given_path(path, chosen.lang) for path in chosen.file])
    if chosen.rule:
        found = found.only(chosen.rule)
    if not found.scripts and not found.unread:
        raise UsageError(words("scan.no-programs", chosen.lang))
    proofs = proven(found, chosen) if chosen.prove else ()
    write(STANDARD_STREAM, _printed(found, proofs, chosen), chosen.lang)
    for unread in found.unread:
        print(unread_line(unread, chosen.lang), file=sys.stderr)
    if found.unread:
        return 2
    return int(any(severity_of(mark) == Severity.WARNING for mark in found.marks))


def _check_rules(chosen: argparse.Namespace) -> None:
    """A rule that is asked for is known."""
    from checks.knowledge.scripts.rules import rule_ids

    strange = next((rule for rule in chosen.rule if rule not in rule_ids()), None)
    if strange is not None:
        known = ", ".join(rule_ids())
        detail = words("commands.wrong-choice", chosen.lang, name="--rule", given=strange, choices=known)
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=detail))


def _printed(found: Scan, proofs: Sequence[ScriptProof], chosen: argparse.Namespace) -> bytes:
    from wizard.cli.scan.outputs import as_diff, as_json, as_text
    from wizard.cli.scan.proving import proof_line
    from wizard.cli.scan.sarif import as_sarif

    if chosen.json:
        return as_json(found, chosen.lang, proofs)
    if not (chosen.sarif or chosen.diff):
        lines = (f"{proof_line(proof, chosen.lang)}\n" for proof in proofs)
        return (as_text(found, chosen.lang) + "".join(lines)).encode()
    for proof in proofs:
        print(proof_line(proof, chosen.lang), file=sys.stderr)
    if chosen.sarif:
        return as_sarif(found, chosen.lang)
    diff = as_diff(found, with_notes=chosen.all or bool(chosen.rule))
    if sys.stdout.isatty():  # to be read; what is to be applied goes into a file or a pipe
        return visible_text(diff).encode()
    return diff.encode("utf-8", "surrogateescape")

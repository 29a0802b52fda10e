"""`naosu programs`: the AI programs with a runtime of their own, and what they compute on by their own logs.

Nothing is started but the system's journal; why one stays on the processor is what `naosu check --program` examines.
"""

from __future__ import annotations

import argparse
import shlex
from typing import TYPE_CHECKING

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.outputs import write
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts import LocalProgram


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options."""
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))
    parser.add_argument("--redact", action="append", default=[], metavar="WORD", help=text("help-redact"))
    parser.add_argument("--no-redact", action="store_true", help=text("help-no-redact"))


def run(chosen: argparse.Namespace) -> int:
    """List them."""
    from checks.engine.local_programs import local_programs
    from checks.visible import visible
    from wizard.report.content.programs.local import told

    found = local_programs()
    if chosen.json is not None:
        _write(found, chosen)
        return 0
    if not found:
        print(words("programs.none-found", chosen.lang))
    for program in found:
        print(visible(program.path or program.log))
        print(visible(f"    {told(program, chosen.lang)}"))
        if not program.is_whole_on_gpu:
            print(visible(f"    {words('programs.ask', chosen.lang, quoted=shlex.quote(program.name))}"))
    return 0


def _write(found: tuple[LocalProgram, ...], chosen: argparse.Namespace) -> None:
    import msgspec

    from checks.facts import Facts
    from checks.facts.case import Answers, Case, now
    from checks.sharing.redact import redact
    from checks.visible import visible_json

    facts = Facts(local_programs=found)
    case = Case(created=now(), answers=Answers(), facts=facts, outcomes=(), findings=())
    kept = case if chosen.no_redact else redact(case, words=chosen.redact).case
    listed = msgspec.to_builtins(kept.facts.local_programs)
    write(chosen.json, visible_json(msgspec.json.format(msgspec.json.encode(listed))) + b"\n", chosen.lang)


def asked(word: str | None, language: str) -> str:
    """The name of the program that is asked about; "": none is.

    Raises:
        UsageError: none of this name is known.
    """
    from checks.knowledge.packages.ai_programs import ai_programs, program_called
    from checks.visible import visible

    if word is None:
        return ""
    program = program_called(word)
    if program is None:
        names = words("programs.list-separator", language).join(program.name for program in ai_programs())
        raise UsageError(visible(words("programs.unknown-name", language, word=word, names=names)))
    return program.name

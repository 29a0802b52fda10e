"""`naosu envs`: the interpreters of this machine, the likely one first."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.cli.arguments import STANDARD_STREAM, Parser, Text, UsageError
from wizard.cli.outputs import write
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts import InterpreterFacts
    from checks.interpreters import Choice


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options."""
    parser.add_argument("--near", metavar="FOLDER", help=text("help-folder"))
    parser.add_argument("--make", metavar="FOLDER", help=text("help-make"))
    parser.add_argument("--json", nargs="?", const=STANDARD_STREAM, metavar="FILE", help=text("help-json"))


def run(chosen: argparse.Namespace) -> int:
    """List them, or make one."""
    if chosen.make is not None:
        return _make(Path(chosen.make), chosen.lang)
    from checks.interpreters import Places, choice_among, find_interpreters, likely_first

    if chosen.near is not None and not Path(chosen.near).is_dir():
        raise UsageError(words("commands.file-unreadable", chosen.lang, path=chosen.near, detail="not a folder"))
    found = likely_first(find_interpreters(Places.of_this_machine(Path(chosen.near or "."))))
    choice = choice_among(found)
    named = choice.named if choice.offered is None else None
    if chosen.json is not None:
        import msgspec

        from checks.facts import Facts
        from checks.visible import visible_json

        listed = msgspec.to_builtins(Facts(interpreters=found, target=named.path if named else None))
        write(chosen.json, visible_json(msgspec.json.format(msgspec.json.encode(listed))) + b"\n", chosen.lang)
        return 0
    if not found:
        print(words("commands.none-found", chosen.lang))
    for interpreter in found:
        print(_line(interpreter, chosen.lang, choice))
    return 0


def _make(folder: Path, language: str) -> int:
    import shlex
    import subprocess

    from checks.proof.new_environment import FRAMEWORK, make_environment

    print(words("commands.making", language, path=folder, package=FRAMEWORK), file=sys.stderr)
    try:
        python = make_environment(folder)
    except FileExistsError:
        raise UsageError(words("commands.make-exists", language, path=folder)) from None
    except (OSError, subprocess.CalledProcessError):
        raise UsageError(words("commands.make-failed", language, path=folder)) from None
    print(words("commands.made", language, quoted=shlex.quote(str(python))))
    return 0


def _line(interpreter: InterpreterFacts, language: str, choice: Choice) -> str:
    from checks.interpreters import frameworks_of, is_of_another, is_own, owner_of
    from checks.visible import visible

    found = ", ".join(f"{name} {version}" for name, version in frameworks_of(interpreter).items())
    key = ""
    if interpreter is choice.offered:
        key = "likely-offered"
    elif interpreter is choice.named and choice.offered is None:
        key = "likely-own" if is_own(interpreter) else "likely"
    elif is_of_another(interpreter):
        key = "of-another"
    owner = owner_of(interpreter) or "?"
    note = f"  ({words(f'commands.{key}', language, owner=owner)})" if key else ""
    kind = f"{interpreter.kind or ''} {interpreter.version or ''}".strip()
    about = f"{kind}: {found or words('commands.no-frameworks', language)}{note}"
    return f"{visible(interpreter.path)}\n    {visible(about)}"

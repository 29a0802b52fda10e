"""`naosu scan --prove`: the named programs are run in throw-away copies, before and after the offered changes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from checks.visible import visible
from wizard.cli.arguments import UsageError
from wizard.words import words

if TYPE_CHECKING:
    from checks.analysis.scripts.scan import Scan
    from checks.facts.scripts import Edit
    from checks.proof.scripts.prove import ScriptProof
    from checks.proof.scripts.results import Difference

_MOST_RUNS = 20
_LONGEST = 100  # characters of a line that is quoted


def check_proving(chosen: argparse.Namespace) -> None:
    """See that what is to be run was named: a program, and no folder of them.

    Raises:
        UsageError: it was not, or there is nothing to run.
    """
    from wizard.cli.target import check_target

    if not chosen.prove:
        if chosen.behind:
            raise UsageError(words("commands.wrong-usage", chosen.lang, detail=words("scan.only-prove", chosen.lang)))
        return
    check_target(chosen)
    if chosen.runs is not None and not 2 <= chosen.runs <= _MOST_RUNS:
        detail = words("scan.wrong-runs", chosen.lang, given=chosen.runs, most=_MOST_RUNS)
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=detail))
    folder = next((path for path in chosen.file if Path(path).is_dir()), None)
    if folder is not None:
        raise UsageError(visible(f"naosu: {words('scan.prove-folder', chosen.lang, path=folder)}"))
    if chosen.behind and len(chosen.file) > 1:
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=words("scan.prove-one", chosen.lang)))


def proven(found: Scan, chosen: argparse.Namespace) -> tuple[ScriptProof, ...]:
    """What came of each program that was named.

    Raises:
        UsageError: no Python is known to run it with.
    """
    from checks.readers.scripts.sources import PYTHON

    edits = found.offered(with_notes=chosen.all or bool(chosen.rule))
    programs = [script for script in found.scripts if Path(script.file).suffix.lower() in PYTHON]
    return tuple(_proven(script.file, edits, chosen) for script in programs if script.runs)


def _proven(file: str, edits: Mapping[str, Sequence[Edit]], chosen: argparse.Namespace) -> ScriptProof:
    from checks.engine.processes.surroundings import probe_environment
    from checks.engine.watch.command import CommandError, understood
    from checks.proof.scripts.prove import RUNS, SECONDS, ScriptTrial
    from wizard.cli.target import with_its_python

    folder = Path.cwd()
    try:
        command = understood((file, *chosen.behind), folder)
        if command.script is not None:
            command = with_its_python(command, chosen)
    except CommandError as error:
        sentence = words(f"commands.run-{error.key}", chosen.lang, **error.values)
        raise UsageError(visible(f"naosu: {sentence}")) from error

    def on_run(number: int, most: int) -> None:
        line = words("scan.prove-run", chosen.lang, program=file, number=number, most=most)
        print(visible(line), file=sys.stderr, flush=True)

    return ScriptTrial(
        program=Path(file),
        command=command.words,
        folder=folder,
        edits=edits,
        variables=probe_environment(command.words[0]),
        runs=chosen.runs or RUNS,
        seconds=chosen.timeout or SECONDS,
        on_run=on_run,
    ).proof()


def proof_line(proof: ScriptProof, language: str) -> str:
    """What came of it, as one line."""
    values = {
        "program": proof.program,
        "runs": proof.runs,
        "before": proof.before,
        "after": proof.after,
        "seconds": words("runs.seconds", language, seconds=proof.seconds),
        "failure": proof.failure,
    }
    if proof.reason:
        values["reason"] = words(f"scan.unproven-{proof.reason}", language, **proof.values)
    told = words(f"scan.proof-{proof.outcome}", language, **values)
    if proof.difference is not None and proof.outcome != "agreed-before":
        told += ("" if language == "ja" else " ") + _difference(proof.difference, language)
    return visible(told)


def _difference(difference: Difference, language: str) -> str:
    values = {
        "file": difference.file,
        "line": difference.line,
        "one": difference.one.strip()[:_LONGEST],
        "other": difference.other.strip()[:_LONGEST],
    }
    key = "file" if difference.file and not difference.line else "line-of-file" if difference.file else "line"
    return words(f"scan.differs-{key}", language, **values)

"""`--minimal`: the smallest part of a model that still shows a difference is written to a folder."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from checks.facts.case import Case
from checks.visible import visible
from wizard.cli.arguments import UsageError
from wizard.cli.follow import Then
from wizard.cli.inputs import given_inputs
from wizard.cli.progress_line import ProgressLine
from wizard.words import words


def check_minimal(chosen: argparse.Namespace) -> str:
    """The path of the second Python, "" where none is named.

    Raises:
        UsageError: the folder is there and not empty, or cannot be made, what it needs was not named, or the second
            Python is none.
    """
    if chosen.minimal is None:
        if chosen.beside is not None:
            raise UsageError(words("commands.beside-needs-minimal", chosen.lang))
        return ""
    if chosen.target is None:
        raise UsageError(words("commands.minimal-needs-target", chosen.lang))
    folder = Path(chosen.minimal)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(words("commands.minimal-not-empty", chosen.lang, path=chosen.minimal))
    there = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise UsageError(words("commands.minimal-no-room", chosen.lang, path=chosen.minimal))
    return "" if chosen.beside is None else _second(chosen.beside, chosen.lang)


def _second(named: str, language: str) -> str:
    """The path of the second Python, of which a folder may be named as of the first."""
    from checks.interpreters import read_interpreter
    from wizard.cli.target import located

    found = read_interpreter(located(named, language))
    if found.problem is not None:
        why = words(f"window.target-problem-{found.problem}", language, path=named)
        raise UsageError(words("commands.wrong-beside", language, why=why))
    return found.path


def cut_down(chosen: argparse.Namespace, beside: str) -> Then:
    """What looks for the part once the case is known. ``beside``: the second Python; "" none."""

    def then(case: Case, cancelled: Callable[[], bool]) -> Case:
        from checks.engine.minimal import cut_down as events_of
        from checks.engine.minimal import to_cut

        models = to_cut(case, beside)
        if not chosen.quiet:
            lines = [words("graphs.cutting", chosen.lang, model=model) for model in models]
            for line in lines or [words("graphs.nothing-to-cut", chosen.lang)]:
                print(visible(line), file=sys.stderr, flush=True)
        progress = ProgressLine(chosen.lang, shown=sys.stderr.isatty() and not chosen.quiet)
        events = events_of(case, Path(chosen.minimal), given_inputs(chosen), beside, cancelled)
        try:
            while True:
                progress.show(next(events))
        except StopIteration as ended:
            progress.clear()
            judged: Case = ended.value
        if models and not chosen.quiet:
            for line in outcome(judged, chosen.lang):
                print(visible(line), file=sys.stderr, flush=True)
        return judged

    return then


def outcome(case: Case, language: str) -> Iterator[str]:
    """A line for each model that was cut down: where its part was written and what that shows, or why there is none."""
    from checks.facts import MinimalGraph
    from wizard.report.content.measured.minimal import in_short

    for part in case.facts.measurements:
        if isinstance(part, MinimalGraph):
            written = f"{words('commands.written', language, path=part.folder)} " if part.folder else ""
            yield written + in_short(part, language)

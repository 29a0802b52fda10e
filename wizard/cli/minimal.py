"""`--minimal`: the smallest part of a model that still shows a difference is written to a folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
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
        UsageError: the folder is there and not empty, or what it needs was not named.
    """
    from wizard.cli.target import located

    if chosen.minimal is None:
        if chosen.beside is not None:
            raise UsageError(words("commands.beside-needs-minimal", chosen.lang))
        return ""
    if chosen.target is None:
        raise UsageError(words("commands.minimal-needs-target", chosen.lang))
    folder = Path(chosen.minimal)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(words("commands.minimal-not-empty", chosen.lang, path=chosen.minimal))
    return "" if chosen.beside is None else located(chosen.beside, chosen.lang)


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
            return judged

    return then

"""`naosu served`: a served model is asked the same again and again; how often its answers vary, and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from checks.visible import visible
from wizard.cli.arguments import Parser, Text, UsageError, add_outputs
from wizard.cli.outputs import check_outputs
from wizard.flow import EFFORTS
from wizard.words import words

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.cli.follow import Then

_FEWEST, _MOST = 2, 1000  # times


def add_arguments(parser: Parser, text: Text) -> None:
    """Its address and options."""
    parser.add_argument("url", metavar="URL", help=text("help-served-url"))
    parser.add_argument("--model", metavar="NAME", default="", help=text("help-served-model"))
    parser.add_argument("--prompt", action="append", default=[], metavar="FILE", help=text("help-served-prompt"))
    parser.add_argument("--times", metavar="N", help=text("help-served-times"))
    parser.add_argument("--effort", choices=EFFORTS, default="standard", help=text("help-served-effort"))
    parser.add_argument("--key-variable", metavar="VARIABLE", default="", help=text("help-served-key"))
    parser.add_argument("--deterministic", action="store_true", help=text("help-served-deterministic"))
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Say what is about to be sent, ask, and write what was asked for."""
    from checks.engine.served.address import RequestError, understood
    from checks.engine.served.examination import examine_served
    from checks.engine.served.plan import ServedRequest
    from wizard.cli.follow import followed
    from wizard.report.content.measured.served import announcement

    try:
        request = ServedRequest(
            base=understood(chosen.url),
            model=chosen.model,
            prompts=tuple(map(Path, chosen.prompt)),
            times=_times(chosen),
            effort=chosen.effort,
            key_variable=chosen.key_variable,
            is_claimed=chosen.deterministic,
        )
        request.check()
    except RequestError as error:
        raise _usage(words(f"served.{error.key}", chosen.lang, **error.values)) from error
    check_outputs(chosen)
    if not chosen.quiet:
        for line in announcement(request, chosen.lang):
            print(visible(line), file=sys.stderr, flush=True)
    return followed(lambda cancelled: examine_served(request, cancelled), chosen, _answered(chosen))


def _times(chosen: argparse.Namespace) -> int:
    """How often each prompt is asked; 0 leaves it to the effort."""
    if chosen.times is None:
        return 0
    if not chosen.times.isdecimal() or not _FEWEST <= int(chosen.times) <= _MOST:
        detail = words("commands.wrong-times", chosen.lang, name="--times", given=chosen.times)
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=detail))
    return int(chosen.times)


def _answered(chosen: argparse.Namespace) -> Then:
    """Pass where a model answered; who could not be asked has no report."""

    def passed(case: Case, _is_cancelled: Callable[[], bool]) -> Case:
        from wizard.report.content.measured.served import problem_words

        served = case.facts.served
        if served is not None and served.problem:
            raise _usage(f"{served.url}: {problem_words(served, chosen.lang)}")
        return case

    return passed


def _usage(sentence: str) -> UsageError:
    return UsageError(visible(f"naosu: {sentence}"))

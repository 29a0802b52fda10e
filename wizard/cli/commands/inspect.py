"""`naosu inspect`: model files alone, read where no interpreter is named, else also tried in it."""

from __future__ import annotations

import argparse

from wizard.cli.arguments import Parser, Text, UsageError, add_outputs
from wizard.cli.inputs import given_inputs, given_path
from wizard.cli.outputs import check_outputs, streams
from wizard.cli.target import check_target
from wizard.flow import EFFORTS
from wizard.words import words


def add_arguments(parser: Parser, text: Text) -> None:
    """Its files and options."""
    parser.add_argument("file", nargs="+", metavar="FILE", help=text("help-inspect-file"))
    parser.add_argument("--target", metavar="PYTHON", help=text("help-inspect-target"))
    parser.add_argument("--effort", choices=EFFORTS, default="standard", help=text("help-effort"))
    parser.add_argument("--export", nargs="*", metavar="EXPORTER", help=text("help-export"))
    parser.add_argument("--repeat", action="store_true", help=text("help-repeat"))
    parser.add_argument("--minimal", metavar="FOLDER", help=text("help-minimal"))
    parser.add_argument("--beside", metavar="PYTHON", help=text("help-beside"))
    parser.add_argument("--inputs", metavar="FILE", help=text("help-inputs"))
    parser.add_argument("--offline", action="store_true", help=text("help-offline"))
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Read the files, try them where an interpreter is named, and write what was asked for."""
    from checks.engine.read_only import read_only
    from checks.engine.request import Request
    from checks.facts.case import Answers
    from checks.facts.question import MODELS
    from wizard.cli.follow import examined, followed
    from wizard.cli.minimal import check_minimal, cut_down

    models = tuple(given_path(path, chosen.lang) for path in chosen.file)
    check_target(chosen)
    _check_options(chosen)
    beside = check_minimal(chosen)
    check_outputs(chosen)
    answers = Answers(symptom=MODELS, effort=chosen.effort)
    if chosen.target is not None:
        request = Request(
            answers=answers,
            target=chosen.target,
            interpreters=(),
            models=models,
            exports=None if chosen.export is None else tuple(chosen.export),
            inputs=given_inputs(chosen),
            repeat=chosen.repeat or (chosen.minimal is not None and not beside),
        )
        return examined(request, chosen, cut_down(chosen, beside) if chosen.minimal is not None else None)
    status = followed(lambda cancelled: read_only(models, answers, cancelled), chosen)
    if not streams(chosen) and not chosen.quiet:
        print("\n" + words("models.no-target", chosen.lang))
    return status


def _check_options(chosen: argparse.Namespace) -> None:
    """An export takes exporters that are known; it and repetitions an interpreter; inputs are for these alone."""
    is_for_run = chosen.repeat or chosen.minimal is not None or (len(chosen.file) > 1 and chosen.target is not None)
    if chosen.inputs is not None and chosen.export is None and not is_for_run:
        raise UsageError(words("commands.inputs-need-export", chosen.lang))
    if chosen.repeat and chosen.target is None:
        raise UsageError(words("commands.repeat-needs-target", chosen.lang))
    if chosen.export is None:
        return
    from checks.knowledge.frameworks.exporters import ExportersTable

    known = [exporter.id for exporter in ExportersTable.read().exporter]
    strange = next((name for name in chosen.export if name not in known), None)
    if strange is not None:
        detail = words("commands.wrong-choice", chosen.lang, name="--export", given=strange, choices=", ".join(known))
        raise UsageError(words("commands.wrong-usage", chosen.lang, detail=detail))
    if chosen.target is None:
        raise UsageError(words("commands.export-needs-target", chosen.lang))

"""`naosu check`: examine this machine and one interpreter."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

from wizard.cli.arguments import Parser, Text, add_outputs, seconds
from wizard.cli.commands.programs import asked
from wizard.cli.inputs import case_in, given_inputs, given_path, sent_file
from wizard.cli.mending import check_apply
from wizard.cli.outputs import check_outputs
from wizard.cli.snapshots import history_folder
from wizard.cli.target import check_target, choose_target
from wizard.flow import EFFORTS, EXACTNESS, SYMPTOMS


def add_arguments(parser: Parser, text: Text) -> None:
    """Its options."""
    parser.add_argument("--target", metavar="PYTHON", help=text("help-target"))
    parser.add_argument("--program", metavar="NAME", help=text("help-program"))
    parser.add_argument("--yes", action="store_true", help=text("help-yes"))
    parser.add_argument("--symptom", choices=SYMPTOMS, default="everything", help=text("help-symptom"))
    exactness = [exactness for exactness in EXACTNESS if exactness]
    parser.add_argument("--exactness", choices=exactness, default="", help=text("help-exactness"))
    parser.add_argument("--effort", choices=EFFORTS, help=text("help-check-effort"))
    parser.add_argument("--prove", action="store_true", help=text("help-prove"))
    parser.add_argument("--offline", action="store_true", help=text("help-offline"))
    parser.add_argument("--apply", action="store_true", help=text("help-apply"))
    parser.add_argument("--load", type=seconds, metavar="SECONDS", help=text("help-load"))
    for kind in ("model", "script", "log"):
        parser.add_argument(f"--{kind}", action="append", default=[], metavar="FILE", help=text(f"help-{kind}"))
    parser.add_argument("--inputs", metavar="FILE", help=text("help-inputs"))
    parser.add_argument("--compare", action="append", default=[], metavar="REPORT", help=text("help-check-compare"))
    parser.add_argument("--no-history", action="store_true", help=text("help-no-history"))
    add_outputs(parser, text)


def run(chosen: argparse.Namespace) -> int:
    """Examine, and write what was asked for."""
    from checks.analysis.numbers.side_by_side import other_machine
    from checks.engine.request import Request
    from checks.facts.case import Answers
    from checks.facts.question import SymptomName
    from wizard.cli.follow import examined
    from wizard.cli.proving import proven

    check_target(chosen)
    program = asked(chosen.program, chosen.lang)
    if program and chosen.symptom == SymptomName.EVERYTHING:
        chosen.symptom = SymptomName.NOT_ON_GPU.value
    request = Request(
        answers=Answers(symptom=chosen.symptom, exactness=chosen.exactness, effort=chosen.effort or "standard"),
        near=Path.cwd(),
        logs=tuple(sent_file(path, "log", chosen.lang) for path in chosen.log),
        scripts=tuple(sent_file(path, "script", chosen.lang) for path in chosen.script),
        models=tuple(given_path(path, chosen.lang) for path in chosen.model),
        inputs=given_inputs(chosen),
        repeat=True if chosen.inputs else None,  # who gives an input wants the model to be run with it
        load=chosen.load,
        # Whoever only wants to know whether everything is in order has the answer in seconds.
        compute=bool(chosen.effort or chosen.load or chosen.model or chosen.inputs or chosen.compare),
        others=tuple(other_machine(case_in(path, chosen.lang), Path(path).name) for path in chosen.compare),
        history=history_folder(chosen),
        program=program,
    )
    check_outputs(chosen)
    check_apply(chosen)
    texts = tuple(log.text or "" for log in request.logs)
    # Who asks about a program with a runtime of its own means none of the Pythons.
    files = (*chosen.script, *chosen.model)
    found = () if program and chosen.target is None else choose_target(chosen, files=files, texts=texts)
    return examined(
        dataclasses.replace(request, target=chosen.target, interpreters=found),
        chosen,
        proven(chosen) if chosen.prove or chosen.apply else None,
    )

"""A program that really failed, with the case that is made of it: a variable keeps its Python from starting."""

import sys
from pathlib import Path

import pytest

from checks.engine.watch.connection import Listened
from checks.engine.watch.program import ProgramTask, watch_program
from checks.facts import EnvironmentVariables, Facts, MachineFacts, OsFacts
from checks.facts.case import Answers, Case
from checks.facts.question import SymptomName
from checks.interpreters import read_interpreter
from checks.judgement.judge import judged


def kept_from_starting(folder: Path, monkeypatch: pytest.MonkeyPatch, source: str = "print('fine')") -> Case:
    """The case of a program that runs as soon as PYTHONHASHSEED is not set any more."""
    monkeypatch.setenv("PYTHONHASHSEED", "abc")
    (folder / "prog.py").write_text(source)
    words = (sys.executable, "prog.py")
    run = watch_program(ProgramTask(command=words, folder=folder, named=words), Listened(lambda *_: None))
    facts = Facts(
        machine=MachineFacts(os=OsFacts(system="Linux")),
        interpreters=(read_interpreter(sys.executable),),
        target=sys.executable,
        environment=EnvironmentVariables(values={"PYTHONHASHSEED": "abc"}),
        runs=(run,),
        here=True,
    )
    return judged(facts, Answers(symptom=SymptomName.DOES_NOT_START))

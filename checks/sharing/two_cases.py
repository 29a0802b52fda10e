"""Two saved examinations side by side, as a case of its own: what ``naosu compare A B`` and the window show."""

from pathlib import Path

import msgspec

from checks.analysis.numbers.side_by_side import other_machine
from checks.facts import Symptom
from checks.facts.case import Answers, Case
from checks.facts.question import COMPARISON
from checks.judgement.judge import judged


def compared(first: Case, second: Case, names: tuple[str, str]) -> Case:
    """The first examination beside the second. Both are called by these names: neither need be this machine."""
    facts = msgspec.structs.replace(
        first.facts,
        name=names[0],
        others=(other_machine(second, names[1]),),
        symptom=Symptom(origin="user", name=COMPARISON, exactness=first.answers.exactness),
    )
    answers = Answers(symptom=COMPARISON, exactness=first.answers.exactness, effort=first.answers.effort)
    return judged(facts, answers, created=first.created, complete=first.complete)


def names_of(first: Path, second: Path) -> tuple[str, str]:
    """The names of two files; with their folders where these alone tell them apart, else with a number."""
    if first.name != second.name:
        return first.name, second.name
    folders = first.absolute().parent.name, second.absolute().parent.name
    if folders[0] != folders[1]:
        return f"{folders[0]}/{first.name}", f"{folders[1]}/{second.name}"
    return f"{first.name} (1)", f"{second.name} (2)"

"""Which page follows which, decided from frozen answers. No Qt: the window only shows what is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from wizard.given import Given

SYMPTOMS = (
    "does-not-start",
    "not-on-gpu",
    "works-elsewhere",
    "after-change",
    "results-change",
    "results-differ",
    "everything",
)

# How exact the result must be. "" is "I do not know", which asks for nothing.
EXACTNESS = ("", "close", "decisions", "bits")


class Step(Enum):
    """The five steps of the walk, in their order."""

    SYMPTOM = "symptom"
    EVIDENCE = "evidence"
    TARGET = "target"
    RUN = "run"
    REPORT = "report"


STEPS = tuple(Step)


@dataclass(frozen=True)
class Answers:
    """What the user has said and given so far."""

    symptom: str = ""
    exactness: str = ""
    text: str = ""  # pasted, an error text or a log
    given: tuple[Given, ...] = ()
    target: str = ""  # path of the chosen interpreter


@dataclass(frozen=True)
class Progress:
    """How far the walk has come: whether an examination runs, and whether there is a report to show.

    ``opened``: the report came out of a file, so there was no walk that led to it.
    """

    running: bool = False
    reported: bool = False
    opened: bool = False


def is_complete(step: Step, answers: Answers, progress: Progress) -> bool:
    """Whether the step has all that the next one needs. The evidence is optional, so it always has."""
    match step:
        case Step.SYMPTOM:
            return answers.symptom in SYMPTOMS
        case Step.EVIDENCE:
            return True
        case Step.TARGET:
            return bool(answers.target)
        case Step.RUN:
            return progress.reported and not progress.running
        case Step.REPORT:
            return progress.reported


def next_step(step: Step, answers: Answers, progress: Progress) -> Step | None:
    """The step after this one; None where the walk ends or cannot go on yet."""
    if not is_complete(step, answers, progress) or step is STEPS[-1]:
        return None
    return STEPS[STEPS.index(step) + 1]


def previous_step(step: Step, progress: Progress) -> Step | None:
    """The step before this one; None at the start and while an examination runs (cancel it instead)."""
    if progress.running or step is STEPS[0]:
        return None
    if progress.opened and step is Step.REPORT:
        return Step.SYMPTOM
    return STEPS[STEPS.index(step) - 1]


def reachable(step: Step, answers: Answers, progress: Progress) -> bool:
    """Whether one may jump to this step: all steps before it are complete, and nothing runs.

    The run is no place to jump to (that would start it); a report can always be looked at once it is there.
    """
    if progress.running:
        return step is Step.RUN
    if step is Step.RUN:
        return progress.reported and not progress.opened
    if step is Step.REPORT:
        return progress.reported
    return all(is_complete(before, answers, progress) for before in STEPS[: STEPS.index(step)])

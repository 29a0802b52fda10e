"""Which page follows which, decided from frozen answers. No Qt: the window only shows what is decided here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from wizard.evidence_files import Given, Kind, input_among

# The words of checks/facts/question.py, which the start of the window does not load; a test holds them together.
SYMPTOMS = (
    "does-not-start",
    "not-on-gpu",
    "works-elsewhere",
    "after-change",
    "results-change",
    "results-differ",
    "everything",
)

# Somebody else's problem, known from a text alone: no machine is examined.
TICKET = "ticket"

# The question is what model files are and need, and whether they run here.
MODELS = "models"

# The question is why the answers of a served model vary; no machine is examined.
SERVED = "served"

# Symptoms for which something is computed, as checks/engine/plans/compute.py has it: there is a time to choose for it.
_COMPUTING = ("results-change", "results-differ", "everything")

# Symptoms of a program that can be started and watched; the others ask for numbers.
WATCHABLE = ("does-not-start", "not-on-gpu", "works-elsewhere", "after-change", "everything")

# How many seconds a program is watched; 0: until it ends.
WATCH_SECONDS = (60, 600, 0)

# How long may be computed.
EFFORTS = ("quick", "standard", "thorough")
NOTHING = "none"  # nothing is computed, where everything is looked at

# How many seconds each device is put under load; 0: the part of the time that the effort gives it.
LOADS = (0, 60, 600, 3600)

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
_SERVED_STEPS = (Step.SYMPTOM, Step.EVIDENCE, Step.RUN, Step.REPORT)
_TICKET_STEPS = (Step.SYMPTOM, Step.EVIDENCE, Step.REPORT)


@dataclass(frozen=True)
class Answers:
    """What the user has answered and given so far."""

    symptom: str = ""
    exactness: str = ""
    text: str = ""  # pasted, an error text or a log
    given: tuple[Given, ...] = ()
    target: str = ""  # path of the chosen interpreter
    effort: str = ""  # one of EFFORTS, or NOTHING; "": not chosen
    load: int = 0  # seconds, one of LOADS
    read_only: bool = False  # model files are tried in no interpreter
    repeat: bool = False  # model files are run again and again, and compared
    offline: bool = False  # the package index is not asked about the remedies
    url: str = ""  # of a served model
    served_model: str = ""  # "" takes the first that the server names
    key_variable: str = ""  # the environment variable that holds the server's key
    is_deterministic: bool = False  # the server is said to run in its deterministic mode
    prompts: tuple[Path, ...] = ()  # files that a served model is asked in place of ours

    @property
    def only_reads(self) -> bool:
        """Whether the examination is the reading of model files alone."""
        return self.symptom == MODELS and self.read_only

    @property
    def repeats(self) -> bool:
        """Whether model files are run again though nothing else is computed: asked for, or an input was given."""
        is_asked = self.repeat and self.symptom == MODELS and not self.read_only
        return is_asked or input_among(self.given) is not None

    @property
    def effort_taken(self) -> str:
        """The effort that is meant: who was not asked has not chosen.

        Whoever only wants to know whether everything is in order has the answer in seconds.
        """
        if self.symptom == "everything":
            return self.effort or NOTHING
        is_chosen = (computes(self.symptom) or self.symptom == SERVED) and self.effort in EFFORTS
        return self.effort if is_chosen else "standard"

    @property
    def load_taken(self) -> int | None:
        """Seconds of the load test that were asked for; None leaves them to the effort."""
        return self.load or None if computes(self.symptom) else None


@dataclass(frozen=True)
class Progress:
    """How far the walk has come: whether an examination or the user's program runs, and whether there is a report.

    ``opened``: the report came out of a file, so there was no walk that led to it. ``is_ticket``: it is of a ticket.
    """

    running: bool = False
    reported: bool = False
    opened: bool = False
    is_ticket: bool = False
    watching: bool = False  # what runs is the user's program


def computes(symptom: str) -> bool:
    """Whether something is computed to answer this."""
    return symptom in _COMPUTING


def asks_exactness(symptom: str) -> bool:
    """Whether it matters how exact the result must be: of a program that does not start there is none."""
    return symptom in (*_COMPUTING, "works-elsewhere")


def steps_of(answers: Answers) -> tuple[Step, ...]:
    """The steps of the walk: a ticket needs neither interpreter nor run, a served model no interpreter."""
    return {TICKET: _TICKET_STEPS, SERVED: _SERVED_STEPS}.get(answers.symptom, STEPS)


def steps_shown(step: Step, answers: Answers, progress: Progress) -> tuple[Step, ...]:
    """The steps to show beside a page: those of the walk; beside a report out of a file those that led to it."""
    if step is Step.REPORT and progress.opened:
        return _TICKET_STEPS if progress.is_ticket else STEPS
    return steps_of(answers)


def is_complete(step: Step, answers: Answers, progress: Progress) -> bool:
    """Whether the step has all that the next one needs. The evidence is optional, but a ticket is nothing else."""
    match step:
        case Step.SYMPTOM:
            return answers.symptom in (*SYMPTOMS, TICKET, MODELS, SERVED)
        case Step.EVIDENCE:
            if answers.symptom == MODELS:
                return any(file.kind is Kind.MODEL for file in answers.given)
            if answers.symptom == SERVED:
                return bool(answers.url.strip())
            has_text = bool(answers.text.strip()) or any(file.kind is Kind.LOG for file in answers.given)
            return has_text or answers.symptom != TICKET
        case Step.TARGET:
            return bool(answers.target) or answers.only_reads
        case Step.RUN:
            return progress.reported and not progress.running
        case Step.REPORT:
            return progress.reported


def next_step(step: Step, answers: Answers, progress: Progress) -> Step | None:
    """The step after this one; None where the walk ends or cannot go on yet."""
    steps = steps_of(answers)
    if not is_complete(step, answers, progress) or step not in steps[:-1]:
        return None
    return steps[steps.index(step) + 1]


def previous_step(step: Step, answers: Answers, progress: Progress) -> Step | None:
    """The step before this one; None at the start and while an examination runs (cancel it instead)."""
    if progress.running or step is STEPS[0]:
        return None
    if progress.opened and step is Step.REPORT:
        return Step.SYMPTOM
    steps = steps_of(answers)
    return steps[steps.index(step) - 1] if step in steps else Step.SYMPTOM


def reachable(step: Step, answers: Answers, progress: Progress) -> bool:
    """Whether one may jump to this step: all steps before it are complete, and nothing runs.

    The run is no place to jump to (that would start it); a report can always be looked at once it is there.
    """
    if progress.running:
        return step is (Step.EVIDENCE if progress.watching else Step.RUN)
    if step is Step.RUN:
        return progress.reported and not progress.opened
    if step is Step.REPORT:
        return progress.reported
    steps = steps_of(answers)
    return step in steps and all(is_complete(before, answers, progress) for before in steps[: steps.index(step)])

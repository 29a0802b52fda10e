"""What a case comes to as a whole: its state, and by which word and sentence a report names it.

Words and sentences are keys of resources/words/report.toml; what they say is decided there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from checks.analysis.models.repeats import RepeatedModels
from checks.analysis.numbers.repeats import trainings
from checks.analysis.numbers.side_by_side import Agreement, agreement, comparisons
from checks.facts import ModelMeasured, ProgramEnd
from checks.facts.case import Case
from checks.facts.finding import Severity, Status
from checks.facts.question import SymptomName
from checks.judgement.coverage import (
    has_own_error,
    is_missing,
    is_too_short,
    is_untested,
    marked_lines,
    outcome_counts,
    repeated_only_experiments,
)
from checks.judgement.headline import SURE, Headline, Stance
from checks.judgement.models.standing import Standing
from checks.judgement.programs.seen_to_run import local_program_used_gpu
from checks.judgement.ranking import can_explain
from checks.judgement.tickets.reported_numbers import is_more_than_rounding
from checks.knowledge.catalogue import UNKNOWN

_NOT_MEASURED = "not-measured"
_ASKS_REPEATING = (SymptomName.EVERYTHING, SymptomName.RESULTS_CHANGE)
_EVEN = 0.5  # a cause that a text alone gives is as likely wrong as right; below, nothing is decided
_OF_AGREEMENT = {  # what a comparison comes to -> the state of the whole
    Agreement.NOTHING: "nothing-run",
    Agreement.SAME: "clear",
    Agreement.PARTIAL: "incomplete",
    Agreement.PROVEN: "clear",
    Agreement.CANDIDATE: "warning",
    Agreement.UNEXPLAINED: "warning",
    Agreement.BEYOND: "warning",
}
_OF_MODELS = {  # the worst file's standing -> the state of the whole
    Standing.RUNS_CODE: "blocking",
    Standing.UNREADABLE: "blocking",
    Standing.DOES_NOT_RUN: "blocking",
    Standing.ATTENTION: "warning",
    Standing.NO_PROGRAM: "incomplete",
    Standing.UNKNOWN: "incomplete",
    Standing.READ: "clear",
    Standing.SHOULD_RUN: "clear",
    Standing.RUNS: "clear",
}
# The word where something blocks; every other stance names a possible cause.
_OF_BLOCKING = {Stance.FOUND: "blocking", Stance.UNRELATED: "unrelated", Stance.UNKNOWN_HERE: "undecided"}


_SEEN = (
    Stance.WORKED,
    Stance.RUNNING,
    Stance.ON_GPU,
)  # the user's own program says more than any check that could not run


@dataclass(frozen=True)
class Decision:
    """``state``: "blocking", "warning", "note", "clear", "incomplete" or "nothing-run"; the keys of its words.

    "note" is of words alone: they tell of what is normal, and nothing was seen to work.
    """

    state: str
    word: str
    sentence: str = ""


def decide(case: Case, answer: Headline, symptom: str) -> Decision:
    """The decision on an examination. ``symptom``: the question whose sentence answers it."""
    state = _state(case, answer, symptom)
    if state == "clear" and answer.stance is Stance.CLEAR and _examined_only_ours(case):
        return Decision("incomplete", "incomplete", "own-python-only")
    if state == "clear" and answer.stance is Stance.CLEAR and _ran_no_framework(case):
        return Decision("incomplete", "undecided", "no-framework-seen")
    if state == "clear" and answer.stance in (Stance.CLEAR, Stance.NORMAL) and _has_nothing_beside(case, symptom):
        return Decision("incomplete", "undecided", "one-place-only")
    if state == "clear" and answer.stance in (Stance.CLEAR, Stance.NORMAL) and repeated_only_experiments(case):
        return Decision("incomplete", "undecided", f"only-{'experiments' if _has_trained(case) else 'sum'}-repeated")
    if state == "clear" and answer.stance is Stance.CLEAR and symptom in _ASKS_REPEATING and marked_lines(case):
        return Decision("incomplete", "undecided", "script-marked")
    return Decision(state, _word(case, state, answer.stance), _sentence(case, state, symptom, answer))


def decide_ticket(case: Case) -> Decision:
    """The decision on a ticket with findings: its likeliest cause, whatever its severity, and how sure it is."""
    best = case.findings[0]
    if best.cause == UNKNOWN and local_program_used_gpu(case.facts):
        return Decision("clear", "clear", "on-gpu-ticket")
    is_decided = best.cause != UNKNOWN and best.confidence >= _EVEN
    is_open = not is_decided or (best.severity is Severity.NOTE and is_more_than_rounding(case.facts))
    state = "incomplete" if is_open else best.severity.value
    if best.cause == UNKNOWN:
        key = "unknown" if any((log.text or "").strip() for log in case.facts.logs) else "empty"
    else:
        key = "found" if best.confidence >= SURE else "maybe" if is_decided else "hint"
    maybe = {"blocking": "possible"} if key == "maybe" else {}
    return Decision(state, {"note": "normal", "incomplete": "undecided", **maybe}.get(state, state), f"{key}-ticket")


def decide_comparison(case: Case, alone: str = "clear") -> Decision:
    """The decision on two machines side by side. ``alone``: the state of what was examined of this one."""
    found = agreement(comparisons(case.facts))
    compared = _OF_AGREEMENT[found]
    state = alone if compared == "clear" else compared
    if state == "clear" and found is Agreement.PROVEN:
        return Decision(state, "differences-explained")
    if state == "warning" and found is Agreement.CANDIDATE:
        return Decision(state, "possible")
    return Decision(state, _word(case, state))


def decide_models(case: Case, standings: Collection[Standing]) -> Decision:
    """The decision on model files, by how each of them stands."""
    state = _OF_MODELS[next(standing for standing in Standing if standing in standings)]
    if state == "clear" and any(finding.severity is not Severity.NOTE for finding in case.findings):
        state = "warning"  # of what is installed, or of several files
    if state == "clear" and any(finding.cause == "quantization-accuracy-loss" for finding in case.findings):
        return Decision("incomplete", "undecided")  # seen with inputs that were made up: real ones decide
    shown = RepeatedModels.of(case.facts)
    if state == "clear" and shown.tested != shown.same:  # under a setting that no finding is about
        state = "warning"
    if state == "clear" and (not case.complete or shown.is_open or has_own_error(case)):
        state = "incomplete"
    return Decision(state, state)


def _examined_only_ours(case: Case) -> bool:
    """Whether only Naosu's own Python was looked at, which tells nothing about the user's."""
    target = case.facts.target_interpreter
    is_ours = target is not None and "naosu" in target.found_by and "chosen" not in target.found_by
    return is_ours and not case.facts.models and not case.facts.runs and not case.facts.measurements


def _ran_no_framework(case: Case) -> bool:
    """Whether the Python has no framework, as may be meant, so that nothing of the user's was seen to work."""
    return any(finding.cause == "framework-not-installed" for finding in case.findings)


def _has_nothing_beside(case: Case, symptom: str) -> bool:
    """Whether results were said to differ between two places, and only one of them was seen."""
    if symptom != SymptomName.RESULTS_DIFFER or case.facts.others:
        return False
    measured = [run for run in case.facts.measurements if not run.reason]
    beside = {run.other for run in measured if isinstance(run, ModelMeasured) and run.aspect == "device"}
    return len({device.lower() for device in {run.device for run in measured} | beside}) < 2


def _has_trained(case: Case) -> bool:
    return any(len(training.exact) > 1 for training in trainings(case.facts.measurements))


def _state(case: Case, answer: Headline, symptom: str) -> str:
    """That of the findings that can explain the question, else of all: the badge belongs to the sentence."""
    if answer.stance is Stance.MENDED or (answer.stance in _SEEN and case.complete):
        return "clear"
    if answer.stance is Stance.WAITING and case.complete:
        return "incomplete"
    explaining = {finding.severity for finding in case.findings if can_explain(finding.cause, symptom)}
    severities = explaining - {Severity.NOTE} or {finding.severity for finding in case.findings}
    for severity in (Severity.BLOCKING, Severity.WARNING):
        if severity in severities:
            return severity.value
    if not {Status.FOUND, Status.CLEAR} & {outcome.status for outcome in case.outcomes}:
        return "nothing-run"
    # Missing measurements are judged by how much was measured, not by the number of checks that had nothing to look at.
    is_unrun = any(is_missing(outcome) and outcome.reason != _NOT_MEASURED for outcome in case.outcomes)
    is_open = is_unrun or outcome_counts(case)["crashed"] or is_untested(case) or is_too_short(case) or answer.is_open
    return "incomplete" if not case.complete or is_open else "clear"


def _word(case: Case, state: str, stance: Stance = Stance.FOUND) -> str:
    """The word agrees with the sentence: "blocking" only where it names the cause, "too short" is no interruption."""
    if stance in (Stance.MENDED, Stance.WAITING):
        return stance.value
    if state == "blocking":
        return _OF_BLOCKING.get(stance, "possible")
    return "too-short" if state == "incomplete" and _incomplete(case).startswith("short-") else state


def _sentence(case: Case, state: str, symptom: str, answer: Headline) -> str:
    if state == "nothing-run":
        return state
    if answer.stance in (Stance.UNKNOWN_HERE, Stance.INPUTS_REFUSED, Stance.MENDED, Stance.WAITING, *_SEEN):
        return answer.stance.value
    if answer.stance is Stance.UNRELATED:
        return f"unrelated-{state}"
    if state == "incomplete" and not (answer.is_open and case.complete):
        return _incomplete(case)
    if answer.stance in (Stance.FOUND, Stance.MAYBE) and symptom == SymptomName.DOES_NOT_START and _has_failed(case):
        return f"{answer.stance.value}-failed"
    return f"{answer.stance.value}-{symptom}"


def _has_failed(case: Case) -> bool:
    """Whether his own program was seen to fail: then it did start."""
    return any(run.failed and not run.statement and run.end == ProgramEnd.ENDED for run in case.facts.runs)


def _incomplete(case: Case) -> str:
    if not case.complete:
        return "incomplete-cancelled"
    if is_too_short(case):
        return f"short-{case.answers.symptom}"
    return "untested" if is_untested(case) else "incomplete"

"""How much an examination covered: which checks decided, and whether enough was repeated or compared to tell."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from checks.analysis.numbers.power import ENOUGH
from checks.analysis.scripts.words import severity_of
from checks.facts import Experiment, Flip, Measurement, ModelMeasured, Portrait, Precision, Repeat
from checks.facts.case import Case
from checks.facts.finding import Outcome, Severity, Status
from checks.facts.question import ABOUT_RESULTS, SymptomName
from checks.facts.scripts import ScriptMark

# Reasons for which a check had nothing to look at, so that nothing is missing from the answer.
NOTHING_TO_CHECK = frozenset(
    {
        *("not-installed", "not-on-this-system", "one-device", "none-given", "no-target", "not-asked"),
        "no-earlier-examination",
    }
)
OWN_ERROR = "own-error"  # the reason of a measurement, or of a comparison of an export, that an error of ours ended
_LEAST = 2  # repetitions: one alone shows nothing
_REPEATING = (SymptomName.RESULTS_CHANGE, SymptomName.EVERYTHING)  # the questions that repeated operations answer


def marked_lines(case: Case) -> list[ScriptMark]:
    """The lines of given scripts that can keep their results from being repeated: read, and not seen to do so."""
    marks = (mark for script in case.facts.scripts if script.read for mark in script.read.marks)
    return [mark for mark in marks if severity_of(mark) == Severity.WARNING]


def is_missing(outcome: Outcome) -> bool:
    """Whether it did not run although there was something to look at."""
    return outcome.status is Status.SKIPPED and outcome.reason not in NOTHING_TO_CHECK


def outcome_counts(case: Case) -> dict[str, int]:
    """How many checks decided, stayed open, could not run, had no need to, and failed by our own fault."""
    endings = [outcome.status for outcome in case.outcomes]
    missing = sum(map(is_missing, case.outcomes))
    return {
        "decided": endings.count(Status.FOUND) + endings.count(Status.CLEAR),
        "open": endings.count(Status.INCONCLUSIVE),
        "not_run": missing,
        "no_need": endings.count(Status.SKIPPED) - missing,
        "crashed": endings.count(Status.CRASHED),
    }


def has_own_error(case: Case) -> bool:
    """Whether a part of Naosu itself failed, so that what it was to see was not seen: a check, or a comparison."""
    is_crashed = any(outcome.status is Status.CRASHED for outcome in case.outcomes)
    runs = (*case.facts.measurements, *(run for model in case.facts.models for run in model.exports))
    return is_crashed or any(run.reason == OWN_ERROR for run in runs)


def is_tested(case: Case) -> bool:
    """Whether anything was computed that can answer a question about results."""
    return any(map(is_conclusive, case.facts.measurements))


def repeated_only_experiments(case: Case) -> bool:
    """Whether results are said to change, and all that was repeated are the short experiments of NumPy.

    Runtimes of models have nothing to repeat without a model, so that a longer examination tells no more.
    """
    measured = case.facts.measurements
    if case.answers.symptom != SymptomName.RESULTS_CHANGE or {one.framework for one in measured} != {"numpy"}:
        return False
    return any(isinstance(one, Experiment) and is_conclusive(one) for one in measured) and not any(
        isinstance(one, (Repeat, ModelMeasured)) or varies(one) for one in measured
    )


def is_untested(case: Case) -> bool:
    """Whether the question is one that only computing answers, and nothing was computed."""
    return case.answers.symptom in ABOUT_RESULTS and not is_tested(case)


def is_conclusive(measured: Measurement) -> bool:
    """Whether a measurement can answer a question about results."""
    match measured:
        case _ if measured.reason:
            return False
        case Repeat(repetitions=count, distinct=distinct):
            return distinct is not None and count >= _LEAST
        case Experiment(exact=runs):
            return len(runs) >= _LEAST
        case ModelMeasured(distinct=distinct, difference=difference):
            return distinct is not None or difference is not None
        case Precision(against=against, beside=beside):
            return against is not None or beside is not None
        case Flip(before=before):
            return before is not None
        case _:
            return False


def varies(measured: Measurement) -> bool:
    """Whether repetitions of it differ."""
    match measured:
        case Repeat():
            return measured.setting == "default" and measured.varies
        case Experiment():
            return measured.distinct > 1
        case ModelMeasured(distinct=distinct):
            return (distinct or 0) > 1
        case _:
            return False


def repeats_by_default(measurements: Sequence[Measurement]) -> list[Repeat]:
    """The operations that were repeated with default settings."""
    repeats = (measurement for measurement in measurements if isinstance(measurement, Repeat))
    return [repeat for repeat in repeats if repeat.setting == "default"]


def is_too_short(case: Case) -> bool:
    """Whether nothing was seen to change, but so little was repeated or compared that this proves nothing."""
    measured = case.facts.measurements
    if case.facts.reported or any(map(varies, measured)):
        return False
    if case.answers.symptom == SymptomName.RESULTS_DIFFER:
        compared = [measurement for measurement in measured if isinstance(measurement, (Portrait, Precision, Flip))]
        return _is_mostly_left_out(compared, [measurement for measurement in compared if not measurement.reason])
    if case.answers.symptom not in _REPEATING or any(map(_is_own_and_steady, measured)):
        return False
    plain = repeats_by_default(measured)
    tested = [repeat for repeat in plain if is_conclusive(repeat)]
    is_seldom = bool(tested) and median(repeat.repetitions for repeat in tested) < ENOUGH
    return is_seldom or _is_mostly_left_out(plain, tested)


def _is_own_and_steady(measured: Measurement) -> bool:
    """Whether it is the user's own model, so often the same that this says more than any operation."""
    return isinstance(measured, ModelMeasured) and measured.distinct == 1 and measured.repetitions >= ENOUGH


def _is_mostly_left_out(planned: Sequence[Measurement], measured: Sequence[Measurement]) -> bool:
    late = sum(measurement.is_left_out for measurement in planned)
    return late > 0 and late >= len(measured)

"""What the verdict may say: which finding answers the question that was asked, and how firmly.

That some building blocks vary here is no proof that the user's program varies because of them: it may use none of them.
Where the user's own model, or a whole training, was run again and did not change, this comes first. A cause is stated
only where such a whole was seen to change, or something else proves it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from checks.analysis.models.repeats import REPEATED, SHAPES, decides_otherwise, name_of, says_of_decisions
from checks.analysis.numbers.repeats import repeated, trainings
from checks.analysis.numbers.side_by_side import Agreement, agreement, comparisons
from checks.facts import Facts, ModelMeasured
from checks.facts.finding import MEASURED_MODEL, Finding, Severity
from checks.facts.question import ABOUT_RESULTS, Exactness, SymptomName
from checks.facts.remedies.mendings import fixed_by
from checks.judgement.programs.seen_to_run import only_waited, still_failing, still_ran, used_gpu, worked
from checks.judgement.ranking import NO_NUMBERS, can_explain, is_found
from checks.knowledge.catalogue import UNKNOWN

SURE = 0.8  # from here on a cause is stated, below it is offered
# Causes for which single operations were repeated, and not what the user runs.
_OF_OPERATIONS = (
    "nondeterministic-op",
    "uninitialized-memory-or-race",
    "setting-ignored",
    "cudnn-autotune",
    "first-call-differs",
)
# Causes for which two places, versions or ways of computing are compared: each of them alone may well repeat.
_BETWEEN_PLACES = (
    "apple-or-mobile-backend-numerics",
    "batch-size-rounding",
    "compiled-graph-rounding",
    "cpu-gpu-rounding",
    "exporter-numeric-difference",
    "gpu-arch-rounding",
    "library-version-numerics",
    "preprocessing-mismatch",
    "quantization-accuracy-loss",
    "random-stream-differs",
    "reduced-precision",
    "tf32-enabled",
    "thread-count-rounding",
)
_NO_REASON = ("deterministic-mode-op-unsupported",)  # tells of what a mode refuses, and of no result
_LEAST = 2  # repetitions: one alone shows nothing


class Stance(StrEnum):
    """How the verdict relates to the finding that it names."""

    FOUND = "found"  # it is the cause
    MAYBE = "maybe"  # it may be
    OPERATIONS = "operations"  # it may be, if the program uses the operations that were seen to vary
    MODEL_STEADY = "model-steady"  # the user's own model was run again and did not change, and nothing else tells why
    MODEL_REPEATS = "model-repeats"  # the same, but the user's own model was run again and did not change
    TRAINING_REPEATS = "training-repeats"  # the same, but a whole training was, and did not change
    COMPARED = "compared"  # another machine was given, and what the comparison comes to is the answer
    UNRELATED = "unrelated"  # it explains something else
    INPUTS_REFUSED = "inputs-refused"  # the user's model was not run with the input that was given for it
    UNKNOWN_HERE = "unknown-here"  # only a text tells of a trouble that no check knows
    NORMAL = "normal"  # a note: what was seen is as it should be
    DECISIONS_SAME = "decisions-same"  # bits change, the decisions of the user's model do not
    DECISIONS_OPEN = "decisions-open"  # bits change; whether a decision does was not measured
    MENDED = "mended"  # it failed, a remedy was carried out here, and it was then seen to work
    WORKED = "worked"  # the user's own program was seen to come to its end without a failure
    RUNNING = "running"  # it had not failed when the chosen time was over
    WAITING = "waiting"  # it ran before, and computed nothing while it was looked at
    ON_GPU = "on-gpu"  # it was seen to compute on the GPU, and that was asked
    CLEAR = "clear"  # nothing answers the question


@dataclass(frozen=True)
class Headline:
    """``spoken``: the index of the finding that is named. ``model``, ``count``: what did not change, and how often.

    ``steps``: of a training that did not change. ``varied``, ``tried``: the single operations beside it.
    """

    stance: Stance
    spoken: int = 0
    model: str = ""
    count: int = 0
    steps: int = 0
    varied: int = 0
    tried: int = 0

    @property
    def is_open(self) -> bool:
        """Whether what was asked was not measured."""
        return self.stance is Stance.DECISIONS_OPEN


def headline(facts: Facts, findings: Sequence[Finding], symptom: str, exactness: str) -> Headline:
    """What to say of the findings, the best first, for a question and the exactness that its user needs."""
    left = [index for index, finding in enumerate(findings) if not finding.is_mended]
    is_left = is_found([findings[index] for index in left], reported=facts.reported)
    if fixed_by(facts.mendings) and not is_left and all(run.is_unasked for run in still_failing(facts)):
        return Headline(Stance.MENDED)
    if not left or len(left) == len(findings):
        return _of_findings(facts, findings, symptom, exactness)
    said = _of_findings(facts, [findings[index] for index in left], symptom, exactness)
    return replace(said, spoken=left[said.spoken])


def _of_findings(facts: Facts, findings: Sequence[Finding], symptom: str, exactness: str) -> Headline:
    is_blocked = any(finding.severity is Severity.BLOCKING for finding in findings)
    if (
        symptom == SymptomName.RESULTS_DIFFER
        and not is_blocked
        and agreement(comparisons(facts)) is not Agreement.NOTHING
    ):
        return Headline(Stance.COMPARED)
    if not is_found(findings, reported=facts.reported):
        if worked(facts):
            return Headline(Stance.WORKED)
        if still_ran(facts):
            return Headline(Stance.WAITING if only_waited(facts) else Stance.RUNNING)
        if used_gpu(facts):
            return Headline(Stance.ON_GPU)
    if not findings:
        return _of_nothing(facts, 0, symptom)
    own = None if is_blocked else _of_own_model(findings, symptom)
    if own is not None:
        return own
    spoken = _spoken(findings, symptom)
    best = findings[spoken]
    if best.severity is Severity.NOTE:
        return _of_note(facts, best, spoken, symptom, exactness)
    if best.cause == UNKNOWN and all(evidence.lines for evidence in best.evidence):  # no check saw anything fail here
        return Headline(Stance.UNKNOWN_HERE, spoken)
    if not can_explain(best.cause, symptom):
        return Headline(Stance.UNRELATED, spoken)
    if symptom in ABOUT_RESULTS and _is_of_operations(best, facts):
        return _of_operations(facts, best, spoken, symptom)
    is_sure = best.confidence >= SURE and not (symptom == SymptomName.RESULTS_CHANGE and best.cause in _BETWEEN_PLACES)
    return Headline(Stance.FOUND if is_sure else Stance.MAYBE, spoken)


def is_trouble(facts: Facts, findings: Sequence[Finding], symptom: str) -> bool:
    """Whether something serious was found, or two machines differ by what is not proven to explain it.

    Who gives the report of another machine asks that, whatever the question is.
    """
    if is_found(findings, reported=facts.reported):
        return True
    is_asked = symptom in (SymptomName.COMPARISON, SymptomName.RESULTS_DIFFER) or bool(facts.others)
    return is_asked and agreement(comparisons(facts)) in (Agreement.CANDIDATE, Agreement.UNEXPLAINED, Agreement.BEYOND)


def _spoken(findings: Sequence[Finding], symptom: str) -> int:
    """The finding to name: the first serious one that can explain the symptom, else the first of all.

    Where nothing is serious, the first note that can explain it, as normal rounding explains why results differ. What
    tells places apart comes first where these are asked about, else last: runs that differ in one place are graver.
    """
    serious = [index for index, finding in enumerate(findings) if finding.severity is not Severity.NOTE]
    fitting = [index for index in serious or range(len(findings)) if can_explain(findings[index].cause, symptom)]
    is_between = symptom == SymptomName.RESULTS_DIFFER
    severities = {findings[index].severity for index in fitting}
    worst = next((grade for grade in Severity if grade in severities), None)  # what is graver is not passed over
    fitting.sort(
        key=lambda index: (
            findings[index].severity is not worst,
            findings[index].cause in _NO_REASON,
            (findings[index].cause in _BETWEEN_PLACES) is not is_between and _is_of_numbers(findings[index]),
        )
    )
    return fitting[0] if fitting else 0


def _of_own_model(findings: Sequence[Finding], symptom: str) -> Headline | None:
    """What stands before all else: that the user's model was not run, or gives NaN, which is equal in every run."""
    refused = next((index for index, finding in enumerate(findings) if _is_of_inputs(finding)), None)
    if refused is not None:
        return Headline(Stance.INPUTS_REFUSED, refused)
    lost = next((index for index, finding in enumerate(findings) if _is_of_lost_numbers(finding)), None)
    return Headline(Stance.UNRELATED, lost) if lost is not None and symptom in ABOUT_RESULTS else None


def _is_of_inputs(finding: Finding) -> bool:
    """Whether it is about an input that the user gave; another program's words may tell of one, too."""
    return finding.cause == "model-input-mismatch" and MEASURED_MODEL in finding.values


def _is_of_lost_numbers(finding: Finding) -> bool:
    """Whether the user's own model gives NaN."""
    return finding.cause in NO_NUMBERS and finding.severity is not Severity.NOTE


def _is_of_numbers(finding: Finding) -> bool:
    """Whether it is one of the two kinds at all."""
    return finding.cause in _BETWEEN_PLACES or finding.cause in _OF_OPERATIONS


def _of_note(facts: Facts, best: Finding, spoken: int, symptom: str, exactness: str) -> Headline:
    """Nothing is wrong. A note may explain what was seen: it is normal, and no fault."""
    is_answer = symptom in ABOUT_RESULTS and can_explain(best.cause, symptom) and best.cause not in _NO_REASON
    if not is_answer or (symptom == SymptomName.RESULTS_CHANGE and best.cause in _BETWEEN_PLACES):
        nothing = _of_nothing(facts, spoken, symptom)
        if nothing.stance is not Stance.CLEAR or not is_answer:
            return nothing
    if exactness != Exactness.DECISIONS:
        return Headline(Stance.NORMAL, spoken)
    own = [run for run in facts.measurements if isinstance(run, ModelMeasured) and run.decisions is not None]
    decided = [run for run in own if says_of_decisions(run)]
    if decided:
        changed = any(map(decides_otherwise, decided))
        return Headline(Stance.NORMAL if changed else Stance.DECISIONS_SAME, spoken)
    same = _model_repeats(facts, spoken, Stance.MODEL_REPEATS) if symptom == SymptomName.RESULTS_CHANGE else None
    return same or Headline(Stance.DECISIONS_OPEN, spoken)


def _is_of_operations(finding: Finding, facts: Facts) -> bool:
    """Whether it is about single operations: not about a model of the user, nor about a training that changed."""
    if finding.cause not in _OF_OPERATIONS or any(
        run.path and run.path in finding.subject for run in facts.measurements if isinstance(run, ModelMeasured)
    ):
        return False
    return not any(
        training.distinct > 1 and training.device in finding.subject for training in trainings(facts.measurements)
    )


def _of_operations(facts: Facts, finding: Finding, spoken: int, symptom: str) -> Headline:
    if symptom != SymptomName.RESULTS_CHANGE:
        return Headline(Stance.OPERATIONS, spoken)
    whole = [training for training in trainings(facts.measurements) if training.device in finding.subject]
    repeats = _model_repeats(facts, spoken, Stance.MODEL_REPEATS)
    if repeats or not whole:
        return repeats or Headline(Stance.OPERATIONS, spoken)
    here = [run for run in repeated(facts.measurements, {}) if f"{run.framework} {run.device}" == finding.subject]
    tried = [operation.default for operation in here if operation.default is not None]
    return Headline(
        Stance.TRAINING_REPEATS,
        spoken,
        count=min(len(run.exact) for run in whole),
        steps=min(run.steps[-1] for run in whole),
        varied=sum(run.varies for run in tried),
        tried=len(tried),
    )


def _of_nothing(facts: Facts, spoken: int, symptom: str) -> Headline:
    """No finding tells why results change: that the user's own model repeats is the answer then."""
    steady = _model_repeats(facts, spoken, Stance.MODEL_STEADY) if symptom == SymptomName.RESULTS_CHANGE else None
    return steady or Headline(Stance.CLEAR, spoken)


def _model_repeats(facts: Facts, spoken: int, stance: Stance) -> Headline | None:
    """Where the user's models were run again and all gave the same bits."""
    models = [
        run
        for run in facts.measurements
        if isinstance(run, ModelMeasured)
        and run.aspect == REPEATED
        and run.distinct is not None
        and run.repetitions >= _LEAST
        and run.reason in ("", SHAPES)
    ]
    if not models or any(model.distinct != 1 or _is_all_zero(model) for model in models):
        return None
    names = ", ".join(dict.fromkeys(map(name_of, models)))
    return Headline(stance, spoken, names, min(model.repetitions for model in models))


def _is_all_zero(run: ModelMeasured) -> bool:
    """Whether nothing came out that could have changed, as where an input was drawn that multiplies all by zero."""
    return run.difference is not None and run.difference.scale == 0

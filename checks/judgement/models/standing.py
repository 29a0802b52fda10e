"""The state of a model file as a whole: the best result in any program, and the findings against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from checks.analysis.models.repeats import RepeatedModels
from checks.facts import Facts, ModelFacts
from checks.facts.finding import MEASURED_MODEL, Finding, Severity
from checks.facts.models.verdicts import ModelVerdict, Outcome
from checks.knowledge.catalogue import cause_of


class Standing(StrEnum):
    """The state of a model file in a word, the worst first."""

    RUNS_CODE = "runs-code"  # whatever else is said of it: whoever loads it runs what its maker wants
    UNREADABLE = "unreadable"
    DOES_NOT_RUN = "does-not-run"
    ATTENTION = "attention"  # it runs, but not where or as it should, or something is to be known
    NO_PROGRAM = "no-program"  # nothing in the target reads it
    UNKNOWN = "unknown"
    READ = "read"  # there was no target
    SHOULD_RUN = "should-run"
    RUNS = "runs"


SERIOUS = frozenset({Standing.RUNS_CODE, Standing.UNREADABLE, Standing.DOES_NOT_RUN, Standing.ATTENTION})
_RAN = (Outcome.RUNS, Outcome.LOADS)


def by_model(findings: Iterable[Finding]) -> Mapping[str, Sequence[Finding]]:
    """The findings by the path of the model file that each is about; "" for those about none."""
    of: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        of[finding.named("model_path")].append(finding)
    return of


def path_of(finding: Finding) -> str:
    """The path of the model file that a finding is about, by its bytes or by running it again; "" for none."""
    return finding.named(MEASURED_MODEL) or finding.named("model_path")


def is_harmful(finding: Finding) -> bool:
    """Whether it must be read before anything is done with the file."""
    return finding.severity is Severity.BLOCKING and cause_of(finding.cause).is_warned_first


@dataclass(frozen=True)
class PerModel:
    """The findings and verdicts of each model file, by its path: a folder may hold thousands of them."""

    findings: Mapping[str, Sequence[Finding]]
    verdicts: Mapping[str, Sequence[ModelVerdict]]

    @classmethod
    def of(cls, findings: Iterable[Finding], verdicts: Iterable[ModelVerdict]) -> PerModel:
        """All of a case, sorted out once."""
        verdicts_of: defaultdict[str, list[ModelVerdict]] = defaultdict(list)
        for verdict in verdicts:
            verdicts_of[verdict.model].append(verdict)
        found: defaultdict[str, list[Finding]] = defaultdict(list)
        for finding in findings:
            found[path_of(finding)].append(finding)
        return cls(found, verdicts_of)

    def standing(self, model: ModelFacts) -> Standing:
        """The best that a program makes of the file, with what was found against it counted in."""
        if any(map(is_harmful, self.findings.get(model.path, ()))):
            return Standing.RUNS_CODE
        severities = {finding.severity for finding in self.findings.get(model.path, ())}
        verdicts = self.verdicts.get(model.path, ())
        outcomes = {verdict.outcome for verdict in verdicts} - {Outcome.NOT_INSTALLED}
        if model.problem and not outcomes & {*_RAN, Outcome.RUNS_WITH_FALLBACK}:
            return Standing.UNREADABLE
        works = bool(outcomes & {*_RAN, Outcome.RUNS_WITH_FALLBACK, Outcome.SHOULD_RUN})
        if (Severity.BLOCKING in severities and not works) or (Outcome.DOES_NOT_RUN in outcomes and not works):
            return Standing.DOES_NOT_RUN
        if severities & {Severity.BLOCKING, Severity.WARNING} or (
            outcomes and not outcomes & {*_RAN, Outcome.SHOULD_RUN, Outcome.UNKNOWN}
        ):
            return Standing.ATTENTION
        if outcomes & set(_RAN):
            return Standing.RUNS
        if Outcome.SHOULD_RUN in outcomes:
            return Standing.SHOULD_RUN
        if outcomes:
            return Standing.UNKNOWN
        return Standing.NO_PROGRAM if verdicts else Standing.READ


def is_any_serious(facts: Facts, findings: Iterable[Finding], verdicts: Iterable[ModelVerdict]) -> bool:
    """Whether a model file could not be read, does not run, wants attention, or varies under some setting."""
    repeated = RepeatedModels.of(facts)
    if repeated.tested != repeated.same:
        return True
    per_model = PerModel.of(findings, verdicts)
    return any(per_model.standing(model) in SERIOUS for model in facts.models)

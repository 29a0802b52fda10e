"""Facts in, outcomes and ranked findings out. Pure: no clock but the stopwatch, no I/O but the knowledge tables."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence

from checks.causes.registry import KINDS, Check, all_checks
from checks.facts import Facts, Measurements, ModelFiles
from checks.facts.finding import NOT_COLLECTED, Finding, Inconclusive, NotHere, Outcome, Severity, Status
from checks.knowledge.catalogue import cause_of, family_of

log = logging.getLogger(__name__)

UNKNOWN = "unknown"
# The two symptoms that ask why numbers differ; a program that fails is explained by the other families.
ABOUT_RESULTS = frozenset({"results-change", "results-differ"})
MODELS = "models"  # the question is what the given model files are and need; nothing else is judged
COMPARISON = "comparison"  # the question is why two machines compute differently; what breaks neither is not judged
WORTH_READING = 0.05  # a finding of a ticket behind the first that is less sure is in the JSON alone
_WEIGHT = {Severity.BLOCKING: 0, Severity.WARNING: 1, Severity.NOTE: 2}


def judge_each(facts: Facts, checks: Iterable[Check] | None = None) -> Iterator[Outcome]:
    """Run the checks (by default those that the symptom asks for) on the facts, one outcome each."""
    if facts.reported:
        from checks.readers.tickets.defaults import supposed  # late: most examinations have nothing to do with tickets

        facts = supposed(facts)
    symptom = facts.symptom.name if facts.symptom else ""
    for check in checks_for(symptom, computed=bool(facts.measurements)) if checks is None else checks:
        yield judge_one(check, facts)


def checks_for(symptom: str, *, computed: bool = False) -> tuple[Check, ...]:
    """The checks that belong to a symptom: all of them, or those of model files or of numbers where these are asked.

    ``computed``: the models were not only read but also run again, so that their numbers are judged, too.
    """
    every = tuple(all_checks().values())
    if symptom == COMPARISON:
        return tuple(each for each in every if family_of(each.cause) == "reproducibility")
    if symptom != MODELS:
        return every
    kinds = (ModelFiles, Measurements) if computed else (ModelFiles,)
    return tuple(each for each in every if any(kind in kinds for kind, _ in each.wanted.values()))


def judge_one(check: Check, facts: Facts) -> Outcome:
    """One check, with every ending turned into an outcome: a broken check must not hide the others."""
    if facts.reported and check.from_whole:
        return Outcome(cause=check.cause, status=Status.SKIPPED, reason="only-told")
    arguments = {}
    for parameter, (kind, optional) in check.wanted.items():
        name, pick = KINDS[kind]
        value = pick(facts)
        if value is None and not optional:
            reason = facts.missing.get(name, NOT_COLLECTED)
            return Outcome(cause=check.cause, status=Status.SKIPPED, reason=reason, values={"fact": name})
        arguments[parameter] = value
    started = time.perf_counter()
    findings: list[Finding] = []
    try:
        findings.extend(check(**arguments))
    except Inconclusive as open_question:
        if not findings:  # what was found before the question came up stays found
            return Outcome(
                cause=check.cause,
                status=Status.INCONCLUSIVE,
                reason=open_question.reason,
                values=open_question.values,
                seconds=time.perf_counter() - started,
            )
    except NotHere as nothing_to_check:
        if not findings:
            fact, reason = nothing_to_check.fact, nothing_to_check.reason
            if reason == NOT_COLLECTED:
                reason = facts.missing.get(fact, reason)
            return Outcome(cause=check.cause, status=Status.SKIPPED, reason=reason, values={"fact": fact})
    except Exception as error:
        log.exception("check %s crashed", check.cause)
        return Outcome(cause=check.cause, status=Status.CRASHED, detail=repr(error))
    return Outcome(
        cause=check.cause,
        status=Status.FOUND if findings else Status.CLEAR,
        findings=tuple(findings),
        seconds=time.perf_counter() - started,
    )


def conclude(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[tuple[Outcome, ...], tuple[Finding, ...]]:
    """All outcomes and all findings, the best first; what a sent text says is weighed with what the checks found."""
    known = tuple(outcomes)
    if any(model.runs for model in facts.models):
        from checks.judgement.run_errors import with_runs  # late, as the texts below

        known = with_runs(facts, known)
    if any(model.exports for model in facts.models):
        from checks.judgement.export_errors import with_exports  # late, likewise

        known = with_exports(facts, known)
    if any(model.package for model in facts.models):
        from checks.judgement.packaged_models import with_packages  # late, likewise

        known = with_packages(facts, known)
    if not facts.reported and not any((log.text or "").strip() for log in facts.logs):
        return known, rank(known)
    from checks.judgement.odds import with_texts  # late: reading texts loads much, and most examinations have none

    if not facts.reported:
        return with_texts(facts, known)
    from checks.judgement.second_cause import with_another  # late, likewise

    return with_another(facts, *with_texts(facts, known))


def rank(outcomes: Iterable[Outcome]) -> tuple[Finding, ...]:
    """All findings, the best first: by severity, then causes before their consequences, then by confidence.

    A cause goes before what its file says that it ``explains``, also where the consequence is the graver one: who mends
    the cause is rid of both. "unknown" is dropped where a blocking cause is known: the specific beats the general.
    """
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    if any(finding.severity is Severity.BLOCKING and finding.cause != UNKNOWN for finding in findings):
        findings = [finding for finding in findings if finding.cause != UNKNOWN]
    seen = {finding.cause for finding in findings}
    explained = {
        consequence
        for finding in findings
        if finding.severity is not Severity.NOTE
        for consequence in cause_of(finding.cause).explains
        if consequence in seen and finding.cause not in cause_of(consequence).explains
    }

    worst = {cause: min(_WEIGHT[each.severity] for each in findings if each.cause == cause) for cause in seen}

    def order(finding: Finding) -> tuple[int, bool, float, str, str]:
        weight = _WEIGHT[finding.severity]
        if finding.severity is not Severity.NOTE:
            consequences = explained.intersection(cause_of(finding.cause).explains)
            weight = min([weight, *(worst[cause] for cause in consequences)])
        return (weight, finding.cause in explained, -finding.confidence, finding.cause, finding.subject)

    return tuple(sorted(findings, key=order))


def is_found(findings: Sequence[Finding], *, reported: bool) -> bool:
    """Whether something blocking, or a warning, was found.

    ``reported``: in a ticket, where "unknown" is no finding, nor is what is all but ruled out.
    """
    serious = [finding for finding in findings if finding.severity is not Severity.NOTE]
    if not reported:
        return bool(serious)
    is_likely = any(each.likelihood >= WORTH_READING or each is findings[0] for each in serious)
    return is_likely and findings[0].cause != UNKNOWN


def can_explain(cause: str, symptom: str) -> bool:
    """Whether a cause of this family can explain the symptom at all; a broken card explains both kinds."""
    is_about_results = family_of(cause) == "reproducibility" or cause == "gpu-hardware-fault"
    return symptom in ("everything", "ticket", MODELS, COMPARISON) or (symptom in ABOUT_RESULTS) == is_about_results

"""The judgement, from top to bottom: facts become outcomes of checks, and these a case with ranked findings.

    outcomes of checks           judge_each, one_check
    -> of NaN, told once         models/lost_numbers
    -> of runs and exports       models/run_errors, export_errors, packaged
    -> of files that it names    programs/named_models
    -> of the user's program     programs/runs
    -> of AI programs here       programs/local
    -> of what was mended here   programs/mended
    -> of texts, weighed         odds
    -> a second cause            second_cause
    -> ranked                    ranking
    -> a verdict per model       models/outcomes
    -> what to say of them all   headline, which a report asks

Each step is a function of the facts and of what the step before it returned, and imports none of this module. All are
pure: no clock but the stopwatch, no I/O but the knowledge tables.
"""

from collections.abc import Iterable, Iterator

import msgspec

from checks.causes.registry import Check, all_checks
from checks.facts import Facts, Measurements, ModelFiles, ServedFacts, ServedPair
from checks.facts.case import Answers, Case, now
from checks.facts.finding import Finding, Outcome
from checks.facts.question import SymptomName
from checks.judgement.merging import with_findings_instead
from checks.judgement.models.lost_numbers import told_once
from checks.judgement.models.outcomes import verdicts
from checks.judgement.one_check import judge_one
from checks.judgement.ranking import rank
from checks.knowledge.catalogue import family_of

SEEN_TO_MEND = 0.95  # how sure a cause is, when the program failed before and ran as soon as it was mended


def judged(
    facts: Facts,
    answers: Answers,
    *,
    outcomes: Iterable[Outcome] | None = None,
    created: str | None = None,
    complete: bool = True,
) -> Case:
    """The case that these facts make. ``outcomes``: of the checks, where they have run already."""
    concluded, findings = conclude(facts, judge_each(facts) if outcomes is None else outcomes)
    return Case(
        created=created or now(),
        answers=answers,
        facts=facts,
        outcomes=concluded,
        findings=findings,
        verdicts=verdicts(facts, findings),
        complete=complete,
    )


def judge_each(facts: Facts, checks: Iterable[Check] | None = None) -> Iterator[Outcome]:
    """Run the checks (by default those that the symptom asks for) on the facts, one outcome each."""
    if facts.reported:
        from checks.readers.tickets.defaults import (
            with_default_architecture,  # late: most examinations have nothing to do with tickets
        )

        facts = with_default_architecture(facts)
    symptom = facts.symptom.name if facts.symptom else ""
    for check in _checks_for(facts, symptom) if checks is None else checks:
        yield judge_one(check, facts)


def _checks_for(facts: Facts, symptom: str) -> tuple[Check, ...]:
    """Those of the symptom; where two examinations of served models are compared, those of such a pair."""
    if symptom == SymptomName.COMPARISON and facts.served_pair is not None:
        return tuple(check for check in all_checks().values() if _is_about(check, ServedPair))
    return checks_for(symptom, computed=bool(facts.measurements))


def checks_for(symptom: str, *, computed: bool = False) -> tuple[Check, ...]:
    """The checks that belong to a symptom: all of them, or those of model files or of numbers where these are asked.

    Those of served models are for this question alone. ``computed``: the models were not only read but also run again,
    so that their numbers are judged, too.
    """
    every = all_checks().values()
    if symptom == SymptomName.SERVED:
        return tuple(check for check in every if _is_about(check, ServedFacts))
    checks = tuple(check for check in every if not _is_about(check, ServedFacts, ServedPair))
    if symptom == SymptomName.COMPARISON:
        return tuple(check for check in checks if family_of(check.cause) == "reproducibility")
    if symptom != SymptomName.MODELS:
        return checks
    return tuple(
        check for check in checks if _is_about(check, *((ModelFiles, Measurements) if computed else (ModelFiles,)))
    )


def _is_about(check: Check, *kinds: type) -> bool:
    """Whether a check wants one of these kinds of facts."""
    return any(kind in kinds for kind, _ in check.wanted.values())


def _surer(outcome: Outcome, facts: Facts) -> Outcome:
    """An outcome whose causes are as good as certain where the program was seen to work with them mended.

    A new environment mends more than one cause, and shows none.
    """
    shown = {(proof.cause, proof.subject) for proof in facts.proofs if proof.mended and proof.way != "new"}
    if not any((finding.cause, finding.subject) in shown for finding in outcome.findings):
        return outcome
    findings = (
        msgspec.structs.replace(finding, confidence=max(finding.confidence, SEEN_TO_MEND))
        if (finding.cause, finding.subject) in shown
        else finding
        for finding in outcome.findings
    )
    return msgspec.structs.replace(outcome, findings=tuple(findings))


def conclude(facts: Facts, outcomes: Iterable[Outcome]) -> tuple[tuple[Outcome, ...], tuple[Finding, ...]]:
    """All outcomes and all findings, the best first; what a sent text says is weighed with what the checks found.

    The imports are late for start-up time alone: most examinations have no failed model and no text, and what reads
    these loads much.
    """
    known = told_once(tuple(outcomes)) if facts.models else tuple(outcomes)
    if any(model.runs for model in facts.models):
        from checks.judgement.models.run_errors import with_runs

        known = with_runs(facts, known)
    if any(model.exports for model in facts.models):
        from checks.judgement.models.export_errors import with_exports

        known = with_exports(facts, known)
    if any(model.package for model in facts.models):
        from checks.judgement.models.packaged import with_packages

        known = with_packages(facts, known)
    if facts.named_models:
        from checks.judgement.programs.named_models import with_named_models

        known = with_named_models(facts, known)
    if facts.runs:
        from checks.judgement.programs.runs import with_programs

        known = with_programs(facts, known)
    if any(program.text for program in facts.local_programs or ()):
        from checks.judgement.programs.local import with_local_programs

        known = with_local_programs(facts, known)
    known = tuple(_surer(outcome, facts) for outcome in known)
    if facts.mendings:
        from checks.judgement.programs.mended import with_mended

        known = with_mended(facts, known)
    proven = {(proof.cause, proof.subject) for proof in facts.proofs if proof.helped}
    if not facts.reported and not any((log.text or "").strip() for log in facts.logs):
        return known, rank(known, proven)

    from checks.judgement.tickets.odds import weighed

    named = weighed(facts, known)
    if not facts.reported:
        known = with_findings_instead(known, named)
        return known, rank(known, proven)

    from checks.judgement.tickets.second_cause import with_second_cause

    named = with_second_cause(facts, named)
    return with_findings_instead(known, named), named

"""One check on the facts, with every ending turned into an outcome."""

import logging
import time

from checks.causes.registry import KINDS, Check
from checks.facts import Facts
from checks.facts.finding import NOT_COLLECTED, Finding, Inconclusive, NotHere, Outcome, Status

log = logging.getLogger(__name__)


def judge_one(check: Check, facts: Facts) -> Outcome:
    """The outcome of one check: a broken check must not hide the others."""
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

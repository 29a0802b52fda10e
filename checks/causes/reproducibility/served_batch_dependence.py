"""What a served model answers depends on what else it computes at that moment.

Detects:      answers at temperature 0 that are asked together with others and have another text or other probabilities
              than alone, where alone all were the same; not those that are like the very first answer, which a cold
              cache explains.
Why it bites: under load the server answers differently than in a test with one request at a time.
Blind spots:  larger batches than were sent; requests of other users, which may be in the batch of what was asked alone.
Knowledge:    resources/knowledge/frameworks/served.toml
"""

from collections.abc import Iterator

from checks.analysis.served.variation import (
    OPEN,
    SURE,
    Variation,
    enough,
    evidence_of,
    has_effect,
    how_close,
    is_rounding,
    of,
    steady_alone,
    what_varies,
)
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Finding, Severity


@check("served-batch-dependence")
def served_batch_dependence(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server."""
    steady = steady_alone(served)
    names = {trial.prompt for trial in steady.trials if not trial.drifted}
    company = of(served, ServedAspect.COMPANY)
    beside = Variation(tuple(trial for trial in company.trials if trial.prompt in names))
    seen = beside.new_others + beside.drifted
    if not seen:
        enough(min(beside.calls, steady.calls))
        return
    is_shown = has_effect(seen, beside.calls, steady.calls)
    yield Finding(
        severity=Severity.NOTE if is_rounding(beside) or not is_shown else Severity.WARNING,
        confidence=SURE if is_shown else OPEN,
        subject=served.model,
        evidence=tuple(evidence_of(served, beside, "served_in_company")),
        values={
            FRAMEWORK: served.kind,
            "what": what_varies(beside),
            "others": str(beside.new_others or beside.drifted),
            "calls": str(beside.calls),
            "alone": str(steady.calls),
            "at_once": str(max(trial.at_once for trial in beside.trials)),
            "closeness": how_close(beside),
        },
    )

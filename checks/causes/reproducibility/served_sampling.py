"""A served model takes tokens that are not the likeliest, although temperature 0 was asked for.

Detects:      answers to one prompt at temperature 0 that part where one of them took a token clearly behind the
              likeliest, by the server's own probabilities.
Why it bites: the server draws at random, so that no setting of the kernels or of the batch makes it repeat.
Blind spots:  a server that tells no probabilities; one that tells those before a penalty is applied and varies for
              another reason at such a place.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.served.closeness import Closeness, closeness
from checks.analysis.served.variation import SURE, evidence_of, of
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Evidence, Finding, Inconclusive, Severity


@check("served-sampling")
def served_sampling(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server."""
    alone = of(served, ServedAspect.ALONE)
    drawn = [parting for parting in alone.partings if closeness(parting) is Closeness.SAMPLED]
    if drawn:
        behind = max(parting.below or 0.0 for parting in drawn)
        yield Finding(
            severity=Severity.WARNING,
            confidence=SURE,
            subject=served.model,
            evidence=(
                *evidence_of(served, alone, "served_alone"),
                Evidence("served_behind", f"{behind:.2g}", served.origin),
            ),
            values={FRAMEWORK: served.kind, "others": str(alone.others), "calls": str(alone.calls)},
        )
    elif not served.has_tops:
        raise Inconclusive("served-no-probabilities")
    elif any(trial.unlikely for trial in alone.trials):
        raise Inconclusive("served-penalty")

"""A served model varies although its deterministic mode is on.

Detects:      any variation at temperature 0, alone, in company or by the cache, of a server that says that its
              deterministic mode is on, or of which its user says so.
Why it bites: what relies on the promise (tests, reinforcement learning) gets other answers all the same.
Blind spots:  whether the mode is on where only its user says so; hardware for which it makes no promise.
Knowledge:    resources/knowledge/frameworks/served.toml
"""

from collections.abc import Iterator

from checks.analysis.served.variation import Variation, enough, evidence_of, how_close, of, what_varies
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Finding, NotHere, Severity
from checks.knowledge.phrases import phrase

_PROMISED, _CLAIMED = 0.95, 0.75


@check("served-mode-broken")
def served_mode_broken(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server."""
    if not served.is_promised and not served.is_claimed:
        raise NotHere("served_mode", "not-asked")
    aspects = (ServedAspect.ALONE, ServedAspect.COMPANY, ServedAspect.CACHE, ServedAspect.SHARED)
    every = of(served, *aspects)
    varying = [Variation(served.of(aspect)) for aspect in aspects]
    broken = [found for found in varying if found.others or found.drifted]
    if not broken:
        enough(every.calls)
        return
    yield Finding(
        severity=Severity.WARNING,
        confidence=_PROMISED if served.is_promised else _CLAIMED,
        subject=served.model,
        evidence=tuple(evidence_of(served, every, "served_in_all")),
        values={
            FRAMEWORK: served.kind,
            "what": what_varies(every),
            "others": str(every.others or every.drifted),
            "calls": str(every.calls),
            "where": tuple(phrase(f"served-when-{found.trials[0].aspect}") for found in broken),
            "told": phrase("served-mode-told" if served.is_promised else "served-mode-claimed"),
            "closeness": how_close(every),
        },
    )

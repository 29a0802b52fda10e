"""A served model gives other answers with the same seed.

Detects:      answers at a temperature above 0 with one seed of which most are unlike each other, while answers at
              temperature 0 are all the same. A few different ones may come of numbers that move: what is drawn is then
              near the border between two tokens.
Why it bites: who relies on the seed to repeat an answer gets another one each time.
Blind spots:  a server whose answers do not depend on any seed: that one seed repeats shows nothing there.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.numbers.power import ENOUGH
from checks.analysis.served.variation import Variation, evidence_of, of, steady_alone
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Finding, Inconclusive, Severity

_MOST = 0.5  # of the answers have a text of their own: then each is drawn anew
_FEW = 2  # answers of which one is no rate
_SURE = 0.9


@check("served-seed-ignored")
def served_seed_ignored(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server."""
    seeded = of(served, ServedAspect.SEED)
    if not seeded.others:
        if not any(trial.other_texts for trial in seeded.trials):
            raise Inconclusive("served-seeds-alike")
        if seeded.calls < ENOUGH // 2:
            raise Inconclusive("served-too-few", count=str(seeded.calls), enough=str(ENOUGH // 2))
        return
    steady_alone(served)
    if seeded.calls <= _FEW or _texts(seeded) <= _MOST * seeded.calls:
        raise Inconclusive("served-seed-moved", others=str(seeded.others), calls=str(seeded.calls))
    yield Finding(
        severity=Severity.WARNING,
        confidence=_SURE,
        subject=served.model,
        evidence=tuple(evidence_of(served, seeded, "served_with_seed")),
        values={FRAMEWORK: served.kind, "others": str(seeded.others), "calls": str(seeded.calls)},
    )


def _texts(seeded: Variation) -> int:
    """How many different answers there are."""
    return sum(trial.distinct for trial in seeded.trials)

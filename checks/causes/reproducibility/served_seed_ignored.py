"""A served model gives other answers with the same seed.

Detects:      answers at a temperature above 0 with one seed that have another text, while answers at temperature 0 are
              all the same, so that it is not the numbers.
Why it bites: who relies on the seed to repeat an answer gets another one each time.
Blind spots:  a server whose answers do not depend on any seed: that one seed repeats shows nothing there.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.numbers.power import ENOUGH
from checks.analysis.served.variation import OPEN, evidence_of, of, steady_alone
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Finding, Inconclusive, Severity

_MOST = 0.5  # of the answers are others: then it is the drawing, and not a near tie now and then
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
    is_shown = seeded.calls > _FEW and seeded.others > _MOST * (seeded.calls - 1)
    yield Finding(
        severity=Severity.WARNING if is_shown else Severity.NOTE,
        confidence=_SURE if is_shown else OPEN,
        subject=served.model,
        evidence=tuple(evidence_of(served, seeded, "served_with_seed")),
        values={FRAMEWORK: served.kind, "others": str(seeded.others), "calls": str(seeded.calls)},
    )

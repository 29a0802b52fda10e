"""More than one server answers behind one address.

Detects:      answers within minutes that name different builds (system_fingerprint) or models.
Why it bites: each replica computes by its own build, on its own hardware; which of them answers is left to chance.
Blind spots:  replicas of one build, which name the same; servers that name none.
Knowledge:    none
"""

from collections import Counter
from collections.abc import Iterator

from checks.analysis.served.variation import SURE, described, of
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity


@check("served-replicas")
def served_replicas(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the address."""
    alone = of(served, ServedAspect.ALONE)
    builds, models = Counter[str](), Counter[str]()
    for trial in served.trials:
        builds.update(trial.fingerprints)
        models.update(trial.models)
    if not builds and not models:
        raise NotHere("system_fingerprint", "served-not-told")
    several = next((names for names in (builds, models) if len(names) > 1), None)
    if several is None:
        return
    yield Finding(
        severity=Severity.WARNING if alone.others else Severity.NOTE,
        confidence=SURE,
        subject=served.url,
        evidence=(
            Evidence("server", described(served), served.origin),
            *(Evidence("served_by", f"{name}: {count}", served.origin) for name, count in several.most_common(5)),
        ),
        values={FRAMEWORK: served.kind, "count": str(len(several))},
    )

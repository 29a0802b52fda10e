"""A served model gives another answer although nothing of ours is beside it.

Detects:      answers at temperature 0, asked one after the other, of another text or with other probabilities than the
              usual one; not those that met a colder cache, as the very first one may.
Why it bites: the server cannot repeat itself even when it is idle: neither one request at a time nor a mode against the
              effect of the batch helps.
Blind spots:  where no probabilities are told, whether it draws at random, which is said then; who else uses the server
              meanwhile is not seen: then this is an effect of company.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.served.closeness import Closeness
from checks.analysis.served.variation import SURE, enough, evidence_of, how_close, is_rounding, of, what_varies
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts
from checks.facts.finding import FRAMEWORK, Finding, Severity
from checks.knowledge.phrases import phrase

_UNTOLD = 0.7  # how sure it is where nobody sees whether the server draws at random


@check("served-varies-alone")
def served_varies_alone(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server; where it draws at random, served-sampling says so."""
    alone = of(served, ServedAspect.ALONE)
    if alone.closeness is Closeness.SAMPLED:
        return
    if not alone.new_others and not alone.drifted:
        enough(alone.calls)
        return
    is_note = not alone.new_others and is_rounding(alone)
    yield Finding(
        severity=Severity.NOTE if is_note else Severity.WARNING,
        confidence=SURE if served.has_tops or not alone.new_others else _UNTOLD,
        subject=served.model,
        evidence=tuple(evidence_of(served, alone, "served_alone")),
        values={
            FRAMEWORK: served.kind,
            "what": what_varies(alone),
            "others": str(alone.new_others or alone.drifted),
            "calls": str(alone.calls),
            "closeness": how_close(alone) if served.has_tops or not alone.new_others else phrase("served-undrawn"),
        },
    )

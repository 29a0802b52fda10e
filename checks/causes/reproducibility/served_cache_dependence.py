"""What a served model answers depends on how much of the prompt lies in its prefix cache.

Detects:      prompts with a beginning that the server never saw, or only a part of it, and the same prompts again: the
              first answer is another in text or probabilities than the second, while second and third are the same.
              Where a request can switch the cache off, whether that makes them the same.
Why it bites: the first request of a conversation, or the first after a restart, gets another answer than later ones.
Blind spots:  what else a server does at a first request; a server that never says how much it took from its cache.
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
    what_varies,
)
from checks.causes.registry import check
from checks.facts import ServedAspect, ServedFacts, ServedTrial
from checks.facts.finding import FRAMEWORK, Evidence, Finding, Inconclusive, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase


@check("served-cache-dependence")
def served_cache_dependence(served: ServedFacts) -> Iterator[Finding]:
    """One finding for the server."""
    groups = of(served, ServedAspect.CACHE, ServedAspect.SHARED)
    if groups.control or groups.control_drifted:  # it varies as well where all of the prompt is known
        raise Inconclusive("served-varies-anyway")
    seen = groups.others + groups.drifted
    if not seen:
        enough(groups.calls)
        return
    bypassed = Variation(served.of(ServedAspect.BYPASS))
    is_shown = has_effect(seen, groups.calls, groups.calls) and not _differs(bypassed) and not _is_unused(groups.trials)
    yield Finding(
        severity=Severity.NOTE if is_rounding(groups) or not is_shown else Severity.WARNING,
        confidence=SURE if is_shown else OPEN,
        subject=served.model,
        evidence=(*evidence_of(served, groups, "served_cold"), *_cached(groups.trials, served.origin)),
        values={
            FRAMEWORK: served.kind,
            "what": what_varies(groups),
            "others": str(groups.others or groups.drifted),
            "calls": str(groups.calls),
            "closeness": how_close(groups),
            "bypass": _without(bypassed),
        },
    )


def _differs(bypassed: Variation) -> bool:
    return bool(bypassed.others or bypassed.drifted)


def _without(bypassed: Variation) -> Phrase:
    """What came of switching the cache off in the request."""
    if not bypassed.calls:
        return phrase("served-bypass-untried")
    key = "served-bypass-differs" if _differs(bypassed) else "served-bypass-alike"
    return phrase(key, count=str(bypassed.calls))


def _is_unused(trials: tuple[ServedTrial, ...]) -> bool:
    """Whether the server says that it took no more from its cache the second time."""
    told = [(trial.cached_cold, trial.cached_warm) for trial in trials]
    known = [(cold, warm) for cold, warm in told if cold is not None and warm is not None]
    return bool(known) and all(warm <= cold for cold, warm in known)


def _cached(trials: tuple[ServedTrial, ...], origin: str) -> Iterator[Evidence]:
    for trial in trials:
        if trial.cached_warm is not None:
            value = f"{trial.cached_cold or 0} → {trial.cached_warm} / {trial.prompt_tokens or 0}"
            yield Evidence("served_from_cache", value, origin)

"""Results of two models of GPU differ in the last digits.

Detects:      operations whose results are other bits on two GPUs of different names, of this machine or of this and
              another whose report was given, no farther apart than rounding order allows.
Why it bites: the same program with the same seed ends up with another picture or text on another card.
Blind spots:  where driver or library versions differ as well, those may be the cause; the comparison of the two
              machines lists them.
Knowledge:    resources/knowledge/frameworks/computations.toml, numeric_environment.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.digit_findings import doubt_if_farther, rounding_between
from checks.analysis.numbers.side_by_side import GPU, Comparison, Pair, comparisons, gpu_names, pairs_here
from checks.causes.registry import check
from checks.facts import Facts
from checks.facts.finding import Finding, NotHere


@check("gpu-arch-rounding")
def gpu_arch_rounding(facts: Facts) -> Iterator[Finding]:
    """One finding per pair of GPUs, and one per other machine."""
    here = [pair for pair in pairs_here(facts.measurements) if _are_two_models(pair, facts)]
    found = [(comparison, _of_gpus(comparison.pairs)) for comparison in comparisons(facts)]
    others = [(machines, pairs) for machines, pairs in found if pairs and machines.has_other("gpu")]
    if not here and not others:
        is_possible = facts.others or len(set(gpu_names(facts.frameworks).values())) > 1
        raise NotHere("portraits", "not-measured" if is_possible else "one-device")
    yield from rounding_between(here, facts.symptom)
    for comparison, pairs in others:
        yield from rounding_between(pairs, facts.symptom, _machines(comparison))
    doubt_if_farther(pair.size.size for group in (here, *(pairs for _, pairs in others)) for pair in group)


def _machines(comparison: Comparison) -> str:
    """The other machine, or both where neither is this one."""
    return " / ".join(filter(None, (comparison.here.name, comparison.other.name)))


def _of_gpus(pairs: tuple[Pair, ...]) -> list[Pair]:
    return [pair for pair in pairs if pair.first.kind == pair.second.kind == GPU]


def _are_two_models(pair: Pair, facts: Facts) -> bool:
    names = gpu_names(facts.frameworks)
    first, second = (names.get((place.framework, place.device)) for place in (pair.first, pair.second))
    return None not in (first, second) and first != second

"""Another version of a framework gives other numbers than this one.

Detects:      a machine whose report was given and whose results differ where, of all that can change such numbers, only
              versions of libraries differ.
Why it bites: after an update the same model gives slightly other numbers, and a training takes another path.
Blind spots:  where the processor, the GPU or a setting differs as well, versions are one of several explanations:
              neither found nor ruled out; the comparison of the two machines lists them all.
Knowledge:    resources/knowledge/frameworks/numeric_environment.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.digit_findings import loud_if_bits_matter
from checks.analysis.numbers.digits import figure
from checks.analysis.numbers.magnitude import Magnitude, Size
from checks.analysis.numbers.side_by_side import VERSIONS, Comparison, NumberDifference, comparisons
from checks.causes.registry import check
from checks.facts import Facts
from checks.facts.finding import Evidence, Finding, Inconclusive, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

ONLY_VERSIONS = 0.85


@check("library-version-numerics")
def library_version_numerics(facts: Facts) -> Iterator[Finding]:
    """One finding per machine that was given."""
    found = [comparison for comparison in comparisons(facts) if not comparison.is_empty]
    if not found:
        raise NotHere("others", "not-measured" if facts.others else "none-given")
    open_to_doubt: list[str] = []
    for comparison in found:
        computed = [difference for difference in comparison.apart if difference.pair.size.size is not Size.STREAM]
        apart = [
            difference
            for difference in computed
            if difference.explained_by and set(difference.explained_by) <= set(VERSIONS) and not difference.proven_by
        ]
        if not apart:
            open_to_doubt += [comparison.other.name] if any(map(_may_be_versions, computed)) else []
            continue
        worst = max(apart, key=lambda difference: difference.pair.size.relative or 0.0).pair.size
        parts = {part for difference in apart for part in difference.explained_by}
        texts = [f"{change.first} / {change.second}" for change in comparison.environment if change.part in parts]
        more = any(difference.pair.size.is_more_than_rounding for difference in apart)
        yield Finding(
            severity=Severity.WARNING if more else loud_if_bits_matter(facts.symptom),
            confidence=ONLY_VERSIONS,
            subject=comparison.other.created,
            evidence=(
                Evidence("other_machine", comparison.other.name, comparison.other.origin),
                Evidence("versions_apart", "; ".join(texts)),
                Evidence(
                    "operations_apart", ", ".join(dict.fromkeys(difference.pair.operation for difference in apart))
                ),
                *([Evidence("measured_difference", figure(worst.relative))] if figure(worst.relative) else []),
            ),
            values={"machines": _machines(comparison), "differ": _differ(worst)},
        )

    if open_to_doubt:
        raise Inconclusive("versions-or-other", other=", ".join(open_to_doubt))


def _may_be_versions(difference: NumberDifference) -> bool:
    """Whether versions are one of several explanations, none of which is proven."""
    return not difference.proven_by and not set(VERSIONS).isdisjoint(difference.explained_by)


def _differ(worst: Magnitude) -> Phrase:
    """By how much; a number and none have no distance."""
    size = figure(worst.relative)
    return phrase("differ-by", size=size) if size else phrase("differ-no-number")


def _machines(comparison: Comparison) -> Phrase:
    """Both by their names, or the one that has none as this machine."""
    first, other = comparison.here.name, comparison.other.name
    key = "two-machines" if first else "this-and-other-machine"
    return phrase(key, first=first, other=other)

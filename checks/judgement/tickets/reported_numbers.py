"""What the numbers of a ticket say of the cause that is named first, in words and as evidence."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from checks.analysis.numbers.digits import figure
from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.reported_sizes import SHORT, ReportedSize, largest_reported
from checks.facts import Facts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.catalogue import UNKNOWN, USER_CODE, family_of
from checks.knowledge.phrases import phrase

NUMBERS = "numbers"  # the value of a finding that says what the differences in the text can be
_EVEN = 0.5
DIFFERENCE = "reported_difference"  # the evidence that names the largest of them


def with_numbers(findings: tuple[Finding, ...], facts: Facts) -> tuple[Finding, ...]:
    """The findings, the first with what the numbers say, where it is one about results or there is none to name."""
    size = largest_reported(facts.numbers) if facts.numbers and findings else None
    if size is None or facts.numbers is None or not _is_about_results(findings[0]):
        return findings
    first = msgspec.structs.replace(findings[0], values={**findings[0].values, NUMBERS: numbers_phrase(size)})
    if first.cause != UNKNOWN:
        shown = Evidence(DIFFERENCE, _shown(size), facts.numbers.origin)
        first = msgspec.structs.replace(first, evidence=(*first.evidence, shown))
    return (first, *findings[1:])


def numbers_phrase(size: ReportedSize) -> Phrase:
    """How far the results are apart, and what makes as much."""
    said = phrase("numbers", size=_size(size), meaning=phrase(f"numbers-{_meaning(size)}"))
    if size.is_of_small_elements and not size.is_beyond:
        return phrase("numbers", size=said, meaning=phrase("numbers-small-elements"))
    return said


def needs_no_bug(first: Finding, facts: Facts) -> bool:
    """Whether the cause that is named first is no fault, likelier than not, and the numbers are within rounding."""
    size = largest_reported(facts.numbers) if facts.numbers else None
    is_normal = first.severity is Severity.NOTE and first.confidence >= _EVEN and NUMBERS in first.values
    return is_normal and size is not None and size.is_rounding and not size.is_left_over


def is_more_than_rounding(facts: Facts) -> bool:
    """Whether the numbers are farther apart than rounding makes, and nothing is named in which they can have grown."""
    size = largest_reported(facts.numbers) if facts.numbers else None
    return size is not None and not size.is_rounding and size.is_one_operation


def _is_about_results(finding: Finding) -> bool:
    return finding.cause in (UNKNOWN, USER_CODE) or family_of(finding.cause) == "reproducibility"


def _size(size: ReportedSize) -> Phrase:
    values = {"relative": figure(size.relative), "ulps": figure(size.ulps), "format": size.dtype}
    if size.is_left_over:
        return phrase("numbers-left-over", first=size.difference.first, second=size.difference.second, **values)
    if size.is_of_any_element:
        return phrase("numbers-of-any-element", **values)
    if size.is_assumed:
        return phrase("numbers-unsized", **values)
    if size.difference.first:
        return phrase("numbers-of-pair", first=size.difference.first, second=size.difference.second, **values)
    return phrase("numbers-sized", **values)


def _meaning(size: ReportedSize) -> str:
    if size.is_left_over:
        return "left-over-means"
    if size.is_last_digits:
        return "last-digits-of-short" if size.dtype in SHORT else "last-digits"
    if size.is_of_any_element and not size.is_rounding:
        return "of-any-element-means"
    largest = size.sizes[0]
    if largest is Size.ROUNDING:
        return "rounding-or-shorter" if len(size.sizes) > 1 else "rounding"
    return largest.value


def _shown(size: ReportedSize) -> str:
    pair: Sequence[str] = [text for text in (size.difference.first, size.difference.second) if text]
    return f"{' / '.join(pair)}: {figure(size.relative)}" if pair else figure(size.relative)

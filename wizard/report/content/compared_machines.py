"""What the comparison with another machine comes to: one sentence that names the causes. No Qt."""

from __future__ import annotations

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import Agreement, Comparison, agreement, comparisons
from checks.facts.case import Case
from wizard.report.content.measured.words import joined, part_words
from wizard.words import words

_MOST_NAMED = 3  # causes that are named; the tables have all
_LONGEST = 60  # characters of the two values of a part that are shown with its name
# Variables set the number of threads, so only that number is named.
_SHOWN_AS = {"thread-variables": "threads"}


def compared_with(case: Case, language: str) -> tuple[str, ...]:
    """A sentence for each machine that was given."""
    return tuple(
        _outcome(comparison, language, is_cancelled=not case.complete) for comparison in comparisons(case.facts)
    )


def _outcome(found: Comparison, language: str, *, is_cancelled: bool) -> str:
    causes = _causes(found)
    ending = _ending(found, is_cancelled=is_cancelled)
    outcome = words(
        f"report.comparison-{ending}",
        language,
        between=between(found, language),
        same=len(found.same),
        count=len(found.pairs),
        uncompared=len(found.one_sided),
        open=sum(not difference.explained_by for difference in found.apart),
        beyond=sum(difference.pair.size.size is Size.BEYOND for difference in found.apart),
        causes=_named(found, causes, language, ending),
    )
    if not found.apart or not all(difference.pair.size.is_within_rounding for difference in found.apart):
        return outcome
    return joined((outcome, words("report.comparison-rounding", language)), language, "report.sentence-separator")


def between(found: Comparison, language: str) -> str:
    """What is compared with what: two by their names, or another with this machine."""
    other = found.other.name or words("measurements.machines-unnamed", language)
    key = "of-two" if found.here.name else "with"
    return words(f"report.comparison-{key}", language, first=found.here.name, other=other)


def _ending(found: Comparison, *, is_cancelled: bool) -> str:
    ending = agreement([found])
    if found.is_itself:
        return "itself"
    if ending is Agreement.NOTHING and is_cancelled:
        return "cancelled"
    return ending.value


def _causes(found: Comparison) -> tuple[str, ...]:
    """Of what is proven that alone, of the rest all that may be the cause."""
    possible = [
        part for difference in found.apart for part in difference.explained_by[: 1 if difference.proven_by else None]
    ]
    return tuple(part for part in dict.fromkeys(possible) if _SHOWN_AS.get(part) not in possible)


def _named(found: Comparison, causes: tuple[str, ...], language: str, ending: str) -> str:
    separator = f"report.{'list' if ending == 'proven' else 'cause'}-separator"  # else it is not known which of them
    listed = joined((_cause(found, cause, language) for cause in causes[:_MOST_NAMED]), language, separator)
    more = len(causes) - _MOST_NAMED
    return words("advice.and-more", language, listed=listed, count=more) if more > 0 else listed


def _cause(found: Comparison, part: str, language: str) -> str:
    name = part_words(part, language)
    sides = found.values(part)
    if not 0 < len("".join(sides)) <= _LONGEST:
        return name
    return words("report.comparison-cause", language, part=name, first=sides[0], second=sides[1])

"""What the comparison with another machine comes to: one sentence that names the causes. No Qt."""

from __future__ import annotations

from checks.analysis.numbers.magnitude import Size
from checks.analysis.numbers.side_by_side import Agreement, Comparison, NumberDifference, agreement, comparisons
from checks.facts.case import Case
from wizard.report.content.measured.words import joined, part_words
from wizard.words import words

_MOST_NAMED = 3  # causes that are named; the tables have all
_LONGEST = 60  # characters of the two values of a part that are shown with its name
_OF_STREAMS = ("streams", "streams-beside")  # nothing else is unexplained; and other differences have candidates
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
        open=sum(not difference.explained_by for difference in found.apart if not _is_stream(difference)),
        streams=sum(map(_is_stream, found.apart)),
        beyond=sum(difference.pair.size.size is Size.BEYOND for difference in found.apart),
        causes=_named(found, causes, language, ending),
    )
    are_near = found.apart and all(difference.pair.size.is_within_rounding for difference in found.apart)
    streams = sum(map(_is_stream, found.apart)) if ending not in _OF_STREAMS else 0
    more = (
        words("report.comparison-rounding", language) if are_near else "",
        words("report.comparison-with-streams", language, streams=streams) if streams else "",
    )
    return joined(filter(None, (outcome, *more)), language, "report.sentence-separator")


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
    if ending is Agreement.PARTIAL and not found.lacked_time:
        return "one-sided"
    unexplained = [difference for difference in found.apart if not difference.explained_by]
    if ending is Agreement.UNEXPLAINED and all(map(_is_stream, unexplained)):
        return _OF_STREAMS[len(unexplained) < len(found.apart)]
    return ending.value


def _is_stream(difference: NumberDifference) -> bool:
    """Whether the same seed gave other random numbers: no difference of arithmetic, and none that one explains."""
    return difference.pair.size.size is Size.STREAM


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

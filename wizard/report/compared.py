"""What the comparison with another machine comes to: one sentence that names the causes. No Qt."""

from __future__ import annotations

from checks.case import Case
from checks.compare import Comparison, agreement, comparisons
from checks.magnitude import Size
from wizard.report.measured_words import joined, part_words
from wizard.words import words

_MOST_NAMED = 3  # causes that are named; the tables have all
_LONGEST = 60  # characters of the two values of a part that are told with its name
# Variables decide the number of threads: told once, as the number that came of them.
_SAID_BY = {"thread-variables": "threads"}


def compared_with(case: Case, language: str) -> tuple[str, ...]:
    """A sentence for each machine that was given."""
    return tuple(_outcome(each, language) for each in comparisons(case.facts))


def _outcome(found: Comparison, language: str) -> str:
    causes = _causes(found)
    ending = agreement([found]).value
    is_proven = bool(causes) and set(causes) <= {each.explained_by[0] for each in found.apart if each.proven_by}
    return words(
        f"report.comparison-{'proven' if ending == 'explained' and is_proven else ending}",
        language,
        other=found.other.name or words("measurements.machines-unnamed", language),
        same=len(found.same),
        count=len(found.pairs),
        open=sum(not each.explained_by for each in found.apart),
        beyond=sum(each.pair.size.size is Size.BEYOND for each in found.apart),
        causes=_named(found, causes, language),
    )


def _causes(found: Comparison) -> tuple[str, ...]:
    """Of what is proven that alone, of the rest all that may be the cause."""
    possible = [part for each in found.apart for part in each.explained_by[: 1 if each.proven_by else None]]
    return tuple(part for part in dict.fromkeys(possible) if _SAID_BY.get(part) not in possible)


def _named(found: Comparison, causes: tuple[str, ...], language: str) -> str:
    listed = joined((_cause(found, each, language) for each in causes[:_MOST_NAMED]), language)
    more = len(causes) - _MOST_NAMED
    return words("advice.and-more", language, listed=listed, count=more) if more > 0 else listed


def _cause(found: Comparison, part: str, language: str) -> str:
    """The part and what it is on either machine, where that is short."""
    name = part_words(part, language)
    sides = next(((each.first, each.second) for each in found.environment if each.part == part), ("", ""))
    if not 0 < len("".join(sides)) <= _LONGEST:
        return name
    return words("report.comparison-cause", language, part=name, first=sides[0], second=sides[1])

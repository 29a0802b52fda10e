"""A second, unrelated error in one ticket: its own lines word it clearly.

In the weighing exactly one cause is the root cause, so of two errors in one text the second gets next to no share.
What the text tells without the lines that show the first is weighed apart, and so is the first without the second's
lines: what speaks for the one does not make the other less likely. On 2026-11-21, of the 3037 known tickets,
which are about one trouble each, one was said to hold a second, and there the label names both; of 118 pairs of short
ones, one pasted behind the other, 38 were, and each time it was the right one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from checks.facts import Facts, SentFile
from checks.facts.finding import CLUE, Finding
from checks.judgement.tickets.odds import NO_CAUSE, weighed
from checks.knowledge.catalogue import cause_of
from checks.readers.tickets.excerpt import excerpt
from checks.readers.tickets.lines import PASTED, lines_of
from checks.readers.tickets.wording.signatures import Hit, hits

_SURE = 0.85  # of the text without the first's lines


def with_second_cause(facts: Facts, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The weighed findings of a ticket, with the shares that the first cause and a second one have, each by itself."""
    both = _each_by_itself(facts, findings) if findings and findings[0].cause not in NO_CAUSE else None
    if both is None:
        return findings
    first, second = both
    changes = {first.cause: {"confidence": first.confidence}, second.cause: {"apart": second.confidence}}
    return tuple(msgspec.structs.replace(finding, **changes.get(finding.cause, {})) for finding in findings)


def _each_by_itself(facts: Facts, findings: Sequence[Finding]) -> tuple[Finding, Finding] | None:
    """The first, and the cause that the text tells of without its lines; each as sure as it is without the other's."""
    first, shown = findings[0].cause, _shown(findings[0])
    if not shown or not any(_shown(finding) and not _shown(finding) & shown for finding in findings[1:]):
        return None  # as nearly always: to search again for every wording takes as long as the whole judgement
    worded: dict[str, list[Hit]] = defaultdict(list)
    for log in facts.logs:
        for hit in hits(excerpt(lines_of(log.text or "")), (facts,), log.name or PASTED):
            worded[hit.cause].append(hit)
    others = {finding.cause for finding in findings[1:] if finding.cause in worded and finding.cause not in NO_CAUSE}
    unrelated = {other for other in others if _are_unrelated(first, other, worded)}
    if not unrelated or first not in worded:
        return None
    second = _best_without(worded[first], facts)
    if second.cause not in unrelated or second.confidence < _SURE:
        return None
    alone = _best_without(worded[second.cause], facts)
    is_surer = alone.cause == first and alone.confidence > findings[0].confidence
    return (alone if is_surer else findings[0]), second


def _best_without(shown: Iterable[Hit], facts: Facts) -> Finding:
    """What the texts tell of without these lines."""
    taken = _lines(shown)
    rest = tuple(_without(log, taken) for log in facts.logs)
    return weighed(msgspec.structs.replace(facts, logs=rest), ())[0]


def _are_unrelated(first: str, other: str, worded: Mapping[str, Sequence[Hit]]) -> bool:
    """Whether neither is a consequence of the other, or its more general reading, and no line shows both."""
    related = {
        first: {*cause_of(first).explains, *(cause for hit in worded[first] for cause in hit.signature.over)},
        other: {*cause_of(other).explains, *(cause for hit in worded[other] for cause in hit.signature.over)},
    }
    if other in related[first] or first in related[other]:
        return False
    return not _lines(worded[first]) & _lines(worded[other])


def _shown(finding: Finding) -> set[tuple[str, int]]:
    """The lines that are quoted for it."""
    return {
        (evidence.origin, number) for evidence in finding.evidence if evidence.name == CLUE for number in evidence.lines
    }


def _lines(shown: Iterable[Hit]) -> set[tuple[str, int]]:
    return {(hit.origin, number) for hit in shown for number in hit.lines}


def _without(log: SentFile, taken: set[tuple[str, int]]) -> SentFile:
    """The text with these lines emptied, so that all others keep their numbers."""
    name, lines = log.name or PASTED, (log.text or "").split("\n")
    kept = ("" if (name, number) in taken else line for number, line in enumerate(lines, start=1))
    return msgspec.structs.replace(log, text="\n".join(kept))

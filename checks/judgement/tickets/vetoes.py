"""What overrules the words of a text: measured facts, the numbers that it tells, and what it leaves open."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import re2

from checks.analysis.numbers.reported_sizes import SHORT, ReportedSize, largest_reported
from checks.causes.hardware.feature_needs_newer_gpu import refused_in_logs
from checks.causes.hardware.no_gpu_for_ai import finding_without_gpu
from checks.facts import Facts
from checks.facts.finding import Finding
from checks.knowledge.errors.vetoes import NumbersVeto, Unproven, Veto, Vetoes
from checks.knowledge.tickets.phrases import expand
from checks.readers.tickets.conditions import holds


def vetoed(facts: Facts) -> Iterator[tuple[Veto, Finding]]:
    """Each veto that the facts of an examined machine speak, and the finding that proves it.

    A ticket alone has none: what it does not name may be there all the same.
    """
    if facts.reported:
        return
    for veto in Vetoes.read().veto:
        finding = _PROOFS[veto.fact](facts)
        if finding is not None:
            yield veto, finding


def _no_usable_gpu(facts: Facts) -> Finding | None:
    machine = facts.machine
    return finding_without_gpu(machine) if machine else None


def _no_gpu_on_bus(facts: Facts) -> Finding | None:
    gpus = facts.machine.gpus if facts.machine else None
    return None if gpus is None or gpus.devices else _no_usable_gpu(facts)


LOST = "not-finite"  # what the numbers show where one side has NaN or an infinity: that has no size

_PROOFS: Mapping[str, Callable[[Facts], Finding | None]] = {
    "no-usable-gpu": _no_usable_gpu,
    "no-gpu-on-bus": _no_gpu_on_bus,
    "gpu-lacks-feature": refused_in_logs,
}


@dataclass(frozen=True)
class Doubts:
    """What speaks against causes that the words of a ticket suggest.

    ``odds``: what multiplies those of a cause; ``at_most``: how sure it can be. Others keep all. ``heirs``: one of
    these it is then, by the numbers.
    """

    odds: Mapping[str, float] = field(default_factory=dict)
    at_most: Mapping[str, float] = field(default_factory=dict)
    heirs: tuple[str, ...] = ()


def doubts(facts: Facts, causes: Collection[str]) -> Doubts:
    """What the numbers of a ticket say, and what it leaves open of ``causes``, which are in question."""
    rows = (row for row in Vetoes.read().unproven if row.of in causes)
    open_ones = [row for row in rows if not _is_told(row, facts)]
    at_most: dict[str, float] = {}
    odds: dict[str, float] = {}
    for left in open_ones:
        at_most[left.of] = min(left.at_most, at_most.get(left.of, 1.0))
        is_refuted = bool(left.unless) and holds(left.unless, facts) is False
        odds[left.of] = min(left.refuted if is_refuted else left.odds, odds.get(left.of, 1.0))
    heirs: tuple[str, ...] = ()
    size = largest_reported(facts.numbers) if facts.numbers else None
    for row in Vetoes.read().numbers:
        if row.shows == LOST and facts.numbers is not None and facts.numbers.lost:
            odds |= dict.fromkeys(row.of, row.odds)
            at_most |= dict.fromkeys(row.of, row.at_most)
        if size is not None and row.shows in _SHOWS and _SHOWS[row.shows](size) and _is_about(row, facts):
            kept = row.odds_unsized if size.is_assumed else row.odds
            most = row.at_most_unsized if size.is_assumed else row.at_most
            odds |= {cause: min(kept, odds.get(cause, kept)) for cause in row.of}
            heirs += row.heirs
            at_most |= {cause: min(most, at_most.get(cause, 1.0)) for cause in row.of}
    return Doubts(odds, at_most, heirs)


def _is_about(row: NumbersVeto, facts: Facts) -> bool:
    texts = [text.text or "" for text in facts.logs]
    if row.unless_named and any(_named(row.unless_named).search(text) for text in texts):
        return False
    return any(_named(row.named).search(text) for text in texts) if row.named else True


def _is_told(row: Unproven, facts: Facts) -> bool:
    texts = [text.text or "" for text in facts.logs]
    if (row.unless and holds(row.unless, facts)) or not any(_named(row.named).search(text) for text in texts):
        return True
    return any(_named(row.unless_named).search(text) for text in texts)


@functools.cache
def _named(pattern: str) -> Any:
    return re2.compile(f"(?i){expand(pattern)}")


_SHOWS: Mapping[str, Callable[[ReportedSize], bool]] = {
    "last-digits": lambda size: size.is_last_digits,
    "last-digits-in-full": lambda size: size.is_last_digits and size.dtype not in SHORT,
    "rounding": lambda size: size.is_rounding,
    "half": lambda size: size.is_half,
    "too-far-to-have-grown": lambda size: size.is_too_far_to_have_grown,
    "more-than-rounding-in-one-operation": lambda size: not size.is_rounding and size.is_one_operation,
    "whole-numbers": lambda size: size.is_of_whole_numbers,
    "small-elements": lambda size: size.is_of_small_elements and not size.is_beyond,
}

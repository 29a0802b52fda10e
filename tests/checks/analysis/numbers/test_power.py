"""What equal repetitions exclude, and when a setting has an effect, against counting."""

import bisect
import functools
import math
import random
from collections.abc import Iterator

import pytest

from checks.analysis.numbers.power import (
    chance_of_alike,
    chance_without_effect,
    excluded_rate,
    rounded_up,
)
from checks.probes.compute.kit import OTHERS, SURE


def test_three_hundred_equal_results_exclude_one_in_a_hundred() -> None:
    assert excluded_rate(300) == pytest.approx(0.01, rel=0.02)
    assert chance_of_alike(300, 0.01) == pytest.approx(0.049, abs=0.001)


@pytest.mark.parametrize("repetitions", [30, 300, 3000])
def test_the_rule_of_three(repetitions: int) -> None:
    assert excluded_rate(repetitions) == pytest.approx(3 / repetitions, rel=0.06)


def test_one_result_shows_nothing() -> None:
    assert excluded_rate(1) is None
    assert excluded_rate(0) is None
    assert chance_of_alike(1, 0.5) == 1.0


def test_what_always_differs_is_seen_at_once() -> None:
    assert chance_of_alike(2, 1.0) == 0.0
    assert chance_of_alike(10, 0.0) == 1.0


@pytest.mark.parametrize(("rate", "repetitions"), [(0.02, 100), (0.5, 4), (0.4, 5), (0.3, 3)])
def test_an_unstable_operation_goes_unseen_as_often_as_said(rate: float, repetitions: int) -> None:
    """Of two results either may come every time: what flips evenly goes unseen twice as often as one of the two."""
    drawn, trials = random.Random(3), 5000
    unseen = sum(len({drawn.random() < rate for _ in range(repetitions)}) == 1 for _ in range(trials)) / trials
    assert chance_of_alike(repetitions, rate) == pytest.approx(unseen, abs=0.02)


@pytest.mark.parametrize("repetitions", [2, 3, 6, 30, 1000])
@pytest.mark.parametrize("among", [1, 98])
def test_what_is_excluded_is_no_more_than_the_confidence_allows(repetitions: int, among: int) -> None:
    rate = excluded_rate(repetitions, among=among)
    assert rate is not None
    assert chance_of_alike(repetitions, rate) <= 0.05 / among * (1 + 1e-9)
    assert chance_of_alike(repetitions, rate - 1e-5) > 0.05 / among


def test_of_many_together_less_is_excluded() -> None:
    assert excluded_rate(300, among=98) == pytest.approx(math.log(98 / 0.05) / 300, rel=0.02)


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(0.00993, "1.0"), (0.01001, "1.1"), (0.0029912, "0.30"), (0.2589, "26"), (0.996, "100"), (0.02, "2.0"), (0, "0")],
)
def test_a_printed_rate_is_never_too_small(rate: float, shown: str) -> None:
    assert rounded_up(rate) == shown


@pytest.mark.parametrize(("others", "calls", "alike"), [(1, 30, 1000), (2, 30, 100), (15, 30, 10), (9, 100, 300)])
def test_the_largest_chance_is_that_of_every_rate(others: int, calls: int, alike: int) -> None:
    """Against the sum of all terms at many rates."""

    def chance(rate: float) -> float:
        tail = sum(
            math.comb(calls, seen) * rate**seen * (1 - rate) ** (calls - seen) for seen in range(others, calls + 1)
        )
        return tail * (1 - rate) ** (alike - 1)

    largest = max(chance(1e-4 * 1.04**place) for place in range(230))
    assert chance_without_effect(others, calls, alike) == pytest.approx(largest, rel=0.02)


@pytest.mark.parametrize(("others", "calls", "alike"), [(0, 30, 1000), (3, 30, 1), (3, 30, 0)])
def test_nothing_shows_no_effect(others: int, calls: int, alike: int) -> None:
    assert chance_without_effect(others, calls, alike) == 1.0


@pytest.mark.parametrize("rate", [0.001, 0.002, 0.003, 0.005, 0.02, 0.3, 0.5])
@pytest.mark.parametrize(("most", "alike"), [(300, 300), (1000, 1000), (1000, 200), (1000, 10000), (60, 1000)])
def test_a_setting_that_does_nothing_is_seldom_said_to_mend(rate: float, most: int, alike: int) -> None:
    """Exactly, over all ways in which the probe can stop: at ``most`` calls, or as soon as it has seen enough."""
    wrong = sum(
        likely * chance_of_alike(alike, rate)
        for others, calls, likely in _endings(rate, most)
        if calls <= _most_calls(min(others, calls - others), alike)
    )
    assert wrong <= 0.05


@functools.cache
def _most_calls(others: int, alike: int) -> int:
    """In so many calls so many others may be for the setting to be said to mend: the more calls, the less they tell."""
    calls = range(max(others, 1), 2001)
    fitting = bisect.bisect_right(calls, 0.05, key=lambda count: chance_without_effect(others, count, alike))
    return calls[0] + fitting - 1


def _endings(rate: float, most: int) -> Iterator[tuple[int, int, float]]:
    """(Other results, calls, how likely the probe stops there)."""
    state = {0: 1.0}  # other results -> how likely that many came without a stop
    for calls in range(1, most + 1):
        came: dict[int, float] = {}
        for others, likely in state.items():
            came[others] = came.get(others, 0.0) + likely * (1 - rate)
            came[others + 1] = came.get(others + 1, 0.0) + likely * rate
        stops = {n for n in came if calls == most or (calls >= SURE and min(n, calls - n) >= OTHERS)}
        yield from ((others, calls, came[others]) for others in stops)
        state = {others: likely for others, likely in came.items() if others not in stops}


def test_counts_that_no_calls_have_show_nothing() -> None:
    """Of a damaged case: more others than calls; and so many that adding up their chances would take minutes."""
    assert chance_without_effect(5, 3, 100) == 1.0
    assert chance_without_effect(-1, 3, 100) == 1.0
    assert chance_without_effect(5 * 10**11, 10**12, 100) < 1e-20
    assert chance_without_effect(3, 10**12, 100) > 0.9

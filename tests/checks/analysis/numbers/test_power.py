"""What equal repetitions exclude, against counting."""

import random

import pytest

from checks.analysis.numbers.power import confidence_of, excluded_rate, needed


def test_three_hundred_equal_results_exclude_one_in_a_hundred() -> None:
    assert excluded_rate(300) == pytest.approx(0.01, rel=0.02)
    assert confidence_of(300, 0.01) == pytest.approx(0.951, abs=0.001)
    assert needed(0.01) == 299


@pytest.mark.parametrize("repetitions", [30, 300, 3000])
def test_the_rule_of_three(repetitions: int) -> None:
    assert excluded_rate(repetitions) == pytest.approx(3 / repetitions, rel=0.06)


def test_one_result_shows_nothing() -> None:
    assert excluded_rate(1) is None
    assert excluded_rate(0) is None
    assert confidence_of(1, 0.5) == 0.0


def test_what_always_differs_is_seen_at_once() -> None:
    assert confidence_of(2, 1.0) == 1.0
    assert confidence_of(10, 0.0) == 0.0


def test_an_unstable_operation_goes_unseen_as_often_as_said() -> None:
    drawn = random.Random(3)
    rate, repetitions, trials = 0.02, 100, 5000
    unseen = sum(all(drawn.random() >= rate for _ in range(repetitions)) for _ in range(trials)) / trials
    assert 1 - confidence_of(repetitions, rate) == pytest.approx(unseen, abs=0.015)


@pytest.mark.parametrize("rate", [0.5, 0.1, 0.003])
def test_so_many_are_needed_and_no_fewer(rate: float) -> None:
    enough = needed(rate)
    assert confidence_of(enough, rate) >= 0.95
    assert confidence_of(enough - 1, rate) < 0.95

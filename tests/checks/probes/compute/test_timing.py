"""A call is timed so often that the time comes out again, where it is quick."""

import importlib

import pytest

from checks.analysis.numbers.repeats import is_well_timed
from checks.facts import Precision

timing = importlib.import_module("checks.probes.compute.timing")


@pytest.mark.parametrize(
    ("seconds", "calls"),
    [
        pytest.param(0.001, 20, id="quick"),
        pytest.param(0.004, 7, id="so-many-as-there-is-time"),
        pytest.param(5.0, 3, id="slow"),
    ],
)
def test_quick_calls_are_made_more_often(seconds: float, calls: int) -> None:
    assert timing.timed(lambda: seconds) == [seconds, calls]


def test_one_disturbed_call_does_not_decide() -> None:
    times = iter([0.02, *[0.0001] * 100])
    assert timing.timed(lambda: next(times)) == [0.0001, 20]


def test_what_it_tells_is_what_the_checks_ask_for() -> None:
    assert is_well_timed(Precision(**timing.facts(timing.timed(lambda: 0.001))))
    assert not is_well_timed(Precision(**timing.facts(timing.timed(lambda: 5.0))))
    assert not is_well_timed(Precision(**timing.facts(0.001)))
    assert timing.facts(None) == {"seconds": None}

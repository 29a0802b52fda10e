"""Where values stand on an axis, and which numbers stand beside it."""

import math

import pytest

from wizard.plots.scale import Scale, nice_step, plain, scale_of


def labels(scale: Scale) -> list[str]:
    return [plain(tick.label) for tick in scale.ticks()]


@pytest.mark.parametrize(
    ("values", "expected", "title"),
    [
        pytest.param([0, 1, 2, 3], ["0", "1", "2", "3"], "y", id="counted"),
        pytest.param([1, 2, 3, 4, 5], ["1", "2", "3", "4", "5"], "y", id="runs"),
        pytest.param([1, 24], ["0", "5", "10", "15", "20", "25"], "y", id="no-halves-of-what-is-counted"),
        pytest.param([0.5, 0.75], ["0.50", "0.55", "0.60", "0.65", "0.70", "0.75"], "y", id="same-digits"),
        pytest.param([1.5e-6, 4e-6], ["1.5", "2.0", "2.5", "3.0", "3.5", "4.0"], "y (×10^−6)", id="small"),
        pytest.param([-3, 5], ["−2", "0", "2", "4"], "y", id="true-minus"),
        pytest.param([5], ["3", "4", "5", "6", "7"], "y", id="one-value"),
        pytest.param([None, math.nan, math.inf], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "y", id="none"),
        pytest.param([1e308, -1e308], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "y", id="would-overflow"),
        pytest.param([5e-324, 1e-310], ["−0.4", "−0.2", "0.0", "0.2", "0.4"], "y", id="would-underflow"),
    ],
)
def test_linear(values: list[float | None], expected: list[str], title: str) -> None:
    scale = scale_of(values)
    assert labels(scale) == expected
    assert plain(scale.title("y")) == title


def test_what_differs_behind_many_equal_digits_is_shown_as_distance() -> None:
    """The sums of the article: 333333.83333350006 and its neighbours."""
    values = [333333.83333350006, 333333.83333350012, 333333.83333350018]
    scale = scale_of(values)
    assert plain(scale.title("sum")) == "sum − 333333.8333335 (×10^−10)"
    places = [scale.at(value) for value in values]
    assert len(set(places)) == 3
    assert all(place is not None and scale.low < place < scale.high for place in places)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param([1e-7, 3e-3], ["10^−7", "10^−6", "10^−5", "10^−4", "10^−3"], id="powers"),
        pytest.param([1, 50, 300], ["1", "10", "100"], id="written-out"),
        pytest.param([2e-7, 3e-7], ["10^−7", "10^−6"], id="within-one-power"),
        pytest.param([0, 1e-7, 3e-7], ["0", "10^−7", "10^−6"], id="zero-has-a-place"),
        pytest.param([1e-300, 1e300], ["10^−222", "10^−111", "10^0", "10^111", "10^222"], id="far-apart"),
    ],
)
def test_logarithm(values: list[float], expected: list[str]) -> None:
    assert labels(scale_of(values, is_log=True)) == expected


def test_closer_on_a_logarithm() -> None:
    scale = scale_of([1e-7, 1e-3], is_log=True)
    assert [plain(tick.label) for tick in scale.ticks(-6.2, -5.8)] == ["10^−6"]
    assert [plain(tick.label) for tick in scale.ticks(-5.9, -5.1)] == ["2×10^−6", "5×10^−6"]


def test_zero_stands_below_everything_and_a_negative_value_nowhere() -> None:
    scale = scale_of([0, 1e-7, 1e-3], is_log=True)
    lowest, zero = scale.at(1e-7), scale.at(0)
    assert zero is not None
    assert lowest is not None
    assert scale.low < zero < lowest
    assert scale.at(-1.0) is None
    assert scale_of([1e-3], is_log=True).at(0) is None
    assert scale.at(None) is None
    assert scale.at(math.nan) is None


def test_bars_begin_at_zero() -> None:
    assert scale_of([3, 9], from_zero=True).low == 0
    assert scale_of([-3, 5], from_zero=True).base == 0
    assert scale_of([-3, -5], from_zero=True).base == 0
    logarithm = scale_of([3, 9], is_log=True, from_zero=True)
    assert logarithm.base == logarithm.low


@pytest.mark.parametrize(("span", "step"), [(1, 0.2), (7, 2), (10, 2), (11, 2), (1e-6, 2e-7), (3e12, 5e11)])
def test_steps(span: float, step: float) -> None:
    assert math.isclose(nice_step(span), step)

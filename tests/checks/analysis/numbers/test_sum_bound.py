"""What rounding can make of the sum of the squares: by brute force over all orders of few terms, and at full size."""

import math
from collections.abc import Iterator
from fractions import Fraction

import msgspec
import numpy as np
import pytest
from support.recorded_computations import measurements

from checks.analysis.numbers.sum_bound import beyond_rounding, largest_error
from checks.facts import Experiment

TRUE = 333333.8333335
HALF, SINGLE, DOUBLE = 2.0**-11, 2.0**-24, 2.0**-53
SUM = Experiment(framework="numpy", operation="sum-of-squares", device="cpu", dtype="float32", expected=TRUE)


def sums(terms: tuple[np.float16, ...]) -> Iterator[np.float16]:
    """Of every tree of additions of every order."""
    if len(terms) == 1:
        yield terms[0]
    for first in range(len(terms)):
        for second in range(first):
            rest = tuple(term for place, term in enumerate(terms) if place not in (first, second))
            yield from sums((*rest, np.float16(terms[first] + terms[second])))


def partial_sums(terms: np.ndarray) -> float:
    """All of them, in the order given, in units of the whole."""
    return float(np.cumsum(terms)[1:].sum() / terms.sum())


def test_no_order_of_few_terms_exceeds_the_partial_sums_of_the_largest_first() -> None:
    """What the bound rests on: 2700 trees for each of some sets of squares, in half precision."""
    random = np.random.default_rng(1)
    worst = 0.0
    for _ in range(12):
        terms = tuple(np.float16(term) for term in random.uniform(0, 1, 6) ** 2)
        exact = sum(map(Fraction, map(float, terms)))
        bound = partial_sums(np.sort(np.array(terms, "float64"))[::-1]) * HALF * math.exp(6 * HALF)
        errors = [abs(Fraction(float(made)) - exact) / exact for made in sums(terms)]
        assert max(errors) <= bound
        worst = max(worst, float(max(errors)) / bound)
    assert worst > 0.2  # not bounded by far too much


def test_the_partial_sums_of_all_squares() -> None:
    squares = (np.arange(10**6 + 1) / 10**6) ** 2
    assert partial_sums(squares) == pytest.approx(10**6 / 4, rel=1e-5)
    assert partial_sums(squares[::-1]) == pytest.approx(3 * 10**6 / 4, rel=1e-5)


def made(squares: np.ndarray) -> dict[str, float]:
    """Plain sums, one after the other, and those of trees."""
    shuffled = np.random.default_rng(2).permutation(squares)
    lanes = [np.cumsum(squares[lane::8])[-1] for lane in range(8)]
    middle = len(squares) // 2
    in_turn = np.append(np.stack([squares[::-1], squares], 1)[:middle], squares[middle])
    return {
        "forward": np.cumsum(squares)[-1],
        "reversed": np.cumsum(squares[::-1])[-1],
        "shuffled": np.cumsum(shuffled)[-1],
        "pairwise": squares.sum(),
        "lanes": np.cumsum(np.array(lanes, squares.dtype))[-1],
        "largest-and-smallest-in-turn": np.cumsum(in_turn)[-1],
    }


@pytest.mark.parametrize(("dtype", "roundoff"), [("float32", SINGLE), ("float64", DOUBLE)])
def test_every_plain_order_is_within_the_bound(dtype: str, roundoff: float) -> None:
    terms = (np.arange(10**6 + 1) / 10**6).astype(dtype)
    found = made(terms * terms)
    for order, value in found.items():
        told = msgspec.structs.replace(SUM, dtype=dtype, values=((float(value),),))
        assert beyond_rounding(told) is None, order
    assert abs(found["forward"] - TRUE) / TRUE <= largest_error("sum-of-squares-running", roundoff)
    if dtype == "float32":  # more than errors that are independent of each other would make
        assert abs(found["reversed"] - TRUE) / TRUE > 1e-3


@pytest.mark.parametrize(
    ("operation", "dtype", "value", "far"),
    [
        pytest.param("sum-of-squares", "float32", 332952.13, None, id="reversed"),
        pytest.param("sum-of-squares", "float32", TRUE * 0.94, 0.06, id="six-percent"),
        pytest.param("sum-of-squares", "float32", None, math.inf, id="no-number"),
        pytest.param("sum-of-squares-running", "float32", 333345.0, None, id="running"),
        pytest.param("sum-of-squares-running", "float32", TRUE * 0.98, 0.02, id="running-cannot-lose-so-much"),
        pytest.param("sum-of-squares-exact", "float32", 333333.84375, None, id="rounded-once"),
        pytest.param("sum-of-squares-exact", "float32", 333334.0, 5e-7, id="not-rounded-once"),
        pytest.param("sum-of-squares", "float64", TRUE * (1 + 1e-9), 1e-9, id="digits-of-float32"),
        pytest.param("sum-of-squares", "float64", 333333.83333350, None, id="float64"),
        pytest.param("sum-of-squares", "int8", 0.0, None, id="of-no-roundoff-nothing-is-said"),
        pytest.param("sum-of-squares", "bfloat16", 0.0, None, id="of-a-type-that-is-too-short-nothing-is-said"),
    ],
)
def test_what_is_farther_than_its_order_explains(
    operation: str, dtype: str, value: float | None, far: float | None
) -> None:
    told = msgspec.structs.replace(SUM, operation=operation, dtype=dtype, values=((TRUE,), (value,)))
    assert beyond_rounding(told) == (far if far is None else pytest.approx(far, rel=0.01))


@pytest.mark.parametrize(
    "name", ["jax-0.10.2-cpu", "tensorflow-2.21.0-cpu", "numpy-2.4.6-cpu-one-thread", "torch-2.13.0-cpu-one-thread"]
)
def test_no_sum_of_a_real_framework_is_called_wrong(name: str) -> None:
    made = [
        measurement
        for measurement in measurements(name)
        if isinstance(measurement, Experiment) and measurement.expected is not None
    ]
    assert made
    assert [each.operation for each in made if beyond_rounding(each) is not None] == []

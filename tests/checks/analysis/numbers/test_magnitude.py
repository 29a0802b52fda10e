"""The size of a difference: the bounds hold for every order of every sum, and planted causes are told apart."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from checks.analysis.numbers.magnitude import (
    Size,
    Work,
    centred_bound,
    likely_bound,
    magnitude,
    unit_roundoff,
    worst_bound,
)
from checks.analysis.numbers.mechanism import computed_in, precision_magnitude, recognised, tried_shorter
from checks.facts import ArrayDifference, Emulated, Precision

Floats = NDArray[np.float32]
U = 2.0**-24
ROWS, COLUMNS = 64, 64


def difference(reference: Floats, candidate: Floats) -> ArrayDifference:
    """As a probe counts it, as far as sizes need it."""
    apart = np.abs(candidate.astype(np.float64) - reference.astype(np.float64))
    finite = np.isfinite(reference) & np.isfinite(candidate)
    return ArrayDifference(
        elements=reference.size,
        differing=int((reference.view(np.int32) != candidate.view(np.int32)).sum()),
        max_abs=float(apart[finite].max()) if finite.any() else None,
        scale=float(np.abs(reference[finite]).max()) if finite.any() else None,
        nan=int((np.isnan(reference) != np.isnan(candidate)).sum()),
        infinite=int((np.isinf(reference) != np.isinf(candidate)).sum()),
    )


def matrices(terms: int, seed: int = 0, *, low: float = -1.0) -> tuple[Floats, Floats]:
    random = np.random.default_rng(seed)
    return (
        random.uniform(low, 1, (ROWS, terms)).astype(np.float32),
        random.uniform(low, 1, (terms, COLUMNS)).astype(np.float32),
    )


def product(a: Floats, b: Floats) -> Floats:
    """Rounded after every addition, in the order of the terms."""
    total = np.zeros((len(a), b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def shortened(values: Floats, digits: int) -> Floats:
    """Rounded to the nearest number with so many significant digits."""
    cut = 24 - digits
    bits = values.view(np.int32)
    return ((bits + (1 << (cut - 1))) & -(1 << cut)).view(np.float32)


def cut(values: Floats, digits: int) -> Floats:
    return (values.view(np.int32) & -(1 << (24 - digits))).view(np.float32)


def work(a: Floats, b: Floats, *, centred: bool = True) -> Work:
    condition = float((np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)).max())
    return Work("float32", a.shape[1], condition, products=True, centred=centred)


# --- the bounds ------------------------------------------------------------------------------------------------------

_FLOATS = st.floats(-1e6, 1e6, width=32, allow_subnormal=False)


@given(st.lists(_FLOATS, min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_no_order_of_a_sum_exceeds_the_worst_bound(terms: list[float], order: Random) -> None:
    order.shuffle(terms)
    total = np.float32(0)
    for term in terms:
        total = np.float32(total + np.float32(term))
    error = abs(Fraction(float(total)) - sum(map(Fraction, terms)))
    assert float(error) <= worst_bound(len(terms), U) * math.fsum(map(abs, terms))


def test_an_adversary_reaches_most_of_the_worst_bound() -> None:
    """1 + u/1 and so on: every addition is rounded away, all to the same side."""
    terms = 4096
    total = np.float32(1)
    for _ in range(terms - 1):
        total = np.float32(total + np.float32(U))
    lost = (terms - 1) * U
    assert float(total) == 1.0
    assert 0.9 * worst_bound(terms, U) < lost <= worst_bound(terms, U) * (1 + lost)


@pytest.mark.parametrize("terms", [8, 128, 2048])
@pytest.mark.parametrize("low", [-1.0, 0.0])
def test_random_sums_stay_within_the_likely_bounds(terms: int, low: float) -> None:
    a, b = matrices(terms, seed=terms, low=low)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    condition = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    error = float((np.abs(product(a, b) - exact) / condition).max())
    assert error <= likely_bound(terms, U, ROWS * COLUMNS)
    if low:
        assert error <= centred_bound(terms, U, ROWS * COLUMNS)


def test_the_bounds_are_in_their_order() -> None:
    for terms in (1, 10, 1000, 10**6):
        for roundoff in (U, 2.0**-11, 2.0**-8):
            centred, likely = (bound(terms, roundoff, 1000) for bound in (centred_bound, likely_bound))
            assert 0 < centred <= likely <= worst_bound(terms, roundoff)
    assert worst_bound(10**9, 2.0**-8) == math.inf
    assert unit_roundoff("float32") == U
    assert unit_roundoff("int64") is None


# --- planted causes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terms", [64, 512, 2048])
def test_planted_causes_are_told_apart(terms: int) -> None:
    a, b = matrices(terms)
    usual, order = product(a, b), np.random.default_rng(1).permutation(terms)
    reordered = product(np.ascontiguousarray(a[:, order]), np.ascontiguousarray(b[order]))
    flipped = usual.copy()
    flipped.view(np.int32)[7, 9] ^= 1 << 22  # the highest digit of the mantissa
    planted = {
        Size.IDENTICAL: [usual.copy()],
        Size.ROUNDING: [reordered, (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32), a @ b],
        Size.HALF: [product(shortened(a, 11), shortened(b, 11)), product(cut(a, 11), cut(b, 11))],
        Size.BFLOAT16: [product(shortened(a, 8), shortened(b, 8)), product(cut(a, 8), cut(b, 8))],
        Size.BEYOND: [flipped],
    }
    for size, results in planted.items():
        for result in results:
            assert magnitude(difference(usual, result), work(a, b)).sizes == (size,)


@pytest.mark.parametrize("terms", [2, 3, 5, 9, 17, 33])
@pytest.mark.parametrize("normal", [True, False])
def test_with_few_terms_the_true_cause_is_always_among_those_named(terms: int, normal: bool) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        draw = random.standard_normal if normal else lambda shape, of=random: of.uniform(-1, 1, shape)
        a, b = (np.asarray(draw(shape), np.float32) for shape in ((7, terms), (terms, 5)))
        usual = product(a, b)
        for size, digits in ((Size.HALF, 11), (Size.BFLOAT16, 8)):
            short = product(shortened(a, digits), shortened(b, digits))
            assert size in magnitude(difference(usual, short), work(a, b)).sizes
        reversed_ = product(np.ascontiguousarray(a[:, ::-1]), np.ascontiguousarray(b[::-1]))
        assert magnitude(difference(usual, reversed_), work(a, b)).size in (Size.IDENTICAL, Size.ROUNDING)


def test_a_wrong_factor_is_beyond_rounding_though_it_is_as_small_as_a_shorter_format() -> None:
    a, b = matrices(512)
    wrong = a.copy()
    wrong.view(np.int32)[3, 100] ^= 1 << 18
    found = magnitude(difference(product(a, b), product(wrong, b)), work(a, b))
    assert found.sizes == (Size.BEYOND,)
    assert found.relative is not None
    assert found.relative < 0.05


@pytest.mark.parametrize("bit", [30, 27, 24, 23])
def test_a_bit_of_the_exponent_is_beyond_everything(bit: int) -> None:
    a, b = matrices(256)
    flipped = (usual := product(a, b)).copy()
    flipped.view(np.int32)[0, 0] ^= 1 << bit
    assert magnitude(difference(usual, flipped), work(a, b)).size is Size.BEYOND


def test_the_lowest_digits_of_one_element_cannot_be_told_from_rounding() -> None:
    a, b = matrices(256)
    flipped = (usual := product(a, b)).copy()
    flipped.view(np.int32)[0, 0] ^= 1
    assert magnitude(difference(usual, flipped), work(a, b)).sizes == (Size.ROUNDING,)


def test_terms_of_one_sign_do_not_tell_everything() -> None:
    """Thousands of positive terms: rounding may make as much as TensorFloat-32 makes, and both are said."""
    a, b = matrices(8192, low=0.0)
    short = product(shortened(a, 11), shortened(b, 11))
    found = magnitude(difference(product(a, b), short), work(a, b, centred=False))
    assert found.sizes == (Size.ROUNDING, Size.HALF)
    assert not found.is_certain
    assert not found.is_more_than_rounding


def test_one_element_cannot_be_told_apart() -> None:
    """The error of a single element may be anything from zero, by chance."""
    near = ArrayDifference(elements=1, differing=1, max_abs=1e-6, scale=1.0)
    one = Work("float32", 16, 4.0, products=True, centred=True)
    assert magnitude(near, one).sizes == (Size.ROUNDING, Size.HALF, Size.BFLOAT16)
    large = ArrayDifference(elements=1, differing=1, max_abs=1e-3, scale=1.0)
    assert magnitude(large, one).sizes == (Size.HALF, Size.BFLOAT16)


# --- the edges -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "size"),
    [
        pytest.param(ArrayDifference(elements=0, differing=0), Size.NOTHING, id="nothing-compared"),
        pytest.param(ArrayDifference(elements=9, differing=0, max_abs=0.0, scale=0.0), Size.IDENTICAL, id="all-zero"),
        pytest.param(ArrayDifference(elements=9, differing=0), Size.IDENTICAL, id="all-nan-the-same-bits"),
        pytest.param(ArrayDifference(elements=9, differing=9), Size.BEYOND, id="nothing-finite-in-both"),
        pytest.param(ArrayDifference(elements=9, differing=1, max_abs=0.0, nan=1), Size.BEYOND, id="nan-on-one-side"),
        pytest.param(ArrayDifference(elements=9, differing=1, max_abs=0.0, infinite=1), Size.BEYOND, id="infinite"),
        pytest.param(
            ArrayDifference(elements=9, differing=2, max_abs=0.0, scale=1.0), Size.IDENTICAL, id="signed-zero"
        ),
        pytest.param(
            ArrayDifference(elements=9, differing=9, max_abs=1e-7, scale=1.0), Size.ROUNDING, id="no-condition"
        ),
    ],
)
def test_edges(given_: ArrayDifference, size: Size) -> None:
    assert magnitude(given_, Work("float32")).size is size


def test_whole_numbers_are_not_rounded() -> None:
    assert magnitude(ArrayDifference(elements=4, differing=1, max_abs=1.0), Work("int64", 4, 4.0)).size is Size.BEYOND


def test_sums_without_products_have_no_shorter_format() -> None:
    apart = ArrayDifference(elements=4096, differing=4096, max_abs=3e-3, scale=1.0)
    assert magnitude(apart, Work("float32", 64, 16.0)).sizes == (Size.BEYOND,)


def test_half_precision_is_not_blamed_for_its_own_rounding() -> None:
    apart = ArrayDifference(elements=4096, differing=2000, max_abs=2e-3, scale=1.0)
    assert magnitude(apart, Work("float16", 64, 16.0, products=True, centred=True)).sizes == (Size.ROUNDING,)


# --- errors that are recognised --------------------------------------------------------------------------------------


def measured(rms: float, **likeness: float) -> Precision:
    against = ArrayDifference(elements=4096, differing=4096, max_abs=rms * 4, scale=30.0)
    sizes = {"tf32": 1e-3, "tf32_cut": 4e-3, "bfloat16": 8e-3}
    emulated = {
        name.replace("_", "-"): Emulated(max_abs=size * 4, rms=size, likeness=likeness.get(name, 0.0))
        for name, size in sizes.items()
    }
    return Precision(dtype="float32", against=against, terms=512, condition=150.0, rms=rms, emulated=emulated)


@pytest.mark.parametrize(
    ("found", "name", "size"),
    [
        (measured(1.1e-3, tf32=0.99, bfloat16=0.1), "tf32", Size.HALF),
        (measured(4e-3, tf32=0.3, tf32_cut=0.98), "tf32-cut", Size.HALF),
        (measured(8e-3, bfloat16=1.0), "bfloat16", Size.BFLOAT16),
        (measured(1e-6, tf32=0.2), None, Size.ROUNDING),
        (measured(1e-6, tf32=0.95), None, Size.ROUNDING),
    ],
)
def test_the_errors_of_a_shorter_format_are_recognised(found: Precision, name: str | None, size: Size) -> None:
    assert recognised(found) == name
    assert precision_magnitude(found, products=True, centred=True).sizes == (size,)


def test_autocast_is_judged_as_the_type_that_it_computes_in() -> None:
    found = Precision(dtype="float32", setting="autocast-bfloat16", against=ArrayDifference(elements=1, differing=0))
    assert computed_in(found) == "bfloat16"
    assert precision_magnitude(Precision(dtype="float32"), products=True, centred=True).size is Size.NOTHING


@pytest.mark.parametrize(
    ("apart", "sizes"),
    [
        (2e-5, (Size.ROUNDING,)),
        (4e-3, (Size.HALF,)),
        (1.2e-2, (Size.HALF,)),  # digits cut off
        (4e-2, (Size.BFLOAT16,)),
        (5.0, (Size.BEYOND,)),
    ],
)
def test_what_was_tried_tells_more_than_a_bound(apart: float, sizes: tuple[Size, ...]) -> None:
    """Through several layers the condition says too much; what shorter formats make of it was found by trying."""
    found = measured(1e-6)
    against = ArrayDifference(elements=4096, differing=4096, max_abs=apart, scale=30.0)
    deep = Precision(**{name: getattr(found, name) for name in ("dtype", "terms", "rms", "emulated")}, against=against)
    work_ = Work("float32", 512, 150.0, products=True, centred=True, shorter=tried_shorter(deep))
    assert magnitude(against, work_).sizes == sizes
    assert tried_shorter(Precision()) == ()


def test_between_the_usual_and_the_possible_nobody_is_blamed() -> None:
    between = ArrayDifference(elements=4096, differing=4096, max_abs=6e-4, scale=30.0)
    assert magnitude(between, Work("float32", 512, 150.0, products=True, centred=True)).size is Size.ROUNDING


def test_the_bound_that_is_told_is_the_one_that_decided() -> None:
    """A sum that cancels: what may happen to any terms is more than the result, what happens to these is not."""
    work_ = Work("float32", 1 << 18, 131_000.0, centred=True)
    found = magnitude(ArrayDifference(elements=1, differing=1, max_abs=2e-5, scale=44.0), work_)
    assert found.bound is not None
    assert 2e-5 < found.bound < 0.44
    assert found.times == pytest.approx(2e-5 / found.bound)
    far = magnitude(ArrayDifference(elements=1, differing=1, max_abs=4.0, scale=44.0), work_)
    assert far.size is Size.ROUNDING
    assert far.bound is not None
    assert far.bound > 4.0

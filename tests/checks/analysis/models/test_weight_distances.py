"""The distances of two stored tensors, beside a slow and obvious form in float64."""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.analysis.models import weight_distances
from checks.analysis.models.side_by_side import _of_same_bytes
from checks.readers.containers.source import Stopped, of_bytes
from checks.readers.weights.tensor import StoredTensor

TYPES: dict[str, Any] = {
    name: getattr(ml_dtypes, name, name)
    for name in ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int64", "int8", "uint16")
}
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1e-45, -1e-40, 3e38, -3e38, 1e-30, 65504.0, 1e200, -1.7e308]
LARGEST = float(np.finfo(np.float64).max)


@pytest.fixture(scope="module")
def threads() -> Iterator[ThreadPoolExecutor]:
    with weight_distances.computing_threads() as made:
        yield made


def stored(numbers: Any, dtype: str, **coding: float) -> StoredTensor:
    with np.errstate(all="ignore"):
        array = np.asarray(numbers).astype(TYPES[dtype])
    return StoredTensor("w", dtype, array.shape, of_bytes(array.tobytes()), **coding)


def obvious(first: StoredTensor, second: StoredTensor) -> tuple[float, float, float | None]:
    """(max_abs, max_rel, cosine_distance) by the definition."""
    one, other = (tensor.numbers(0, tensor.count) for tensor in (first, second))
    with np.errstate(all="ignore"):
        apart = np.where((one == other) | (np.isnan(one) & np.isnan(other)), 0.0, abs(one - other))
        most = float(np.where(np.isnan(apart), np.inf, apart).max(initial=0.0))
        finite = np.isfinite(one) & np.isfinite(other)
        one, other = one[finite], other[finite]
        largest = float(abs(one).max(initial=0.0))
        relative = most / largest if largest else math.inf if most else 0.0
        scale = max(largest, float(abs(other).max(initial=0.0))) or 1.0
        dots = [float(a @ b) for a, b in ((one / scale,) * 2, (one / scale, other / scale), (other / scale,) * 2)]
        is_ordinary = min(largest, scale) > 1e-140 and scale < 1e140 and min(dots[0], dots[2]) > 1e-140
    cosine = 1 - dots[1] / math.sqrt(dots[0] * dots[2]) if is_ordinary else None
    return min(most, LARGEST), min(relative, LARGEST), cosine if most else 0.0


def assert_as_obvious(first: StoredTensor, second: StoredTensor, threads: ThreadPoolExecutor) -> None:
    found = weight_distances.distances(first, second, threads)
    most, relative, cosine = obvious(first, second)
    assert (found["max_abs"], found["max_rel"]) == (most, relative)
    if cosine is not None:
        assert found["cosine_distance"] == pytest.approx(cosine, abs=2e-6)


numbers = st.one_of(st.sampled_from(SPECIAL), st.floats(-4, 4), st.floats())
whole = st.integers(-(2**62), 2**62)


@given(one=st.sampled_from(sorted(TYPES)), other=st.sampled_from(sorted(TYPES)), data=st.data())
def test_numbers_of_all_kinds(one: str, other: str, threads: ThreadPoolExecutor, data: st.DataObject) -> None:
    kinds = whole if "int" in one + other else numbers
    pairs = data.draw(st.lists(st.tuples(kinds, kinds, st.booleans()), max_size=40))
    first, second = [first for first, _, _ in pairs], [first if same else second for first, second, same in pairs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weight_distances, "_PIECE", 8)
        patch.setattr(weight_distances, "_PART", 16)
        assert_as_obvious(stored(first, one), stored(second, other), threads)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_far_smaller_and_far_larger_numbers_beside_each_other(dtype: str, threads: ThreadPoolExecutor) -> None:
    """What float32 can square stands beside what it cannot, in pieces of their own and mixed."""
    random = np.random.default_rng(5)
    numbers = random.standard_normal(1 << 18)
    for at, size in enumerate((1e-30, 1.0, 1e30, 1e-3)):
        numbers[at << 16 : (at + 1) << 16] *= size if dtype != "float16" else min(size, 1e3)
    numbers[::4096] = 0.0
    others = numbers * (1 + 1e-2 * random.standard_normal(numbers.size))
    assert_as_obvious(stored(numbers, dtype), stored(others, dtype), threads)
    assert_as_obvious(stored(numbers, dtype), stored(np.zeros_like(numbers), dtype), threads)
    assert_as_obvious(stored(numbers, dtype), stored(-others, dtype), threads)


def test_the_largest_distance_is_that_of_float64(threads: ThreadPoolExecutor) -> None:
    """Of strangers float32 rounds every distance."""
    random = np.random.default_rng(8)
    for _ in range(5):
        first, second = random.standard_normal((2, 3000), dtype=np.float32)
        assert_as_obvious(stored(first, "float32"), stored(second, "float32"), threads)


def test_the_direction_of_a_candidate_whose_squares_float32_loses(threads: ThreadPoolExecutor) -> None:
    first = np.random.default_rng(9).standard_normal(3000, dtype=np.float32)
    found = weight_distances.distances(stored(first, "float32"), stored(first * np.float32(1e-30), "float32"), threads)
    assert found["cosine_distance"] == pytest.approx(0.0, abs=1e-12)


def test_figures_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_distances, "_PART", 1 << 16)
    first = np.random.default_rng(6).standard_normal(10 << 16, dtype=np.float32)
    tensors = stored(first, "float32"), stored(first * np.float32(1 + 1e-6), "float32")
    found = []
    for count in (1, 3):
        with ThreadPoolExecutor(count) as threads:
            found.append(weight_distances.distances(*tensors, threads))
    assert found[0] == found[1]


def test_cosine_of_tensors_that_round_otherwise(threads: ThreadPoolExecutor) -> None:
    """By 1 - dot / lengths of float64 it would be lost in what these round."""
    random = np.random.default_rng(7)
    first = random.standard_normal(1 << 17).astype(np.float32)
    second = first * (1 + 1e-6 * random.standard_normal(first.size)).astype(np.float32)
    one, other = (array.astype(np.longdouble) for array in (first, second))
    known = ((one / np.sqrt(one @ one) - other / np.sqrt(other @ other)) ** 2).sum() / 2
    found = weight_distances.distances(stored(first, "float32"), stored(second, "float32"), threads)
    assert found["cosine_distance"] == pytest.approx(float(known), rel=1e-3)


def test_codes_are_compared_by_what_they_mean(threads: ThreadPoolExecutor) -> None:
    first = stored([1, 2, -3], "int8", scale=0.5, shift=1.0)
    found = weight_distances.distances(first, stored([1.5, 2.0, -0.5], "float32"), threads)
    assert found == {"max_abs": 0.0, "max_rel": 0.0, "cosine_distance": 0.0}


def test_a_cancel_ends_it(threads: ThreadPoolExecutor) -> None:
    tensor = stored(np.zeros(3 << 18), "float32")
    tensor.data._cancelled = lambda: True
    with pytest.raises(Stopped):
        weight_distances.distances(tensor, tensor, threads)


def test_tensors_that_begin_alike_find_their_own_partners() -> None:
    """Beginnings of zeros say nothing: whole bytes decide, and each partner is given once."""
    ends = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 3.0}
    left = {name: stored([0.0] * 20 + [end], "float32") for name, end in ends.items()}
    right = {name.upper(): stored([0.0] * 20 + [end], "float32") for name, end in (*ends.items(), ("e", 9.0))}
    assert _of_same_bytes(left, right) == [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D")]
    assert _of_same_bytes({"a": left["a"]}, {"B": right["B"]}) == []
    assert _of_same_bytes({"a": left["a"]}, {"A": right["A"]}) == [("a", "A")]

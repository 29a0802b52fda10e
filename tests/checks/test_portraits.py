"""The difference of two results from their portraits alone."""

import importlib
import json
from typing import Any

import msgspec
import numpy as np
import pytest

from checks.facts import Portrait
from checks.portraits import portrait_difference
from checks.probes import host  # noqa: F401 - lets the modules of the target be imported as naosu_NAME


def portrait(array: Any) -> Portrait:
    told = importlib.import_module("naosu_compute_portrait").numpy_portrait(np, array)
    named = {"kind": "portrait", "operation": "matmul", "dtype": str(array.dtype)}
    return msgspec.json.decode(json.dumps(named | told), type=Portrait)


def drawn(size: int = 40_000, dtype: str = "float32") -> Any:
    return np.random.default_rng(1).uniform(-1, 1, size).astype(dtype)


def test_the_same_bits() -> None:
    found = portrait_difference(portrait(drawn()), portrait(drawn()))
    assert found is not None
    assert (found.elements, found.differing) == (40_000, 0)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_difference_everywhere_is_estimated_from_samples(dtype: str) -> None:
    first = drawn(dtype=dtype)
    second = (first * (1 + 2.0**-9)).astype(dtype)
    found = portrait_difference(portrait(first), portrait(second))
    assert found is not None
    assert found.max_abs == pytest.approx(np.abs(second - first).astype(float).max(), rel=0.2)
    assert found.differing > 0.9 * found.elements


def test_one_wrong_element_that_was_not_sampled_shows_in_the_sums() -> None:
    first = drawn()
    for place in (17, 20_000, 39_999):
        second = first.copy()
        second[place] += 3.0
        found = portrait_difference(portrait(first), portrait(second))
        assert found is not None
        assert found.max_abs == pytest.approx(3.0, rel=1e-3)
        assert found.differing == 1


def test_a_small_array_is_compared_whole() -> None:
    first = drawn(100)
    second = first.copy()
    second[40] = np.nan
    second[41] = np.inf
    found = portrait_difference(portrait(first), portrait(second))
    assert found is not None
    assert (found.elements, found.nan, found.infinite, found.differing) == (100, 1, 1, 2)


def test_nan_that_was_not_sampled_is_counted() -> None:
    first = drawn()
    second = first.copy()
    second[1::1000] = np.nan
    found = portrait_difference(portrait(first), portrait(second))
    assert found is not None
    assert found.nan == 40


def test_nan_everywhere_in_both_is_the_same() -> None:
    nothing = np.full(300, np.nan, np.float32)
    found = portrait_difference(portrait(nothing), portrait(nothing.copy()))
    assert found is not None
    assert found.differing == 0


@pytest.mark.parametrize(
    "other",
    [
        portrait(drawn(30_000)),
        portrait(drawn(dtype="float64")),
        Portrait(operation="matmul"),
        msgspec.structs.replace(portrait(drawn()), fingerprint="0", samples=("zz",) * 256),
        msgspec.structs.replace(portrait(drawn()), fingerprint="0", samples=("3f",) * 256),
        msgspec.structs.replace(portrait(drawn()), fingerprint="0", samples=()),
    ],
)
def test_what_is_not_of_one_kind_or_damaged_is_not_compared(other: Portrait) -> None:
    assert portrait_difference(portrait(drawn()), other) is None
    assert portrait_difference(other, portrait(drawn())) is None


def test_damaged_sums_are_left_out() -> None:
    first, second = drawn(), drawn() * np.float32(1.01)
    damaged = msgspec.structs.replace(portrait(second), block_sums=("0x1p99999", "hello"))
    found = portrait_difference(portrait(first), damaged)
    assert found is not None
    assert found.max_abs is not None
    assert found.max_abs < 0.02

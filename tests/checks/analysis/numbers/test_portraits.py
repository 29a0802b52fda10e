"""The difference of two results from their portraits alone."""

import importlib
import json
from typing import Any

import msgspec
import numpy as np
import pytest

from checks.analysis.numbers.portraits import compare_portraits, portrait_difference
from checks.facts import Portrait


def portrait(array: Any) -> Portrait:
    told = importlib.import_module("checks.probes.compute.portrait").numpy_portrait(np, array)
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


# --- what the samples and the sums tell of the whole -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_spread_of_independent_errors_is_estimated_from_samples_and_from_sums(dtype: str) -> None:
    first = drawn(200_000, dtype)
    noise = np.random.default_rng(2).normal(0, 2.0**-8, first.size)
    second = (first + noise).astype(dtype)
    found = compare_portraits(portrait(first), portrait(second))
    assert found is not None
    apart = second.astype(float) - first.astype(float)
    true = np.sqrt((apart**2).mean())
    # 256 samples: one standard deviation of the estimate is 1/sqrt(2 * 256) = 4 %; of 64 sums 9 %.
    assert found.rms == pytest.approx(true, rel=0.2)
    assert found.rms_of_sums == pytest.approx(true, rel=0.4)
    assert found.mean == pytest.approx(apart.mean(), rel=1e-9)
    assert found.max_abs is not None
    assert found.max_abs <= np.abs(apart).max()
    assert found.hidden == 0.0
    assert found.unseen == pytest.approx(3 / 256)


def test_a_systematic_error_shows_in_the_mean() -> None:
    first = drawn()
    found = compare_portraits(portrait(first), portrait((first + np.float32(0.25)).astype("float32")))
    assert found is not None
    assert found.mean == pytest.approx(0.25, rel=1e-6)
    assert found.rms == pytest.approx(0.25, rel=1e-6)
    assert found.rms_of_sums is not None
    assert found.rms_of_sums > 10 * 0.25  # far more than independent errors: they have one sign


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_one_last_bit_that_was_not_sampled_is_not_called_the_same_nor_large(dtype: str) -> None:
    first = drawn(300_001, dtype)
    second = first.copy()
    second[12345] = np.nextafter(second[12345], np.asarray(9, dtype))
    found = portrait_difference(portrait(first), portrait(second))
    assert found is not None
    assert found.differing == 1
    assert found.max_abs is not None
    assert 0 < found.max_abs <= 4 * np.finfo(dtype).eps


def test_differences_that_cancel_in_a_block_are_missed_as_the_text_says() -> None:
    first = np.round(drawn() * 1024) / np.float32(1024)  # sums are exact
    second = first.copy()
    second[[12, 13]] += np.array([1, -1], "float32")
    found = compare_portraits(portrait(first), portrait(second))
    assert found is not None
    assert (found.same_bits, found.differing, found.hidden) == (False, 0, 0.0)


def test_signed_zeros_differ_in_their_bits_alone() -> None:
    first = np.zeros(50, "float32")
    found = portrait_difference(portrait(first), portrait(-first))
    assert found is not None
    assert (found.differing, found.max_abs, found.max_ulp) == (50, 0.0, 0)


@pytest.mark.parametrize("dtype", ["int64", "int32", "int8", "uint8", "bool", "complex64", "complex128", "float16"])
def test_samples_of_every_type_are_as_a_comparison_of_the_arrays(dtype: str) -> None:
    module = importlib.import_module("checks.probes.compute.bits.difference")
    random = np.random.default_rng(5)
    first, second = ((random.uniform(-50, 50, 200) + 1j * random.uniform(-9, 9, 200)) for _ in range(2))
    if not dtype.startswith("complex"):
        first, second = first.real, second.real
    if dtype.startswith("uint"):
        first, second = abs(first), abs(second)
    if dtype == "bool":
        first, second = first > 0, second > 0
    array, other = first.astype(dtype), second.astype(dtype)
    found = portrait_difference(portrait(array), portrait(other))
    known = module.numpy_difference(np, array, other)
    assert found is not None
    for name in ("elements", "differing", "max_ulp"):
        assert getattr(found, name) == known[name], name
    assert found.max_abs == pytest.approx(known["max_abs"])
    assert found.max_rel == pytest.approx(known["max_rel"])
    assert list(found.ulp_histogram) == known["ulp_histogram"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_short_numbers_are_read_as_torch_reads_them(dtype: str) -> None:
    import torch

    difference = importlib.import_module("checks.probes.compute.bits.difference")
    picture = importlib.import_module("checks.probes.compute.portrait")
    width = torch.int16 if dtype == "bfloat16" else torch.uint8
    bits = torch.arange(-32768, 32768, 257).to(width) if width == torch.int16 else torch.arange(256).to(width)
    tensors = [each.view(getattr(torch, dtype)) for each in (bits, bits.flip(0))]
    told = [picture.torch_portrait(torch, tensor) | {"kind": "portrait", "dtype": dtype} for tensor in tensors]
    found = portrait_difference(*(msgspec.json.decode(json.dumps(each), type=Portrait) for each in told))
    known = difference.tensor_difference(torch, *tensors)
    assert found is not None
    for name in ("elements", "max_ulp", "max_abs", "scale", "nan", "infinite"):
        assert getattr(found, name) == known[name], name
    assert list(found.ulp_histogram) == known["ulp_histogram"]


def test_where_blocks_end_is_known_on_both_sides() -> None:
    from checks.analysis.numbers import portraits

    module = importlib.import_module("checks.probes.compute.portrait")
    for elements in (1, 63, 64, 65, 10_000, 1 << 26, (1 << 26) + 1, 10**9):
        assert portraits._block_length(elements) == module.block_length(elements)

"""The comparison of two arrays, beside a slow and obvious one."""

import importlib
import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.obvious_difference import assert_same, obvious

from checks.facts import ArrayDifference
from checks.probes import host  # noqa: F401 - it offers the modules of the probes

difference: Any = importlib.import_module("checks.probes.compute.bits.difference")
array_types: Any = importlib.import_module("checks.probes.compute.bits.array_types")
inputs: Any = importlib.import_module("checks.probes.compute.bits.inputs")

NAN, INF = math.nan, math.inf
EXACT = ("elements", "differing", "max_ulp", "ulp_histogram", "nan", "infinite", "first", "same_top", "same_top5")


def of_numpy(first: Any, second: Any) -> dict[str, Any]:
    told: dict[str, Any] = difference.numpy_difference(np, first, second)
    msgspec.convert(told, ArrayDifference)
    return told


def of_torch(first: torch.Tensor, second: torch.Tensor) -> dict[str, Any]:
    told: dict[str, Any] = difference.tensor_difference(torch, first, second)
    msgspec.convert(told, ArrayDifference)
    return told


SPECIAL = [0.0, -0.0, 1.0, -1.0, NAN, INF, -INF, 1e-45, -1e-45, 1e-40, 3.4e38, -3.4e38, 5e-324, 1.7e308, -1.7e308]
numbers = st.one_of(st.sampled_from(SPECIAL), st.floats(width=64), st.floats(-4, 4))


@given(
    st.sampled_from(["float64", "float32", "float16"]),
    st.lists(st.tuples(numbers, numbers, st.booleans()), min_size=1, max_size=40),
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_numbers_of_all_kinds(dtype: str, pairs: list[tuple[float, float, bool]]) -> None:
    with np.errstate(all="ignore"):
        first = np.array([one for one, _, _ in pairs]).astype(dtype)
        second = np.array([one if same else other for one, other, same in pairs]).astype(dtype)
    known = obvious(first, second)
    digits = 1e-12 if dtype == "float64" else 1e-6
    assert_same(of_numpy(first, second), known, digits)
    assert_same(of_torch(torch.from_numpy(first), torch.from_numpy(second)), known, digits)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_smallest_numbers_of_a_type(dtype: str) -> None:
    tiny = np.finfo(dtype).smallest_subnormal
    first = np.array([1.0, 0.0, 1754 * tiny], dtype)
    second = np.array([1.0, 0.0, 1756 * tiny], dtype)
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert_same(told, obvious(first, second))


@given(
    st.sampled_from(["float64", "float32", "float16"]),
    st.lists(
        st.tuples(st.floats(-4, 4), st.sampled_from([0.0, 1e-3, -1e-3, 0.3, -0.45, 0.51]), st.booleans()),
        min_size=1,
        max_size=150,
    ),
)
@pytest.mark.usefixtures("_small_pieces")
def test_near_numbers_and_zeros_of_both_signs(dtype: str, pairs: list[tuple[float, float, bool]]) -> None:
    """What is known of the first pieces makes the next ones quicker; a zero may have another sign in any of them."""
    first = np.array([-0.0 if zero else one for one, _, zero in pairs]).astype(dtype)
    second = np.array([0.0 if zero else one * (1 + far) for one, far, zero in pairs]).astype(dtype)
    known = obvious(first, second)
    digits = 1e-12 if dtype == "float64" else 1e-6
    assert_same(of_numpy(first, second), known, digits)
    assert_same(of_torch(torch.from_numpy(first), torch.from_numpy(second)), known, digits)


@given(st.data(), st.sampled_from(["int64", "int32", "int16", "int8", "uint8", "bool"]))
def test_whole_numbers(data: st.DataObject, dtype: str) -> None:
    low, high = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    whole = st.one_of(st.sampled_from([low, high, 0, 1]), st.integers(low, high))
    pairs = data.draw(st.lists(st.tuples(whole, whole), min_size=1, max_size=20))
    first, second = (np.array([pair[side] for pair in pairs]).astype(dtype) for side in (0, 1))
    shown = (first.view("u1"), second.view("u1")) if dtype == "bool" else (first, second)
    known = obvious(*shown)
    assert_same(of_numpy(first, second), known)
    assert_same(of_torch(torch.from_numpy(first), torch.from_numpy(second)), known)


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_unsigned_numbers_of_numpy(dtype: str) -> None:
    largest = np.iinfo(dtype).max
    first, second = (np.array(each, dtype) for each in ([0, 5, largest], [largest, 7, 0]))
    assert_same(of_numpy(first, second), obvious(first, second))


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"])
def test_every_pair_of_short_numbers(dtype: str) -> None:
    """Steps are counted along the list of all finite numbers in their order."""
    kind = getattr(torch, dtype)
    short = torch.int16 if dtype == "bfloat16" else torch.uint8
    bits = torch.arange(-32768, 32767, 411).to(torch.int16) if short == torch.int16 else torch.arange(256).to(short)
    every = torch.arange(-32768, 32768).to(torch.int16) if short == torch.int16 else torch.arange(256).to(short)
    reals = every.view(kind).to(torch.float32).to(torch.float64)
    order = sorted(set(reals[reals.isfinite()].tolist()))
    place = {number: index for index, number in enumerate(order)}
    first, second = bits.repeat_interleave(len(bits)), bits.repeat(len(bits))
    told = of_torch(first.view(kind), second.view(kind))
    one, other = (each.view(kind).to(torch.float32).tolist() for each in (first, second))
    finite = [(x, y) for x, y in zip(one, other, strict=True) if math.isfinite(x) and math.isfinite(y)]
    steps = [abs(place[x] - place[y]) for x, y in finite]
    histogram = [0] * (max(steps).bit_length() + 1)
    for step in steps:
        histogram[step.bit_length()] += 1
    assert told["max_ulp"] == max(steps)
    assert told["ulp_histogram"] == histogram
    assert told["max_abs"] == max(abs(x - y) for x, y in finite)
    assert told["max_rel"] == pytest.approx(max(abs(x - y) / abs(x) for x, y in finite if x))
    assert told["nan"] == sum(math.isnan(x) != math.isnan(y) for x, y in zip(one, other, strict=True))
    assert told["differing"] == int((first != second).sum())


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers(dtype: str) -> None:
    first = np.array([1 + 2j, 3 - 4j, complex(NAN, 1), complex(INF, 0), 0], dtype)
    second = np.array([1 + 2j, 3 - 4j + 3 + 4j, complex(1, 1), complex(INF, 0), 1j], dtype)
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert told["differing"] == 3
        assert (told["max_abs"], told["max_rel"], told["scale"]) == (5.0, 1.0, 5.0)
        assert (told["first"], told["worst"]) == ([1], [1])
        assert (told["nan"], told["infinite"]) == (1, 0)
        assert sum(told["ulp_histogram"]) == 3
        assert told["same_top"] is None


def test_parts_of_a_complex_number_have_their_own_steps() -> None:
    first = np.array([1 + 1j], "complex64")
    second = first.copy()
    second.view("i4")[:] += [3, 7]
    assert of_numpy(first, second)["max_ulp"] == 7


# --- pieces and layouts -----------------------------------------------------------------------------------------


@pytest.fixture(params=[(64, 256), (50, 100)], ids=str)
def _small_pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for arrays in (array_types._Numpy, array_types._Torch):

        def smaller(self: Any, *args: Any, known: Any = arrays.__init__) -> None:
            known(self, *args)
            self.piece, self.part = request.param

        monkeypatch.setattr(arrays, "__init__", smaller)


def noisy(shape: tuple[int, ...], dtype: str = "float32") -> tuple[Any, Any]:
    first = inputs.numpy_uniform(np, shape, dtype, 1)
    second = first.copy()
    flat = second.reshape(-1)
    flat[::3] *= 1 + np.finfo(dtype).eps * 3
    flat[7], flat[-5], flat[500], flat[501] = NAN, INF, -0.0, 1e-44
    first.reshape(-1)[500] = 0.0
    return first, second


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_pieces_and_layouts_change_nothing(dtype: str) -> None:
    first, second = noisy((3, 17, 41), dtype)
    known = obvious(first, second)
    for ours, theirs in (
        (first, second),
        (np.asfortranarray(first), np.asfortranarray(second)),
        (np.repeat(first, 2, axis=2)[:, :, ::2], second),
        (first.astype(f">{first.dtype.str[1:]}"), second),
    ):
        told = of_numpy(ours, theirs)
        assert_same(told, known)
        assert told["worst"] == of_numpy(first, second)["worst"]
    assert_same(of_torch(torch.from_numpy(first), torch.from_numpy(second)), known)
    lying = [torch.from_numpy(each).permute(2, 0, 1).contiguous().permute(1, 2, 0) for each in (first, second)]
    assert_same(of_torch(*lying), known)


@pytest.mark.usefixtures("_small_pieces")
def test_the_worst_and_the_first_are_found_where_they_are() -> None:
    first = inputs.numpy_uniform(np, (9, 50), "float32", 1)
    second = first.copy()
    second[3, 20] += 0.5
    second[8, 49] += 2.0
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert (told["first"], told["worst"]) == ([3, 20], [8, 49])


def test_arrays_on_a_disk(tmp_path: Path) -> None:
    first, second = noisy((2000,))
    for name, array in (("one", first), ("other", second)):
        array.tofile(tmp_path / name)
    mapped = [np.memmap(tmp_path / name, "float32", "r") for name in ("one", "other")]
    assert of_numpy(*mapped) == of_numpy(first, second)


# --- what is told of special cases ------------------------------------------------------------------------------------


def test_equal_bits_differ_in_nothing() -> None:
    array = np.array([1.0, -2.5, 0.0, NAN, INF], "float32")
    for told in (of_numpy(array, array.copy()), of_torch(torch.from_numpy(array), torch.from_numpy(array.copy()))):
        assert (told["differing"], told["nan"], told["infinite"]) == (0, 0, 0)
        assert (told["max_abs"], told["max_rel"], told["max_ulp"], told["scale"]) == (0.0, 0.0, 0, 2.5)
        assert told["ulp_histogram"] == [3]
        assert told["cosine"] == pytest.approx(1.0)
        assert (told["first"], told["worst"]) == (None, None)


@pytest.mark.parametrize("shape", [(0,), (3, 0)])
def test_nothing_is_not_equal(shape: tuple[int, ...]) -> None:
    told = of_numpy(np.zeros(shape), np.zeros(shape))
    assert told["elements"] == 0
    assert (told["max_abs"], told["max_ulp"], told["cosine"], told["same_top"]) == (None, None, None, None)


def test_nothing_but_nan() -> None:
    array = np.full(5, NAN)
    told = of_numpy(array, array.copy())
    assert (told["differing"], told["max_abs"], told["scale"], told["ulp_histogram"]) == (0, None, None, [])
    told = of_numpy(array, np.zeros(5))
    assert (told["differing"], told["nan"], told["max_abs"], told["worst"]) == (5, 5, None, None)


def test_signed_zeros_differ_by_no_step() -> None:
    told = of_numpy(np.zeros(4, "float32"), -np.zeros(4, "float32"))
    assert (told["differing"], told["max_ulp"], told["max_abs"], told["worst"]) == (4, 0, 0.0, None)
    assert (told["first"], told["max_rel"], told["cosine"]) == ([0], None, None)


def test_one_number() -> None:
    told = of_numpy(np.float32(1.0), np.float32(1.0) + np.finfo("float32").eps)
    assert (told["max_ulp"], told["first"], told["worst"], told["elements"]) == (1, [], [], 1)


def test_numbers_too_large_for_their_difference() -> None:
    told = of_numpy(np.array([1.7e308]), np.array([-1.7e308]))
    assert told["max_abs"] == difference.LARGEST
    assert msgspec.json.decode(msgspec.json.encode(told))["max_abs"] == difference.LARGEST


def test_two_types_are_compared_by_value_and_in_steps_of_the_coarser() -> None:
    exact = np.array([1.0, 1.0 + 2.0**-30, 0.1, 3.0, NAN])
    rounded = np.array([1.0, 1.0, 0.1, 3.0 + 2.0**-20, NAN], "float32")
    for told in (of_numpy(exact, rounded), of_torch(torch.from_numpy(exact), torch.from_numpy(rounded))):
        assert told["differing"] == 3
        assert told["max_abs"] == 2.0**-20
        assert told["max_ulp"] == 4
        assert told["ulp_histogram"] == [3, 0, 0, 1]
        assert told["nan"] == 0


def test_bfloat16_beside_float32() -> None:
    exact = torch.tensor([1.0, 1.001, 2.0])
    told = of_torch(exact, exact.to(torch.bfloat16))
    assert (told["differing"], told["max_ulp"], told["first"]) == (1, 0, [1])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(np.zeros(3), np.zeros(4), id="shapes"),
        pytest.param(np.array(["a"]), np.array(["b"]), id="texts"),
        pytest.param(np.array([None]), np.array([None]), id="objects"),
        pytest.param(np.zeros(2, "g"), np.zeros(2, "g"), id="long-double"),
    ],
)
def test_not_compared(first: Any, second: Any) -> None:
    with pytest.raises(array_types.NotCompared):
        of_numpy(first, second)


def test_tensors_of_other_shapes_are_not_compared() -> None:
    with pytest.raises(array_types.NotCompared):
        of_torch(torch.zeros(3), torch.zeros(1))


def test_tensors_on_the_processor_go_through_numpy_where_it_has_their_type() -> None:
    first, second = (torch.from_numpy(each) for each in noisy((3, 700)))
    quick = difference.torch_difference(torch, first, second)
    assert {name: quick[name] for name in EXACT} == {name: of_torch(first, second)[name] for name in EXACT}
    short = first.to(torch.bfloat16), second.to(torch.bfloat16)
    assert difference.torch_difference(torch, *short)["differing"] == of_torch(*short)["differing"] > 0


# --- the largest elements of rows -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_small_pieces")
def test_decisions_of_rows() -> None:
    first = inputs.numpy_uniform(np, (20, 30), "float32", 1)
    second = first + np.float32(1e-6) * inputs.numpy_uniform(np, (20, 30), "float32", 2)
    second[4, first[4].argmin()] = 5.0  # another decision
    second[5, first[5].argsort()[-3]] = -5.0  # another among the five largest
    second[6] += 1.0  # neither
    second[7, 3] = NAN  # none
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert told["same_top"] == pytest.approx(18 / 20)
        assert told["same_top5"] == pytest.approx(17 / 20)


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("apart", [1e-6, 1e-2, 0.1, 1.0])
def test_decisions_of_rows_beside_every_row_sorted(apart: float) -> None:
    first = inputs.numpy_uniform(np, (200, 12), "float32", 1)
    first[::7] = np.round(first[::7], 1)  # with equals
    second = (first + apart * inputs.numpy_uniform(np, (200, 12), "float64", 2)).astype("float32")
    same = [int(one.argmax() == other.argmax()) for one, other in zip(first, second, strict=True)]
    fives = [[each >= sorted(each)[-5] for each in pair] for pair in zip(first, second, strict=True)]
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert told["same_top"] == pytest.approx(sum(same) / 200)
        assert told["same_top5"] == pytest.approx(sum((one == other).all() for one, other in fives) / 200)


def test_the_same_nan_in_both_is_no_decision() -> None:
    rows = np.ones((4, 8), "float32")
    rows[1, 3] = NAN
    for told in (of_numpy(rows, rows), of_torch(*[torch.from_numpy(rows)] * 2)):
        assert (told["same_top"], told["same_top5"]) == (0.75, 0.75)


def test_rows_that_are_no_longer_than_five() -> None:
    first = np.array([[1.0, 2.0], [1.0, 2.0]])
    told = of_numpy(first, first[:, ::-1])
    assert (told["same_top"], told["same_top5"]) == (0.0, 1.0)


def test_what_has_no_rows() -> None:
    for array in (np.zeros(()), np.zeros((5, 1)), np.zeros(difference.ROW + 1)):
        assert of_numpy(array, array + 1)["same_top"] is None


@pytest.mark.parametrize("apart", [1e-2, 1e-4, 1e-6])
def test_the_cosine_of_near_arrays_is_told_apart_from_one(apart: float) -> None:
    first = inputs.numpy_uniform(np, (60_000,), "float32", 1)
    second = (first + apart * inputs.numpy_uniform(np, (60_000,), "float64", 2)).astype("float32")
    one, other = first.astype(np.longdouble), second.astype(np.longdouble)
    norms = [np.sqrt((each**2).sum()) for each in (one, other)]
    exact = (((one - other) ** 2).sum() - (norms[0] - norms[1]) ** 2) / (2 * norms[0] * norms[1])
    for told in (of_numpy(first, second), of_torch(torch.from_numpy(first), torch.from_numpy(second))):
        assert 1.0 - told["cosine"] == pytest.approx(float(exact), rel=1e-3)

"""Arrays of any type and layout: what is said of them is what the slow and obvious comparison says, or a refusal."""

import importlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from support.obvious_difference import assert_same, obvious

from checks.facts import ArrayDifference
from checks.probes import host  # noqa: F401 - it offers the modules of the probes

difference: Any = importlib.import_module("checks.probes.compute.bits.difference")
array_types: Any = importlib.import_module("checks.probes.compute.bits.array_types")
fingerprints: Any = importlib.import_module("checks.probes.compute.bits.fingerprint")

TYPES = ("float16", "float32", "float64", "complex64", "complex128", "int8", "int64", "uint16", "uint64", "bool")
SHORT = (
    *("bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"),
    *("int4", "uint4", "int2", "uint2"),
)
OF_TORCH = ("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
SHAPES = ((), (0,), (3, 0), (1,), (7,), (1, 5), (5, 1), (2, 7), (3, 4, 2))
Array = Any


def _padded(array: Array) -> Array:
    """The first column of a wider array: one element alone keeps the step of the whole row."""
    wide = np.empty((*array.shape, 3), array.dtype)
    wide[...] = array[..., None]
    return wide[..., 0]


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "plain": lambda array: array,
    "column": _padded,
    "backwards": lambda array: np.flip(np.flip(array).copy()),
    "by columns": lambda array: array.T.copy().T,
    "other bytes": lambda array: (
        array if array.dtype.itemsize == 1 or array.dtype.kind == "V" else array.astype(array.dtype.newbyteorder())
    ),
    "odd start": lambda array: (
        np.frombuffer(b"x" + array.tobytes(), array.dtype, offset=1).reshape(array.shape) if array.size else array
    ),
}


def _ordinary(array: Array) -> bool:
    """Whether its squares are numbers: for others there is no cosine, and NumPy has no modulus."""
    size = abs(array[np.isfinite(array)].astype("c16"))
    return not size.size or (size.max() < 1e150 and (size[size > 0].min(initial=1.0) > 1e-150))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Array, Array]:
    """Two arrays of one type: equal, differing in some elements, or strangers."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    shape = draw(st.sampled_from(SHAPES))
    numbers = arrays_of.from_dtype(dtype)
    if dtype.kind in "fc":
        special = [0.0, -0.0, 1.0, float("nan"), float("inf"), -float("inf"), np.finfo(dtype).smallest_subnormal]
        numbers = st.one_of(st.sampled_from(special).map(dtype.type), numbers)
    first = draw(arrays_of.arrays(dtype, shape, elements=numbers))
    second = first.copy()
    for place in draw(st.lists(st.integers(0, max(0, first.size - 1)), max_size=3)) if first.size else ():
        second.reshape(-1)[place] = draw(numbers)
    return first, second


@given(pairs(), st.sampled_from(sorted(LAYOUTS)), st.sampled_from(sorted(LAYOUTS)))
@settings(max_examples=60)
def test_type_layout_and_content(pair: tuple[Array, Array], one: str, other: str) -> None:
    first, second = pair
    laid = LAYOUTS[one](first), LAYOUTS[other](second)
    told = difference.numpy_difference(np, *laid)
    msgspec.json.encode(msgspec.convert(told, ArrayDifference))
    if first.dtype.kind not in "fc" or all(map(_ordinary, pair)):
        assert_same(told, obvious(first, second), 1e-12 if first.dtype in ("f8", "c16") else 1e-6)
    codes = [fingerprints.numpy_fingerprint(np, array) for array in (*laid, first)]
    assert codes[0] == codes[2]
    assert (codes[0] == codes[1]) == (first.tobytes() == second.tobytes())


@given(pairs(), st.sampled_from(["plain", "column", "by columns"]))
@settings(max_examples=50)
def test_tensors_of_any_layout(pair: tuple[Array, Array], layout: str) -> None:
    first, second = pair
    laid = [torch.from_numpy(LAYOUTS[layout](array)[...]) for array in pair]
    known = difference.numpy_difference(np, first, second)
    for told in (difference.tensor_difference(torch, *laid), difference.torch_difference(torch, *laid)):
        exact = ("elements", "differing", "nan", "infinite", "first", "max_ulp", "ulp_histogram", "same_top")
        assert {name: told[name] for name in exact} == {name: known[name] for name in exact}
        for name in ("max_abs", "max_rel", "scale"):
            assert told[name] == (known[name] if known[name] is None else pytest.approx(known[name], rel=1e-12, abs=0))
    assert fingerprints.torch_fingerprint(torch, laid[0]) == fingerprints.numpy_fingerprint(np, first)
    codes = fingerprints.TorchCodes(torch)
    codes.add((laid[0],))
    codes.add((torch.from_numpy(first.copy()),))
    assert len(set(codes.read())) == 1


@pytest.mark.parametrize("dtype", SHORT)
@given(data=st.data())
@settings(max_examples=15)
def test_numbers_that_ml_dtypes_brings(dtype: str, data: st.DataObject) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype))
    raw = data.draw(st.binary(min_size=2 * kind.itemsize * 6, max_size=2 * kind.itemsize * 6))
    if "int" in dtype:  # only the lower bits are theirs
        low = -(2 ** (int(dtype[-1]) - 1)) if dtype[0] == "i" else 0
        pair = [
            np.array([byte % 2 ** int(dtype[-1]) + low for byte in part]).astype(kind) for part in (raw[:6], raw[6:])
        ]
    else:
        pair = [array.copy() for array in np.split(np.frombuffer(raw, kind), 2)]
    pair[1][:3] = pair[0][:3]
    known = obvious(*pair)
    for layout in LAYOUTS.values():
        assert_same(difference.numpy_difference(np, layout(pair[0]), pair[1]), known)
        assert fingerprints.numpy_fingerprint(np, layout(pair[0])) == fingerprints.numpy_fingerprint(np, pair[0])
    if dtype in OF_TORCH:
        bits = [torch.from_numpy(array.view(f"i{kind.itemsize}").copy()) for array in pair]
        tensors = [tensor.view(getattr(torch, dtype)) for tensor in bits]
        assert_same(difference.tensor_difference(torch, *tensors), known)
        assert fingerprints.torch_fingerprint(torch, tensors[0]) == fingerprints.numpy_fingerprint(np, pair[0])


def test_a_column_of_one_row() -> None:
    column = torch.arange(5.0).reshape(1, 5)[:, 0]
    assert (column.is_contiguous(), column.stride()) == (True, (5,))
    assert fingerprints.torch_fingerprint(torch, column) == fingerprints.torch_fingerprint(torch, torch.zeros(1))
    for told in (
        difference.tensor_difference(torch, column, column + 1),
        difference.torch_difference(torch, column, column + 1),
    ):
        assert (told["differing"], told["max_abs"]) == (1, 1.0)


@pytest.mark.parametrize("far", [1e-23, 1e-22, 1e-15, 1e9, 1e15])
def test_the_cosine_of_arrays_whose_lengths_are_far_apart(far: float) -> None:
    """Squares of the shorter one that float32 does not hold."""
    draw = np.random.default_rng(0)
    first = draw.standard_normal(20_000).astype("float32")
    second = ((first + draw.standard_normal(20_000)) * far).astype("float32")
    one, other = first.astype("float64"), second.astype("float64")
    exact = float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
    for told in (
        difference.numpy_difference(np, first, second),
        difference.tensor_difference(torch, torch.from_numpy(first), torch.from_numpy(second)),
    ):
        assert told["cosine"] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(("one", "other"), [(1e200, 1.0), (1e-200, 1.0), (1e200, 1e-200), (1e-310, 1e300)])
def test_the_cosine_of_numbers_whose_squares_float64_does_not_hold(one: float, other: float) -> None:
    draw = np.random.default_rng(0)
    first = draw.standard_normal(3000)
    second = first + draw.standard_normal(3000)
    exact = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    sized = first * one, second * other
    for told in (
        difference.numpy_difference(np, *sized),
        difference.tensor_difference(torch, *map(torch.from_numpy, sized)),
    ):
        assert told["cosine"] == pytest.approx(exact, abs=1e-6)
    assert difference.numpy_difference(np, sized[0], np.zeros(3000))["cosine"] is None


@pytest.mark.parametrize("lost", [np.inf, 1e200])
def test_products_of_both_signs_that_no_number_holds_are_no_error_of_ours(lost: float) -> None:
    first = np.ones(4 * array_types.DOT)
    first[[3, -3]] = lost
    second = first.copy()
    second[-3] = -1.0 if lost == np.inf else -lost
    told = difference.numpy_difference(np, first, second)
    assert (told["differing"], told["infinite"]) == (1, int(lost == np.inf))


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(torch.zeros(3).to_sparse(), id="sparse"),
        pytest.param(torch.zeros(3, dtype=torch.uint8).view(torch.bits8), id="bits"),
        pytest.param(torch.zeros(3, dtype=torch.uint8).view(torch.float4_e2m1fn_x2), id="two-in-a-byte"),
    ],
)
def test_tensors_that_only_store_are_refused(tensor: torch.Tensor) -> None:
    with pytest.raises(array_types.NotCompared):
        difference.torch_difference(torch, tensor, tensor)
    with pytest.raises(fingerprints.NotFingerprinted):
        fingerprints.torch_fingerprint(torch, tensor)


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_a_quantised_tensor_is_refused_whose_bytes_cannot_be_looked_at() -> None:
    tensor = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)
    with pytest.raises(array_types.NotCompared):
        difference.torch_difference(torch, tensor, tensor)

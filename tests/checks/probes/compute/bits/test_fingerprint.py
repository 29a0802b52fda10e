"""Fingerprints: every bit counts, and the same bits give the same from NumPy and PyTorch in either way."""

import importlib
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from support.portable_inputs import KNOWN, KnownFingerprint

from checks.probes import host  # noqa: F401 - it offers the modules of the probes

fingerprints: Any = importlib.import_module("checks.probes.compute.bits.fingerprint")
inputs: Any = importlib.import_module("checks.probes.compute.bits.inputs")

BLOCK = fingerprints.BLOCK
SHAPES = [(), (0,), (0, 3), (1,), (5,), (BLOCK - 1,), (BLOCK,), (BLOCK + 1,), (3, 7, 41), (20, BLOCK), (1, 90_001)]
NUMPY_TYPES = ["float64", "float32", "float16", "complex64", "complex128", "int64", "int32", "int16", "uint8", "bool"]
TORCH_TYPES = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


def of_numpy(array: Any) -> str:
    return str(fingerprints.numpy_fingerprint(np, array))


def of_torch(tensor: torch.Tensor) -> str:
    return str(fingerprints.torch_fingerprint(torch, tensor))


def drawn(shape: tuple[int, ...], dtype: str = "float32", stream: int = 1) -> Any:
    if dtype in inputs.FORMATS or dtype in inputs.COMPLEX:
        return inputs.numpy_uniform(np, shape, dtype, stream)
    return inputs.numpy_integers(np, shape, 2 if dtype == "bool" else 100, stream, dtype)


@pytest.fixture(params=["words", "matmul"])
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    state = fingerprints._Torch.of(torch, torch.device("cpu"))
    monkeypatch.setattr(state, "_way", getattr(state, f"_{request.param}"))


@pytest.mark.parametrize("row", KNOWN.fingerprint, ids=lambda row: row.dtype + str(row.shape))
def test_known_answers(row: KnownFingerprint) -> None:
    assert of_torch(inputs.torch_uniform(torch, row.shape, row.dtype, row.stream)) == row.fingerprint
    if row.dtype in NUMPY_TYPES:
        assert of_numpy(drawn(row.shape, row.dtype, row.stream)) == row.fingerprint


@pytest.mark.usefixtures("_each_way")
@pytest.mark.parametrize("dtype", NUMPY_TYPES)
def test_numpy_and_torch_agree(dtype: str) -> None:
    for shape in SHAPES:
        array = np.asarray(drawn(shape, dtype))
        told = of_numpy(array)
        assert len(told) == 16
        assert of_torch(torch.tensor(array)) == told


@pytest.mark.parametrize("dtype", TORCH_TYPES)
def test_short_types_differ_from_others_of_the_same_bits(dtype: str) -> None:
    tensor = inputs.torch_uniform(torch, (3000,), dtype, 1)
    assert of_torch(tensor) == of_torch(tensor.clone())
    assert of_torch(tensor) != of_torch(tensor.view(torch.uint8 if tensor.element_size() == 1 else torch.int16))


@pytest.mark.usefixtures("_each_way")
@pytest.mark.parametrize("piece", [1 << 30, 64 * 4096, 4096, 1000])
def test_the_layout_in_memory_does_not_matter(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "PIECE_BYTES", piece)
    base = drawn((6, 500, 70))
    tensor = torch.from_numpy(base)
    for array, same in (
        (base.transpose(2, 0, 1), tensor.permute(2, 0, 1)),
        (base[::2], tensor[::2]),
        (base[:, ::-3, 1:], tensor.flip(1)[:, ::3, 1:]),
        (np.broadcast_to(base[0, 0], (40, 70)), tensor[0, 0].expand(40, 70)),
        (np.asfortranarray(base), tensor.permute(2, 1, 0).contiguous().permute(2, 1, 0)),
        (base[:0], tensor[:0]),
    ):
        told = of_numpy(np.ascontiguousarray(array))
        assert of_numpy(array) == of_torch(same) == told


def test_other_orders_of_bytes_and_odd_starts() -> None:
    array = drawn((2000,))
    assert of_numpy(array.astype(">f4")) == of_numpy(array)
    narrow = torch.from_numpy(drawn((9000,), "uint8"))[1:]
    assert of_torch(narrow) == of_torch(narrow.clone())


def test_lazy_conjugates_and_negatives_are_carried_out() -> None:
    tensor = torch.from_numpy(drawn((70, 3), "complex64"))
    assert of_torch(tensor.conj()) == of_torch(tensor.conj().resolve_conj()) != of_torch(tensor)
    assert of_torch(tensor.conj().imag) == of_torch(-(tensor.imag))


def test_tensors_with_gradients_are_read() -> None:
    tensor = torch.ones(3, requires_grad=True)
    assert of_torch(tensor) == of_torch(tensor.detach())


# --- every change is seen ---------------------------------------------------------------------------------------------


def changes(array: Any) -> dict[str, Any]:
    """What goes wrong in a computation, done to an array of three and a half blocks."""
    found = {"negated": -array, "reversed": array[::-1].copy(), "shifted": np.roll(array, 1)}
    for name, first, second in (("near", 5, 6), ("in-block", 3, 900), ("blocks", 7, 7 + 2 * BLOCK)):
        swapped = array.copy()
        swapped[[first, second]] = swapped[[second, first]]
        found[f"swapped-{name}"] = swapped
        two = array.copy()
        two[[first, second]] = -two[[second, first]]
        found[f"two-signs-{name}"] = two
    blocks = array.copy()
    blocks[:BLOCK], blocks[BLOCK : 2 * BLOCK] = array[BLOCK : 2 * BLOCK], array[:BLOCK]
    found["two-blocks"] = blocks
    for count in (2, 3, 4, BLOCK, BLOCK + 1, 2 * BLOCK):
        signs = array.copy()
        signs[:count] = -signs[:count]
        found[f"signs-{count}"] = signs
    half = array.copy()
    half[1::2] = -half[1::2]
    found["every-other-sign"] = half
    return found


@pytest.mark.usefixtures("_each_way")
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_what_goes_wrong_is_seen(dtype: str) -> None:
    array = drawn((7 * BLOCK // 2,), dtype)
    told = {"as it was": of_torch(torch.from_numpy(array))}
    for name, changed in changes(array).items():
        told[name] = of_torch(torch.from_numpy(changed))
        assert told[name] == of_numpy(changed)
    assert len(set(told.values())) == len(told)


def test_any_one_bit_and_any_two_top_bits() -> None:
    array = drawn((40,))
    bits = array.view(np.uint32)
    told = {of_numpy(array)}
    for place in range(40):
        for bit in range(32):
            changed = bits.copy()
            changed[place] ^= np.uint32(1 << bit)
            told.add(of_numpy(changed.view(np.float32)))
        for other in range(place):
            changed = bits.copy()
            changed[[place, other]] ^= np.uint32(1 << 31)
            told.add(of_numpy(changed.view(np.float32)))
    assert len(told) == 1 + 40 * 32 + 40 * 39 // 2


def test_the_weights_are_as_the_promise_needs_them() -> None:
    """Odd: any changed word is seen. Different in their low 33 bits: any two words that changed places are."""
    for level in range(4):
        weights = [weight % (1 << 64) for weight in fingerprints.weights(level)]
        assert all(weight & 1 for weight in weights)
        assert len({weight % (1 << 33) for weight in weights}) == BLOCK


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(np.float32([0.0]), np.float32([-0.0]), id="signed-zeros"),
        pytest.param(np.uint32([0x7FC00000]).view("f4"), np.uint32([0x7FC00001]).view("f4"), id="payloads-of-nan"),
        pytest.param(np.zeros((2, 3)), np.zeros((3, 2)), id="shapes"),
        pytest.param(np.zeros(2, "f4"), np.zeros(2, "i4"), id="types"),
        pytest.param(np.zeros((0, 3)), np.zeros((3, 0)), id="empty"),
        pytest.param(np.zeros(3), np.zeros(4), id="lengths"),
        pytest.param(np.arange(12.0).reshape(3, 4), np.arange(12.0).reshape(4, 3).T, id="transposed"),
    ],
)
def test_told_apart(first: Any, second: Any) -> None:
    assert of_numpy(first) != of_numpy(second)
    assert of_torch(torch.tensor(first)) != of_torch(torch.tensor(second))


@given(st.binary(min_size=1, max_size=9000), st.integers(0, 1 << 30), st.integers(0, 7))
def test_any_bit_of_any_bytes(data: bytes, place: int, bit: int) -> None:
    array = np.frombuffer(data, np.uint8)
    changed = array.copy()
    changed[place % len(data)] ^= np.uint8(1 << bit)
    assert of_numpy(array) != of_numpy(changed)
    assert of_numpy(changed) == of_torch(torch.from_numpy(changed))


def test_as_many_fingerprints_as_arrays() -> None:
    array = drawn((64,))
    told = set()
    for index in range(3000):
        array[index % 64] += np.float32(index + 1)
        told.add(of_numpy(array))
    assert len(told) == 3000


# --- several tensors, and what has no fingerprint ---------------------------------------------------------------------


def test_several_tensors_have_one() -> None:
    first, second = torch.ones(3), torch.zeros(2)
    told = {
        fingerprints.torch_fingerprints(torch, each)
        for each in ((first, second), (second, first), (first, None), (None, first), (first,), (first, (second, None)))
    }
    assert len(told) == 6
    assert fingerprints.torch_fingerprints(torch, first) == of_torch(first)
    assert fingerprints.torch_fingerprints(torch, [first, second]) in told


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([object()]), np.zeros(2, "M8[s]"), np.zeros(2, [("x", "f4")]), np.zeros(2, "g")],
    ids=["text", "object", "time", "fields", "long-double"],
)
def test_what_has_none(array: Any) -> None:
    with pytest.raises(fingerprints.NotFingerprinted):
        of_numpy(array)


class Broken:
    """A device that has no such product, and computes wrong word by word."""

    def __init__(self, wrong: bool) -> None:
        self.wrong = wrong

    def __getattr__(self, name: str) -> Any:
        if name == "_int_mm":
            raise AttributeError(name)
        if name == "mul" and self.wrong:
            return lambda *args, out: torch.mul(*args, out=out).add_(1)
        return getattr(torch, name)


def test_a_device_without_the_product_adds_up_words() -> None:
    state = fingerprints._Torch(Broken(wrong=False), torch.device("cpu"))
    assert state._way.__name__ == "_words"


def test_a_device_that_adds_up_wrong_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its bytes go to the processor."""
    monkeypatch.setattr(
        fingerprints._Torch, "_quickest", lambda self: None if self.device.type == "meta" else self._words
    )
    assert fingerprints._Torch(torch, torch.device("meta")).device.type == "cpu"
    monkeypatch.undo()
    state = object.__new__(fingerprints._Torch)
    state.torch, state.device, state._weights, state._digits = Broken(wrong=True), torch.device("cpu"), {}, {}
    assert state._quickest() is None


def codes_of(*results: tuple[Any, ...]) -> list[int]:
    codes = fingerprints.TorchCodes(torch)
    for result in results:
        codes.add(result)
    return list(codes.read())


def test_many_results_have_the_codes_that_each_has_alone_in_their_order() -> None:
    small, odd, large = torch.arange(9.0), torch.arange(3000) % 7, torch.arange(80000.0)
    results = [
        (small,),
        (small + 1,),
        (odd, small),
        (large,),
        (small,),
        (large + 1, small),
        (odd.bool(),),
        (odd.to(torch.bfloat16),),
        (torch.zeros(0),),
        (torch.tensor(3.0),),
    ]
    together = codes_of(*results)
    assert together == [code for result in results for code in codes_of(result)]
    assert len(set(together)) == len(results) - 1  # one came twice
    assert codes_of() == []
    many = codes_of(*[(torch.full((4000,), float(number)),) for number in range(300)])
    assert len(set(many)) == 300


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
@pytest.mark.parametrize("count", [7, 1024, 5000, 60000, 70000, 600_000])
def test_every_changed_bit_and_every_other_shape_has_another_code(
    count: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(fingerprints._TOGETHER, "cpu", fingerprints._TOGETHER[kind])
    data = torch.arange(count, dtype=torch.float32)
    other = [data.clone() for _ in range(4)]
    other[0][0] = -0.0
    other[1][-1] += 1
    other[2][[1, count - 2]] = other[2][[count - 2, 1]]
    other[3].view(torch.int32)[count // 2] ^= 1
    odd = (data.reshape(1, -1), data.view(torch.int32), data.flip(0), -data)
    found = codes_of((data,), *[(each,) for each in (*other, *odd)], (data[:3], data[3:]), (data[:4], data[4:]))
    assert len(set(found)) == len(found)
    assert codes_of((data,), (data.clone(),))[0] == found[0]
    assert codes_of((torch.stack([data, data], 1)[:, 0],)) == found[:1]  # of another layout

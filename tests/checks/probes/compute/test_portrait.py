"""Portraits: the same from NumPy and PyTorch, in any pieces and layout; sums in an order that is always the same."""

import importlib
import math
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from support.portable_inputs import KNOWN, KnownFingerprint

from checks.facts import Portrait
from checks.probes import host  # noqa: F401 - it offers the modules of the probes

portraits: Any = importlib.import_module("checks.probes.compute.portrait")
inputs: Any = importlib.import_module("checks.probes.compute.bits.inputs")

SHAPES = [(), (0,), (0, 5), (1,), (63,), (64,), (65,), (257,), (31, 17, 9), (70_001,)]


def of_numpy(array: Any) -> dict[str, Any]:
    told: dict[str, Any] = portraits.numpy_portrait(np, array)
    msgspec.convert(told | {"kind": "portrait"}, Portrait)
    return told


def of_torch(tensor: torch.Tensor) -> dict[str, Any]:
    told: dict[str, Any] = portraits.torch_portrait(torch, tensor)
    msgspec.convert(told | {"kind": "portrait"}, Portrait)
    return told


@pytest.mark.parametrize("row", KNOWN.fingerprint, ids=lambda row: row.dtype + str(row.shape))
def test_known_sums(row: KnownFingerprint) -> None:
    told = of_torch(inputs.torch_uniform(torch, row.shape, row.dtype, row.stream))
    assert tuple(told["block_sums"][:2]) == row.block_sums


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "complex64", "complex128", "int32", "uint8", "bool"]
)
def test_numpy_and_torch_agree(dtype: str) -> None:
    for shape in SHAPES:
        drawn = 100 * inputs.numpy_uniform(np, shape, "float64", 3)
        array = np.asarray(abs(drawn) if dtype == "uint8" else drawn > 0 if dtype == "bool" else drawn).astype(dtype)
        assert of_numpy(array) == of_torch(torch.tensor(array))
        turned = array.T
        assert of_numpy(turned) == of_torch(torch.tensor(array).permute(list(range(array.ndim))[::-1]))


@pytest.mark.parametrize("unit", [1 << 4, 1 << 7, 1 << 10])
def test_long_blocks_are_summed_unit_by_unit_in_every_layout(unit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portraits, "UNIT", unit)
    array = inputs.numpy_uniform(np, (3, 70, 41), "float32", 3)
    told = of_numpy(array)
    lying = torch.from_numpy(array).permute(1, 2, 0).contiguous().permute(2, 0, 1)
    assert of_numpy(np.asfortranarray(array)) == of_torch(torch.from_numpy(array)) == of_torch(lying) == told
    length = portraits.block_length(array.size)
    assert length <= unit or length % unit == 0
    blocks = [array.reshape(-1)[start : start + length] for start in range(0, array.size, length)]
    sums = [float.fromhex(each) for each in told["block_sums"]]
    assert sums == pytest.approx([math.fsum(block.tolist()) for block in blocks], abs=1e-12)


def test_the_order_of_additions() -> None:
    """The second half is added to the first, again and again; what is left over comes last."""
    rows = [[1.0, 2.0**60, -(2.0**60), 1.0, 4.0]]
    # 1 - 2^60, 2^60 + 1, 4 -> (1 - 2^60) + (2^60 + 1), 4; of each of the first two the 1 is lost
    assert portraits._halved(np.concatenate, np.array(rows)) == [4.0]
    assert portraits._halved(torch.cat, torch.tensor(rows, dtype=torch.float64)) == [4.0]


def test_what_is_no_number_is_counted_and_does_not_spoil_the_sums() -> None:
    array = np.array([1.0, math.nan, -3.0, math.inf, -math.inf, 0.5], "float32")
    told = of_numpy(array)
    assert (told["nan"], told["infinite"], told["scale"]) == (1, 2, 3.0)
    assert [float.fromhex(each) for each in told["block_sums"]] == [1.0, 0.0, -3.0, 0.0, 0.0, 0.5]
    assert of_torch(torch.from_numpy(array)) == told
    assert of_numpy(np.full(3, math.nan))["scale"] is None


def test_samples_are_the_bits_as_they_are_written() -> None:
    told = of_numpy(np.array([1.0, -2.0], "float32"))
    assert told["samples"] == ["3f800000", "c0000000"]
    assert of_numpy(np.array([1.0 - 2.0j], "complex64"))["samples"] == ["3f800000c0000000"]
    assert of_numpy(np.array([-1, 2], "int16"))["samples"] == ["ffff", "0002"]
    assert of_numpy(np.array([1.0], ">f4"))["samples"] == ["3f800000"]
    assert of_torch(torch.tensor([1.5], dtype=torch.bfloat16))["samples"] == ["3fc0"]


def test_samples_are_drawn_evenly_and_for_the_size_alone() -> None:
    assert portraits.places(100) == list(range(100))
    places = portraits.places(1 << 40)
    assert len(places) == portraits.SAMPLES
    assert 0 <= min(places) < max(places) < 1 << 40
    assert abs(sum(places) / len(places) / (1 << 40) - 0.5) < 5 / math.sqrt(12 * len(places))
    assert portraits.places(1 << 40) == places


def test_a_tensor_with_gradients_or_a_lazy_conjugate() -> None:
    tensor = torch.arange(3.0, requires_grad=True)
    assert of_torch(tensor) == of_torch(tensor.detach())
    turned = torch.tensor([1 + 2j]).conj()
    assert of_torch(turned) == of_torch(turned.resolve_conj())

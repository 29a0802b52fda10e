"""What weights lose: beside their float ones, alone, per channel, turned over and in half precision."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks.analysis.models.quantised_weights import weight_losses
from checks.engine.given_models import losses_of_weights, read_each
from checks.facts import WeightLoss
from tests.support import written_onnx as files

DRAW = np.random.default_rng(0)
PLAIN = DRAW.standard_normal((8, 64)).astype("float32")
NODE = files.node("MatMul", ["x", "w"], ["y"])


def written(path: Path, **arrays: Any) -> Path:
    path.write_bytes(files.model([NODE], [files.weight(name, np.asarray(array)) for name, array in arrays.items()]))
    return path


def codes(array: Any, axis: int | None = None) -> dict[str, Any]:
    """What onnxruntime.quantization stores for a weight: one scale, or one for each place on an axis."""
    others = tuple(place for place in range(array.ndim) if place != axis)
    largest = abs(array).max(axis=None if axis is None else others, keepdims=axis is not None)
    scale = (largest / 127).astype("float32")
    stored = np.rint(array / scale).clip(-127, 127).astype("int8")
    flat = np.ravel(scale)
    return {"w_quantized": stored, "w_scale": flat if axis is not None else flat[0], "w_zero_point": np.int8(0)}


def one(first: Path | None, second: Path) -> WeightLoss:
    (found,) = weight_losses(first, second)
    return found


def test_one_scale_and_one_for_each_channel(tmp_path: Path) -> None:
    first = written(tmp_path / "net.onnx", w=PLAIN)
    whole = one(first, written(tmp_path / "a.onnx", **codes(PLAIN)))
    channels = codes(PLAIN, axis=0)
    channels["w_zero_point"] = np.zeros(8, "int8")
    each = one(first, written(tmp_path / "b.onnx", **channels))
    assert (whole.name, whole.dtype, whole.shape, whole.scales) == ("w", "int8", (8, 64), 1)
    assert each.scales == 8
    assert whole.sqnr is not None
    assert each.sqnr is not None
    assert 30 < whole.sqnr < each.sqnr


def test_a_large_channel_leaves_few_codes_to_the_others(tmp_path: Path) -> None:
    uneven = PLAIN.copy()
    uneven[3] *= 200
    found = one(written(tmp_path / "net.onnx", w=uneven), written(tmp_path / "q.onnx", **codes(uneven)))
    assert found.sqnr is not None
    assert found.poorest is not None
    assert found.sqnr > 35 > 10 > found.poorest  # the tensor as a whole hides it
    assert found.steps is not None
    assert found.steps <= 3
    assert found.ratio is not None
    assert found.ratio > 100
    alone = one(None, tmp_path / "q.onnx")
    assert (alone.sqnr, alone.steps) == (None, found.steps)


def test_a_gemm_s_weight_that_dynamic_quantisation_turned_over(tmp_path: Path) -> None:
    turned = {name.replace("w_", "w_Transposed_"): array for name, array in codes(PLAIN.T.copy()).items()}
    found = one(written(tmp_path / "net.onnx", w=PLAIN), written(tmp_path / "q.onnx", **turned))
    assert found.name == "w"
    assert found.sqnr is not None
    assert found.sqnr > 30


def test_half_precision(tmp_path: Path) -> None:
    first = written(tmp_path / "net.onnx", w=PLAIN)
    found = one(first, written(tmp_path / "half.onnx", w=PLAIN.astype("float16")))
    assert (found.dtype, found.scales) == ("float16", 0)
    assert found.sqnr is not None
    assert found.sqnr > 65
    assert weight_losses(first, first) == ()


@pytest.mark.parametrize("shape", [(3, 5), (1, 70_000), (700, 101), (70_000, 1), (40, 30, 33)])
def test_what_is_read_in_blocks_is_what_the_whole_loses(shape: tuple[int, ...], tmp_path: Path) -> None:
    wanted = np.random.default_rng(1).standard_normal(shape).astype("float32")
    wanted[0] = 0.0  # a channel without a signal is none of the poorest
    halves = wanted.astype("float16")
    found = one(written(tmp_path / "net.onnx", w=wanted), written(tmp_path / "half.onnx", w=halves))
    numbers, error = wanted.astype("float64"), wanted.astype("float64") - halves
    ratios = []
    for axis in range(2 if len(shape) == 2 else 1):
        others = tuple(place for place in range(len(shape)) if place != axis)
        signal, noise = ((array**2).sum(axis=others) for array in (numbers, error))
        some = (signal > 0) & (noise > 0)
        ratios += (10 * np.log10(signal[some] / noise[some])).tolist()
    sqnr = 10 * np.log10((numbers**2).sum() / (error**2).sum()) if error.any() else None
    assert found.sqnr == pytest.approx(sqnr)
    assert found.poorest == pytest.approx(min(ratios, default=None))
    assert found.max_relative == (abs(error).max() / abs(numbers).max() if numbers.any() else None)


@pytest.mark.parametrize("content", [b"", b"\x3a\xff\xff\xff\xff\x0f"])
def test_a_damaged_file_loses_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "q.onnx").write_bytes(content)
    assert weight_losses(None, tmp_path / "q.onnx") == ()


def gguf(path: Path, kind: int, data: bytes) -> Path:
    """One tensor "w" of 8 rows of 64, of a type of ggml."""
    name = struct.pack("<Q", 1) + b"w"
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + name + struct.pack("<IQQIQ", 2, 64, 8, kind, 0)
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


def test_the_blocks_of_ggml_beside_their_floats(tmp_path: Path) -> None:
    blocks = PLAIN.reshape(-1, 32)
    scales = (abs(blocks).max(axis=1) / 127).astype("float16")
    stored = np.rint(blocks / scales[:, None].astype("float32")).clip(-127, 127).astype("int8")
    coded = b"".join(scale.tobytes() + row.tobytes() for scale, row in zip(scales, stored, strict=True))
    first = gguf(tmp_path / "float.gguf", 0, PLAIN.tobytes())
    second = gguf(tmp_path / "q8.gguf", 8, coded)
    (found,) = weight_losses(first, second, form="gguf")
    assert (found.name, found.dtype, found.steps) == ("w", "Q8_0", None)
    assert found.sqnr is not None
    assert 38 < found.sqnr < 50
    assert weight_losses(first, first, form="gguf") == ()
    assert weight_losses(None, second, form="gguf") == ()
    models = tuple(model for path in (second, first) for (model,) in [next(read_each([path]))])
    assert losses_of_weights(models) == (found,)

"""Files whose weights hold NaN or infinities, and files with infinities that are meant."""

import io
import json
import math
import struct
import zipfile
from pathlib import Path

import pytest

from checks.causes.model.weights_not_finite import weights_not_finite
from checks.engine.given_models import read_each
from checks.facts import ModelFacts, ModelFiles
from checks.facts.finding import Finding, NotHere, Severity
from checks.readers.weights import stored_weights
from checks.readers.weights.finite import weight_values

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
NAN, INF = math.nan, math.inf


def stored(folder: Path, **tensors: list[float]) -> Path:
    """A safetensors file of float32."""
    header, data = {}, b""
    for name, numbers in tensors.items():
        more = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": [len(numbers)], "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def read(path: Path) -> ModelFacts:
    ((model,),) = read_each([path])
    return model


def found(path: Path) -> list[Finding]:
    return list(weights_not_finite(ModelFiles(files=(read(path),))))


def test_a_tensor_with_nan_is_named(tmp_path: Path) -> None:
    (finding,) = found(stored(tmp_path, good=[1.0, 2.0], bad=[1.0, NAN, NAN]))
    assert finding.severity is Severity.WARNING
    assert finding.placeholders()["not_finite_weights"] == ("bad",)
    assert [each.value for each in finding.evidence if each.name == "not_finite_weights"] == ["bad: 2 NaN, 0 Inf / 3"]


@pytest.mark.parametrize(
    ("name", "weight"), [("onnx/made/nan_weight.onnx", "W"), ("torch-zip/made/nan_state.pt", "0.weight")]
)
def test_recorded_files(name: str, weight: str) -> None:
    (finding,) = found(RECORDED / name)
    assert finding.placeholders()["not_finite_weights"] == (weight,)


def spoilt(path: Path, folder: Path) -> tuple[Path, str]:
    """A recorded file with NaN in the place of the first number of one of its weights, and the name of that."""
    form = str(read(path).format)
    with stored_weights(path, form) as weights:
        tensor = next(each for each in weights.tensors.values() if each.count > 3 and each.dtype != "int8")
        before = tensor.data.read(0, tensor.data.size)
    size = 2 if tensor.dtype in ("float16", "bfloat16", "Q8_0") else 4
    after = {2: b"\xff\x7f", 4: struct.pack("<f", NAN)}[size] + before[size:]
    copy = folder / path.name
    if not zipfile.is_zipfile(path):
        copy.write_bytes(path.read_bytes().replace(before, after, 1))
        return copy, tensor.name
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            content = old.read(member)
            is_inner = content[:2] == b"PK"
            new.writestr(member, inner(content, before, after) if is_inner else content.replace(before, after))
    return copy, tensor.name


def inner(content: bytes, before: bytes, after: bytes) -> bytes:
    """The same within an archive that lies in an archive."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for member in old.namelist():
            new.writestr(member, old.read(member).replace(before, after))
    return made.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        "gguf/made/tiny.gguf",
        "keras-h5/made/small-3.15.h5",
        "keras-zip/made/small-2.15.keras",
        "torchscript/made/traced.pt",
        "pt2/made/exported.pt2",
        "pt2/made/before_2_8.pt2",
    ],
)
def test_recorded_files_of_other_formats_with_a_number_that_is_none(name: str, tmp_path: Path) -> None:
    assert found(RECORDED / name) == []
    copy, weight = spoilt(RECORDED / name, tmp_path)
    (finding,) = found(copy)
    assert finding.placeholders()["not_finite_weights"] == (weight,)


def test_blocks_whose_scale_is_none(tmp_path: Path) -> None:
    path = RECORDED / "gguf/made/quantized.gguf"
    with stored_weights(path, "gguf") as weights:
        tensor = weights.tensors["Q4_0"]
        before = tensor.data.read(0, tensor.data.size)
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes().replace(before, b"\xff\x7f" + before[2:], 1))
    (finding,) = found(copy)
    (counted,) = (each.value for each in finding.evidence if each.name == "not_finite_weights")
    assert counted == "Q4_0: 32 NaN, 0 Inf / 128"


@pytest.mark.parametrize("name", ["gguf/made/big_endian.gguf", "torchscript/made/flatbuffer.ptl"])
def test_a_file_of_which_no_number_is_read_is_not_called_sound(name: str) -> None:
    assert read(RECORDED / name).weight_values is None


@pytest.mark.parametrize(
    ("numbers", "count"),
    [
        pytest.param([1.0, INF], 1, id="too-large-for-its-type"),
        pytest.param([NAN], 1, id="nothing-but-nan"),
        pytest.param([0.0, -INF], 0, id="a-mask"),
        pytest.param([-0.5, -INF], 0, id="a-mask-with-slopes"),
        pytest.param([INF, INF], 0, id="a-limit-before-anything-was-observed"),
        pytest.param([1.0, 2.0], 0, id="finite"),
        pytest.param([], 0, id="empty"),
    ],
)
def test_what_is_meant_is_no_fault(tmp_path: Path, numbers: list[float], count: int) -> None:
    assert len(found(stored(tmp_path, tensor=numbers))) == count


def test_what_is_too_large_is_not_read_and_not_called_sound(tmp_path: Path) -> None:
    model = read(stored(tmp_path, bad=[NAN, NAN]))
    assert weight_values(model, most=7) == (None, 0)


@pytest.mark.parametrize("cut", [1, 4])
def test_a_file_that_is_cut_off_is_not_called_sound(tmp_path: Path, cut: int) -> None:
    path = stored(tmp_path, bad=[NAN, NAN])
    path.write_bytes(path.read_bytes()[:-cut])
    assert read(path).weight_values is None


def test_nothing_to_say_of_a_format_that_is_not_read() -> None:
    with pytest.raises(NotHere):
        found(next((RECORDED / "tflite").rglob("*.tflite")))

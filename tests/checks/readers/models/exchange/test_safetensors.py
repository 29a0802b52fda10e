"""safetensors files that the library itself wrote, whole and damaged, and their sets."""

import json
import shutil
import struct
import time
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.facts import NeededFile
from checks.readers.models import read_model, read_models
from checks.readers.models.exchange.safetensors import safetensors

MADE = Path(__file__).parents[4] / "recordings" / "models" / "safetensors" / "made"
TYPES = (MADE / "types.safetensors").read_bytes()
LORA = (MADE / "lora" / "adapter_model.safetensors").read_bytes()


def file(header: object, data: int = 0) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(data)


def tensor(dtype: str, shape: list[int], start: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


def test_all_of_a_file() -> None:
    facts = read_model(MADE / "types.safetensors")
    assert (facts.format, facts.problem, facts.dependence) == ("safetensors", None, "low")
    assert facts.needs.frameworks == ("safetensors>=0.6.0", "torch>=2.8")
    assert facts.needs.memory == 35
    assert facts.parameters == 30
    assert facts.dtypes == {
        "float4_e2m1fn": 16,
        "bfloat16": 6,
        "float8_e4m3fn": 4,
        "bool": 3,
        "int64": 1,
        "float32": 0,
    }
    assert facts.details == {
        "tensors": "6",
        "written-for": "pt",
        "architecture": "stable-diffusion-xl-v1-base/lora",
    }


def test_an_adapter_is_told_by_its_names() -> None:
    facts = read(safetensors, LORA, "anything")
    assert facts is not None
    assert facts.details["adapter"] == "LoRA"


@pytest.mark.parametrize(
    ("name", "quantization"),
    [
        pytest.param("a.weight.quant_state.bitsandbytes__nf4", "bitsandbytes nf4", id="bitsandbytes"),
        pytest.param("a.g_idx", "gptq", id="gptq"),
        pytest.param("a.weight", None, id="plain"),
    ],
)
def test_quantization_is_told_by_names(name: str, quantization: str | None) -> None:
    facts = read(safetensors, file({name: tensor("U8", [2], 0, 2)}, 2), "model.safetensors")
    assert facts is not None
    assert facts.quantization == quantization


@pytest.mark.parametrize("data", [*cuts(TYPES)])
def test_cut(data: bytes) -> None:
    answer = survives(safetensors, data, "model.safetensors")
    assert answer in (None, "truncated") or getattr(answer, "problem", None) == "truncated"


def test_what_is_missing_is_counted() -> None:
    facts = read(safetensors, file({"a": tensor("F32", [4], 0, 16)}, 6), "model.safetensors")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("truncated", "10 of 16 bytes are missing")
    assert facts.parameters == 4


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        pytest.param(file({"a": tensor("F32", [2], 0, 8)}, 12), "4 bytes belong to no tensor", id="too-long"),
        pytest.param(
            file({"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 4, 12)}, 12),
            "tensors overlap at byte 4 of the data",
            id="overlap",
        ),
        pytest.param(
            file({"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 12, 20)}, 20),
            "tensors leave a gap at byte 12 of the data",
            id="gap",
        ),
        pytest.param(file({"a": tensor("F32", [3], 0, 8)}, 8), "F32 [3] in 8 bytes", id="shape"),
        pytest.param(
            file({"a": tensor("F32", [1 << 62, 1 << 62], 0, 8)}, 8),
            "F32 [4611686018427387904, 4611686018427387904] in 8 bytes",
            id="enormous",
        ),
        pytest.param(file({"a": tensor("F32", [2], 8, 0)}, 8), "a tensor from 8 to 0", id="backwards"),
    ],
)
def test_damaged(data: bytes, detail: str) -> None:
    facts = read(safetensors, data, "model.safetensors")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("header-damaged", detail)


def test_tensors_in_another_order_are_fine() -> None:
    data = file({"b": tensor("F32", [2], 8, 16), "c": tensor("F32", [0], 8, 8), "a": tensor("F32", [2], 0, 8)}, 16)
    facts = read(safetensors, data, "model.safetensors")
    assert facts is not None
    assert facts.problem is None


def test_a_number_type_of_the_future() -> None:
    facts = read(safetensors, file({"a": tensor("F2", [8], 0, 2)}, 2), "model.safetensors")
    assert facts is not None
    assert (facts.problem, facts.problem_detail, facts.dtypes) == ("dtype-unknown", "F2", {"F2": 8})


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(struct.pack("<Q", 1 << 63) + b'{"a":{', id="length"),
        pytest.param(struct.pack("<Q", 100_000_001) + b'{"a":{' + bytes(100), id="longer-than-the-library-reads"),
        pytest.param(struct.pack("<Q", 40) + b'{"a": [1, 2, 3], "b": "c"}' + bytes(40), id="other-json"),
        pytest.param(b"{}" * 50, id="json"),
    ],
)
def test_not_mine(data: bytes) -> None:
    assert read(safetensors, data, "data") is None


def test_braces_and_quotes_in_the_metadata() -> None:
    said = {"format": "pt", "note": '{"a": "}\\"", [', "modelspec.title": "x" * 1000}
    facts = read(safetensors, file({"__metadata__": said, 'a"}{': tensor("F16", [1], 0, 2)}, 2), "model.safetensors")
    assert facts is not None
    assert (facts.problem, facts.parameters, len(facts.details["title"])) == (None, 1, 200)


def test_brackets_without_end() -> None:
    deep = b"[" * 50_000
    data = b'{"a":{"dtype":"F32","shape":' + deep + b"}}"
    facts = read(safetensors, struct.pack("<Q", len(data)) + data, "model.safetensors")
    assert facts is not None
    assert facts.problem == "header-damaged"


def test_of_a_large_file_only_the_header_is_read(tmp_path: Path) -> None:
    count, size = 2000, 1 << 20
    head = file({f"layers.{n}.weight": tensor("F16", [size // 2], n * size, (n + 1) * size) for n in range(count)})
    path = tmp_path / "model.safetensors"
    with path.open("wb") as out:
        out.write(head)
        out.truncate(len(head) + count * size)  # sparse: nothing is written
    begun = time.perf_counter()
    facts = read_model(path)
    assert (facts.problem, facts.parameters, facts.needs.memory) == (None, count * size // 2, count * size)
    assert time.perf_counter() - begun < 10


def test_a_part_of_a_set_names_the_missing_ones(tmp_path: Path) -> None:
    shutil.copytree(MADE / "llama-sharded", tmp_path / "set")
    (tmp_path / "set" / "model-00001-of-00003.safetensors").unlink()
    facts = read_model(tmp_path / "set" / "model-00002-of-00003.safetensors")
    assert (facts.problem, facts.problem_detail) == ("missing-part", "model-00001-of-00003.safetensors")
    assert facts.needs.files == (NeededFile(name="model-00001-of-00003.safetensors", present=False),)


def test_parts_without_a_list_are_one_model(tmp_path: Path) -> None:
    for part in MADE.glob("llama-sharded/*.safetensors"):
        shutil.copy(part, tmp_path)
    (facts,) = read_models(tmp_path)
    assert facts.name == "model-00001-of-00003.safetensors"


@given(mangled(TYPES, LORA))
def test_survives(data: bytes) -> None:
    survives(safetensors, data, "model.safetensors")

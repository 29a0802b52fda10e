"""GGML files, laid out as whisper.cpp (src/whisper.cpp) and llama.cpp (convert_llama_ggml_to_gguf.py) read them."""

import struct

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, read, survives

from checks.readers.models.language.ggml import ggml


def tensor(name: bytes, axes: tuple[int, ...], kind: int, data: bytes) -> bytes:
    return struct.pack(f"<III{len(axes)}I", len(axes), len(name), kind, *axes) + name + data


def words(count: int, after: bytes = b"") -> bytes:
    return b"".join(struct.pack("<I", 2) + b"ab" + after for _ in range(count))


BASE_EN = (51864, 1500, 512, 8, 6, 448, 512, 8, 6, 80, 1)
FILTERS = struct.pack("<II", 80, 2) + bytes(80 * 2 * 4)
WHISPER = (
    b"lmgg"
    + struct.pack("<11i", *BASE_EN)
    + FILTERS
    + struct.pack("<I", 3)
    + words(3)
    + tensor(b"encoder.weight", (4, 2), 1, bytes(16))
    + tensor(b"encoder.bias", (4,), 0, bytes(16))
)
SILERO = (
    b"lmgg"
    + struct.pack("<I", 10)
    + b"silero-16k"
    + struct.pack("<3i2i", 6, 2, 0, 512, 64)
    + struct.pack("<I3i", 1, 129, 128, 3)
    + bytes(16)
    + tensor(b"stft", (2,), 0, bytes(8))
)
LLAMA = struct.pack("<7I", 2, 64, 256, 4, 1, 16, 2)


def ggjt(version: int) -> bytes:
    begun = b"tjgg" + struct.pack("<I", version) + LLAMA + words(2, b"\0\0\0\0")
    name = b"tok_embeddings.weight"
    begun += struct.pack("<IIII", 1, len(name), 2, 32) + name
    return begun + bytes(-len(begun) % 32) + bytes(18)


def test_whisper() -> None:
    facts = read(ggml, WHISPER, "ggml-base.en.bin")
    assert facts is not None
    assert (facts.format, facts.problem, facts.quantization) == ("ggml", None, "")
    assert (facts.parameters, facts.needs.memory, facts.dtypes) == (12, 32, {"float16": 8, "float32": 4})
    assert facts.details == {
        "architecture": "whisper",
        "title": "whisper base.en",
        "layers": "6 + 6",
        "vocabulary": "51864",
    }


def test_a_voice_detector() -> None:
    facts = read(ggml, SILERO, "model.bin")
    assert facts is not None
    assert (facts.format, facts.problem, facts.parameters) == ("ggml", None, 2)
    assert facts.details["title"] == "silero-16k 6.2.0"


@pytest.mark.parametrize(
    ("data", "version"),
    [
        pytest.param(ggjt(3), "GGJT 3", id="ggjt"),
        pytest.param(b"lmgg" + LLAMA + words(2) + tensor(b"t", (32,), 2, bytes(18)), "GGML", id="ggml"),
    ],
)
def test_of_llama(data: bytes, version: str) -> None:
    facts = read(ggml, data, "ggml-model-q4_0.bin")
    assert facts is not None
    assert (facts.format, facts.version, facts.problem) == ("ggml-llama", version, None)
    assert (facts.parameters, facts.dtypes, facts.quantization) == (32, {"Q4_0": 32}, "Q4_0")
    assert facts.details["architecture"] == "llama"


def test_an_adapter() -> None:
    facts = read(ggml, b"algg" + struct.pack("<III", 1, 8, 16), "ggml-adapter-model.bin")
    assert facts is not None
    assert (facts.format, facts.version, facts.details["adapter"]) == ("ggml-llama", "GGLA 1", "LoRA")


@pytest.mark.parametrize("data", [*cuts(WHISPER)][1:])
def test_cut(data: bytes) -> None:
    answer = survives(ggml, data, "model.bin")
    assert getattr(answer, "problem", answer) in (None, "truncated")


def test_a_tensor_is_short() -> None:
    facts = read(ggml, WHISPER[:-5], "model.bin")
    assert facts is not None
    assert (facts.problem, facts.problem_detail) == ("truncated", "5 bytes of a tensor are missing")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(WHISPER[:48] + struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF), id="filters"),
        pytest.param(WHISPER[:48] + FILTERS + struct.pack("<I", 0xFFFFFFFF), id="words"),
        pytest.param(WHISPER[:48] + FILTERS + struct.pack("<I4I", 0, 4, 0xFFFFFFFF, 0, 0), id="name"),
        pytest.param(b"tjgg" + struct.pack("<I", 3) + b"\xff" * 28, id="negative"),
    ],
)
def test_hostile(data: bytes) -> None:
    answer = survives(ggml, data + bytes(64), "model.bin")
    assert getattr(answer, "problem", answer) in ("header-damaged", "truncated")


def test_not_mine() -> None:
    assert read(ggml, b"lmg", "a.bin") is None
    assert read(ggml, bytes(100), "a.bin") is None


@given(mangled(WHISPER, SILERO, ggjt(3)))
def test_survives(data: bytes) -> None:
    survives(ggml, data, "model.bin")

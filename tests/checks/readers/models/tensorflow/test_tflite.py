"""TFLite files that TensorFlow 2.21 wrote, whole and damaged, and what the Edge TPU's compiler leaves of one."""

import struct
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from support.flatbuffer_files import PARTS, RECORDINGS, read
from support.mangled import mangled, survives

from checks.facts import Binding, NeededFile, OperatorUse, TensorSpec
from checks.readers.containers.flatbuffer import FlatBuffer
from checks.readers.containers.source import of_bytes
from checks.readers.models import read_model
from checks.readers.models.tensorflow.tflite import tflite

MADE = RECORDINGS / "tflite" / "made"
COMPILED = RECORDINGS / "tflite-edgetpu" / "made"
INT8 = (MADE / "int8.tflite").read_bytes()


def test_all_of_a_file() -> None:
    facts = read_model(MADE / "int8.tflite")
    assert (facts.format, facts.version, facts.producer, facts.producer_version) == (
        "tflite",
        "3",
        "tensorflow",
        "2.21.0",
    )
    assert facts.problem is None
    assert facts.needs.frameworks == ("ai-edge-litert>=1.0", "tensorflow>=1.14")
    assert facts.needs.operators == (
        OperatorUse(name="CONV_2D", version=3),
        OperatorUse(name="DEPTHWISE_CONV_2D", version=3),
        OperatorUse(name="FULLY_CONNECTED", version=4),
        OperatorUse(name="MEAN", version=2),
        OperatorUse(name="SOFTMAX", version=2),
    )
    assert facts.needs.devices == ()
    assert facts.needs.memory == 360
    assert facts.inputs == (TensorSpec(name="serving_default_keras_tensor:0", dtype="int8", shape=("?", 16, 16, 3)),)
    assert facts.outputs == (TensorSpec(name="StatefulPartitionedCall_1:0", dtype="int8", shape=("?", 4)),)
    assert (facts.parameters, facts.dtypes) == (330, {"int8": 320, "int32": 10})
    assert (facts.quantization, facts.dependence) == ("int8", "low")
    assert facts.bound_to == (Binding(kind="tflite-operator-versions", value="TensorFlow 1.14"),)
    assert facts.details == {
        "declared-runtime": "1.14.0",
        "converted-from": "Keras",
        "optimised-by": "PTQ full integer",
        "signatures": "serving_default(keras_tensor) → output_0",
        "quantization-grain": "per-channel",
        "edgetpu-mappable": "5 / 5",
    }


@pytest.mark.parametrize(
    ("name", "quantization", "grain"),
    [
        ("float32", "", None),
        ("float16", "float16", None),
        ("dynamic_range", "int8 dynamic range", "per-channel"),
        ("int8", "int8", "per-channel"),
        ("int16x8", "int16x8", "per-channel"),
    ],
)
def test_how_it_is_quantized(name: str, quantization: str, grain: str | None) -> None:
    facts = read_model(MADE / f"{name}.tflite")
    assert (facts.quantization, facts.details.get("quantization-grain")) == (quantization, grain)
    assert facts.problem is None


def test_the_release_that_the_newest_operator_version_needs() -> None:
    facts = read_model(MADE / "dynamic_range.tflite")  # FULLY_CONNECTED 12 keeps one scale per channel
    assert facts.needs.frameworks == ("ai-edge-litert>=1.0", "tensorflow>=2.17")
    assert facts.details["declared-runtime"] == "2.17.0"


def test_operators_of_tensorflow_itself() -> None:
    facts = read_model(MADE / "flex.tflite")
    assert OperatorUse(name="FlexErf", domain="tensorflow", version=1, count=1) in (facts.needs.operators or ())
    assert facts.needs.frameworks == ("tensorflow>=2.2,<2.19",)
    assert Binding(kind="tflite-flex", value="FlexErf") in facts.bound_to
    assert facts.dependence == "medium"


def test_an_operator_that_somebody_else_must_bring() -> None:
    facts = read_model(MADE / "custom.tflite")
    assert OperatorUse(name="Erf", version=1, count=1, is_custom=True) in (facts.needs.operators or ())
    assert Binding(kind="custom-operators", value="Erf") in facts.bound_to
    assert facts.dependence == "medium"


def test_graphs_within_graphs_and_several_signatures() -> None:
    facts = read_model(MADE / "two_signatures.tflite")
    assert facts.details["subgraphs"] == "4"
    assert facts.details["signatures"] == "run(n, x) → y, twice(x) → y"
    assert {operator.name: operator.count for operator in facts.needs.operators or ()} == {
        "MUL": 2,
        "ADD": 1,
        "LESS": 1,
        "WHILE": 1,
    }


def test_what_keeps_a_model_off_the_edge_tpu() -> None:
    facts = read_model(MADE / "int8_leaky.tflite")  # the convolution behind the stranger stays on the CPU with it
    assert facts.details["edgetpu-mappable"] == "1 / 3"
    assert facts.details["edgetpu-in-the-way"] == "LEAKY_RELU ×1"
    for name in ("float32", "float16", "dynamic_range", "int16x8"):
        assert "edgetpu-mappable" not in read_model(MADE / f"{name}.tflite").details


def test_what_the_edge_tpu_compiler_did() -> None:
    facts = read_model(COMPILED / "leaky_edgetpu.tflite")
    assert (facts.format, facts.producer, facts.producer_version) == ("tflite-edgetpu", "edgetpu_compiler", "16.0")
    assert (facts.problem, facts.dependence, facts.needs.devices) == (None, "high", ("edge tpu",))
    assert OperatorUse(name="edgetpu-custom-op", domain="edgetpu", version=1) in (facts.needs.operators or ())
    assert Binding(kind="edgetpu-runtime", value="14") in facts.bound_to
    assert {key: value for key, value in facts.details.items() if key.startswith("edgetpu")} == {
        "edgetpu-parts": "1",
        "edgetpu-left": "LEAKY_RELU ×1, CONV_2D ×1",
        "edgetpu-chip": "beagle",
        "edgetpu-kept": "256",
        "edgetpu-streamed": "64",
    }


def test_a_compiler_that_does_not_tell_its_version() -> None:
    facts = read_model(COMPILED / "whole_edgetpu.tflite")
    assert (facts.producer_version, "edgetpu-left" in facts.details) == (None, False)
    assert Binding(kind="edgetpu-runtime", value="13") in facts.bound_to


def test_a_program_for_the_edge_tpu_that_is_none(tmp_path: Path) -> None:
    facts = read((COMPILED / "whole_edgetpu.tflite").read_bytes().replace(b"DWN1", b"DWN2"), tmp_path)
    assert (facts.format, facts.problem) == ("tflite-edgetpu", "flatbuffer-damaged")
    assert facts.needs.operators == (OperatorUse(name="edgetpu-custom-op", domain="edgetpu", version=1),)


def test_label_files_behind_the_model(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(INT8)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("labels.txt", "cat\ndog\n")
    facts = read_model(path)
    assert (facts.format, facts.problem) == ("tflite", None)
    assert facts.details["associated-files"] == "labels.txt"


def test_an_operator_newer_than_the_table(tmp_path: Path) -> None:
    table = list(FlatBuffer(of_bytes(INT8)).root().tables(1))[-1]
    changed = bytearray(INT8)
    struct.pack_into("<i", changed, table.place(3), 250)
    facts = read(bytes(changed), tmp_path)
    assert facts.problem is None
    assert "BUILTIN_250" in {operator.name for operator in facts.needs.operators or ()}


def test_weights_behind_the_flatbuffer(tmp_path: Path) -> None:
    data = (MADE / "behind.tflite").read_bytes()
    facts = read(data, tmp_path)
    assert (facts.problem, facts.parameters, facts.needs.memory) == (None, 330, 1320)
    assert read(data[:-100], tmp_path).problem == "truncated"


def test_weights_in_a_file_beside(tmp_path: Path) -> None:
    data = (MADE / "beside.tflite").read_bytes()
    facts = read(data, tmp_path)
    assert facts.problem == "missing-part"
    assert facts.needs.files == (NeededFile(name="weights.bin", size=1280, present=False),)
    (tmp_path / "weights.bin").write_bytes(bytes(1280))
    facts = read(data, tmp_path)
    assert (facts.problem, facts.parameters, facts.needs.memory) == (None, 330, 1320)
    assert facts.needs.files == (NeededFile(name="weights.bin", size=1280, present=True, present_size=1280),)
    (tmp_path / "weights.bin").write_bytes(bytes(1000))
    assert read(data, tmp_path).problem == "missing-part"


def test_a_part_compiled_for_a_phones_npu() -> None:
    facts = read_model(MADE / "npu.tflite")
    assert (facts.problem, facts.dependence, facts.needs.devices) == (None, "high", ("Qualcomm SM8750",))
    assert facts.needs.operators == (OperatorUse(name="DISPATCH_OP", domain="npu", version=1),)
    assert Binding(kind="npu", value="Qualcomm SM8750") in facts.bound_to


@pytest.mark.parametrize("part", range(PARTS))
def test_a_file_that_ends_too_early(part: int, tmp_path: Path) -> None:
    facts = read(INT8[: len(INT8) * part // PARTS], tmp_path)
    if part == 0:
        assert facts.problem == "empty"
    else:
        assert (facts.format, facts.problem) == ("tflite", "truncated")


@pytest.mark.parametrize(
    ("bits", "reason"),
    [
        pytest.param(struct.pack("<I", 0), "flatbuffer-damaged", id="root-that-is-itself"),
        pytest.param(struct.pack("<I", 0xFFFFFFFF), "flatbuffer-damaged", id="root-behind-2-gib"),
        pytest.param(struct.pack("<I", 0x7FFFFFF0), "truncated", id="root-beyond-the-end"),
    ],
)
def test_hostile_roots(bits: bytes, reason: str, tmp_path: Path) -> None:
    facts = read(bits + INT8[4:], tmp_path)
    assert (facts.format, facts.problem) == ("tflite", reason)


def test_what_is_not_tflite_is_left_to_others() -> None:
    for data in (b"", b"\x1c\0\0\0TFL", b"\x1c\0\0\0TFL2" + bytes(64), b"TFL3" + bytes(64)):
        assert survives(tflite, data, "model.tflite") is None


@given(mangled(INT8, (MADE / "two_signatures.tflite").read_bytes(), (COMPILED / "leaky_edgetpu.tflite").read_bytes()))
def test_nothing_but_damaged_comes_out(data: bytes) -> None:
    begun = time.perf_counter()
    survives(tflite, data[:4] + b"TFL3" + data[8:], "model.tflite")
    assert time.perf_counter() - begun < 10

"""MNN files that mnnconvert 3.6.1 wrote, whole and damaged; and files that only look like it at first."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.flatbuffer_files import PARTS, RECORDINGS, read
from support.mangled import mangled, survives

from checks.facts import NeededFile, OperatorUse, TensorSpec
from checks.readers.models import read_model
from checks.readers.models.devices.mnn import mnn

MADE = RECORDINGS / "mnn" / "made"
CONV = (MADE / "conv.mnn").read_bytes()


def test_all_of_a_file() -> None:
    facts = read_model(MADE / "conv.mnn")
    assert (facts.format, facts.problem, facts.producer, facts.producer_version) == ("mnn", None, "mnnconvert", "3.6.1")
    assert facts.needs.frameworks == ("MNN",)
    assert facts.needs.operators == (
        OperatorUse(name="ConvertTensor", count=2),
        OperatorUse(name="Convolution"),
        OperatorUse(name="Input"),
        OperatorUse(name="Pooling"),
        OperatorUse(name="Softmax"),
    )
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=(1, 3, 16, 16)),)
    assert facts.outputs == (TensorSpec(name="y"),)
    assert (facts.quantization, facts.details, facts.dependence) == ("", {"converted-from": "ONNX"}, "low")


def test_it_is_recognised_under_any_name(tmp_path: Path) -> None:
    assert read(CONV, tmp_path, "download").format == "mnn"


def test_weights_of_few_bits_and_graphs_within() -> None:
    assert read_model(MADE / "int4.mnn").quantization == "int4 weights"
    facts = read_model(MADE / "if.mnn")
    assert facts.details == {"converted-from": "ONNX", "subgraphs": "2"}
    assert OperatorUse(name="UnaryOp", count=2) in (facts.needs.operators or ())


def test_weights_in_a_file_beside(tmp_path: Path) -> None:
    data = (MADE / "beside.mnn").read_bytes()
    facts = read(data, tmp_path, "net.mnn")
    assert facts.problem == "missing-part"
    assert facts.needs.files == (NeededFile(name="net.mnn.weight", size=896, present=False),)
    (tmp_path / "net.mnn.weight").write_bytes(bytes(896))
    facts = read(data, tmp_path, "net.mnn")
    assert facts.problem is None
    assert facts.needs.files == (NeededFile(name="net.mnn.weight", size=896, present=True, present_size=896),)


@pytest.mark.parametrize("part", range(1, PARTS))
def test_a_file_that_ends_too_early(part: int, tmp_path: Path) -> None:
    facts = read(CONV[: len(CONV) * part // PARTS], tmp_path, "net.mnn")
    assert (facts.format, facts.problem) == ("mnn", "truncated")


@pytest.mark.parametrize(
    "name", ["tflite/made/int8.tflite", "ort/made/onnxruntime-1.31.ort", "executorch/made/portable.pte"]
)
def test_other_flatbuffers_are_left_to_others(name: str) -> None:
    assert survives(mnn, (RECORDINGS / name).read_bytes(), "model.mnn") is None


@pytest.mark.parametrize("data", [b"", b" \0\0\0", bytes(4096), b"\x20\0\0\0" + b"\xff" * 200, b"{}" * 100])
def test_bytes_that_are_no_net(data: bytes) -> None:
    assert survives(mnn, data, "data.bin") is None


@given(mangled(*(path.read_bytes() for path in sorted(MADE.iterdir()))), st.sampled_from(["net.mnn", "data"]))
def test_nothing_but_damaged_comes_out(data: bytes, name: str) -> None:
    survives(mnn, data, name)

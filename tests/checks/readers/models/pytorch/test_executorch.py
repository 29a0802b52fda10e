"""ExecuTorch programs that executorch 1.5.1 wrote, whole and damaged."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.flatbuffer_files import PARTS, RECORDINGS, read
from support.mangled import mangled, survives

from checks.facts import Binding, OperatorUse, TensorSpec
from checks.readers.models import read_model
from checks.readers.models.pytorch.executorch import executorch

MADE = RECORDINGS / "executorch" / "made"
WEIGHTS = RECORDINGS / "executorch-data" / "made" / "_default_external_constant.ptd"
PORTABLE = (MADE / "portable.pte").read_bytes()
XNNPACK = (MADE / "xnnpack.pte").read_bytes()
OPERATORS = (
    OperatorUse(name="aten::addmm.out", count=2),
    OperatorUse(name="aten::permute_copy.out", count=2),
    OperatorUse(name="aten::_softmax.out"),
    OperatorUse(name="aten::relu.out"),
)


def test_a_program_of_plain_operators() -> None:
    facts = read_model(MADE / "portable.pte")
    assert (facts.format, facts.version, facts.problem) == ("executorch", "ET12", None)
    assert facts.needs.operators == OPERATORS
    assert (facts.needs.frameworks, facts.needs.devices, facts.needs.memory) == (("executorch",), (), 848)
    assert facts.inputs == (TensorSpec(name="0", dtype="float32", shape=("≤16", "≤8")),)  # the batch is open
    assert facts.outputs == (TensorSpec(name="0", dtype="float32", shape=("≤16", "≤4")),)
    assert (facts.parameters, facts.dtypes) == (212, {"float32": 212})
    assert facts.details == {"methods": "forward"}
    assert facts.dependence == "medium"


def test_a_program_that_a_backend_computes() -> None:
    facts = read_model(MADE / "xnnpack.pte")
    assert (facts.needs.operators, facts.needs.devices, facts.dependence) == ((), (), "medium")
    assert facts.inputs == (TensorSpec(name="0", dtype="float32", shape=(2, 8)),)
    assert Binding(kind="executorch-delegates", value="XnnpackBackend") in facts.bound_to
    assert facts.details == {"methods": "forward", "delegates": "XnnpackBackend ×1"}


def test_a_backend_of_one_makers_chips_binds_the_program(tmp_path: Path) -> None:
    facts = read(XNNPACK.replace(b"\x0e\0\0\0XnnpackBackend", b"\x0d\0\0\0EthosUBackend\0"), tmp_path, "model.pte")
    assert (facts.needs.devices, facts.dependence) == (("Arm Ethos-U NPU",), "high")


def test_weights_in_another_file() -> None:
    facts = read_model(MADE / "external.pte")
    assert (facts.problem, facts.parameters, facts.details["external-tensors"]) == (None, 212, "4")
    weights = read_model(WEIGHTS)
    assert (weights.format, weights.version, weights.problem) == ("executorch-data", "FT01", None)
    assert (weights.parameters, weights.dtypes, weights.needs.memory) == (212, {"float32": 212}, 848)
    assert weights.details == {"tensors": "4"}


def test_a_program_with_its_tests() -> None:
    facts = read_model(MADE / "bundled.bpte")
    assert (facts.format, facts.problem, facts.needs.operators) == ("executorch", None, OPERATORS)
    assert facts.details == {"methods": "forward", "bundled-tests": "1"}


def test_an_operator_of_somebody_else(tmp_path: Path) -> None:
    facts = read(PORTABLE.replace(b"aten::relu", b"mine::relu"), tmp_path, "model.pte")
    assert OperatorUse(name="mine::relu.out", is_custom=True) in (facts.needs.operators or ())


@pytest.mark.parametrize("name", ["portable.pte", "xnnpack.pte", "external.pte", "bundled.bpte", "weights.ptd"])
@pytest.mark.parametrize("part", range(1, PARTS))
def test_a_file_that_ends_too_early(name: str, part: int, tmp_path: Path) -> None:
    data = (WEIGHTS if name == "weights.ptd" else MADE / name).read_bytes()
    facts = read(data[: len(data) * part // PARTS], tmp_path, name)
    assert facts.format == ("executorch-data" if name == "weights.ptd" else "executorch")
    assert facts.problem == "truncated"


def test_what_was_read_before_the_end_is_told(tmp_path: Path) -> None:
    facts = read(PORTABLE[:-200], tmp_path, "model.pte")
    assert (facts.problem, facts.needs.operators) == ("truncated", OPERATORS)


@pytest.mark.parametrize("size", [2**31, 2**63 - 1, 2**64 - 1], ids=["2-gib", "2-to-the-63", "2-to-the-64"])
def test_segments_beyond_the_end(size: int, tmp_path: Path) -> None:
    for at in (24, 32):  # where they begin, and how long they are
        data = PORTABLE[:at] + struct.pack("<Q", size) + PORTABLE[at + 8 :]
        assert read(data, tmp_path, "model.pte").problem == "truncated"


def test_a_bundle_without_a_program(tmp_path: Path) -> None:
    data = (MADE / "bundled.bpte").read_bytes().replace(b"ET12", b"ET99")
    assert read(data, tmp_path, "model.bpte").problem == "flatbuffer-damaged"


def test_what_is_not_executorch_is_left_to_others() -> None:
    for data in (b"", b"\x3c\0\0\0ET1", b"\x3c\0\0\0ETXX" + bytes(64)):
        assert survives(executorch, data, "model") is None


@given(mangled(*(path.read_bytes() for path in sorted(MADE.iterdir())), WEIGHTS.read_bytes()))
def test_nothing_but_damaged_comes_out(data: bytes) -> None:
    survives(executorch, data, "model")

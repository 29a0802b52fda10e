"""Files in ONNX Runtime's own format, written by its releases 1.7 to 1.31, whole and damaged."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.flatbuffer_files import PARTS, RECORDINGS, read
from support.mangled import mangled, survives

from checks.facts import Binding, OperatorUse, TensorSpec
from checks.facts.versions import release
from checks.knowledge.formats.ort_format import OrtFormatTable, least_onnxruntime
from checks.readers.models import read_model
from checks.readers.models.exchange.onnxruntime_format import onnxruntime_format

MADE = RECORDINGS / "ort" / "made"
NEWEST = (MADE / "onnxruntime-1.31.ort").read_bytes()


def test_all_of_a_file() -> None:
    facts = read_model(MADE / "onnxruntime-1.31.ort")
    assert (facts.format, facts.version, facts.problem) == ("ort", "6", None)
    assert (facts.producer, facts.producer_version) == ("naosu-test", "1")
    assert facts.needs.frameworks == ("onnxruntime>=1.16",)
    assert facts.needs.opsets is not None
    assert facts.needs.opsets[""] == 12
    assert facts.needs.operators == (  # two of them within the branches of the If
        OperatorUse(name="Abs", version=6),
        OperatorUse(name="Conv", version=11),
        OperatorUse(name="If", version=11),
        OperatorUse(name="Neg", version=6),
        OperatorUse(name="Relu", version=6),
    )
    assert facts.inputs == (
        TensorSpec(name="x", dtype="float32", shape=("batch", 3, 8, 8)),
        TensorSpec(name="f", dtype="bool", shape=()),
    )
    assert facts.outputs == (TensorSpec(name="z", dtype="float32", shape=("batch", 4, 8, 8)),)
    assert (facts.parameters, facts.dtypes, facts.needs.memory) == (112, {"float32": 112}, 448)
    assert facts.dependence == "medium"
    assert Binding(kind="ort-format", value="6") in facts.bound_to
    assert facts.details == {"onnx-ir": "6"}


@pytest.mark.parametrize(
    ("release", "version", "needs"),
    [("1.7", "3", "onnxruntime>=1.14"), ("1.12", "4", "onnxruntime>=1.14"), ("1.15", "5", "onnxruntime>=1.13")],
)
def test_what_older_releases_wrote(release: str, version: str, needs: str) -> None:
    facts = read_model(MADE / f"onnxruntime-{release}.ort")
    assert (facts.version, facts.needs.frameworks, facts.problem, facts.parameters) == (version, (needs,), None, 112)


def test_operators_that_only_one_kind_of_processor_has() -> None:
    facts = read_model(MADE / "optimised-all.ort")
    assert OperatorUse(name="Conv", domain="com.microsoft.nchwc", version=1) in (facts.needs.operators or ())
    assert Binding(kind="cpu-of-optimisation", value="com.microsoft.nchwc") in facts.bound_to


@pytest.mark.parametrize(
    ("onnxruntime", "loads"),
    [  # as these releases answered themselves
        pytest.param("1.7.0", "3", id="1.7"),
        pytest.param("1.12.1", "4", id="1.12"),
        pytest.param("1.13.1", "5", id="1.13"),
        pytest.param("1.15.1", "345", id="1.15"),
        pytest.param("1.31.1", "3456", id="1.31"),
    ],
)
def test_which_release_loads_which_version(onnxruntime: str, loads: str) -> None:
    rows = [row for row in OrtFormatTable.read().reader if release(row.since) <= release(onnxruntime)]
    assert "".join(version for version in "3456" if version in rows[-1].formats) == loads


def test_a_version_that_nobody_knows() -> None:
    assert least_onnxruntime("7") == ""


@pytest.mark.parametrize("part", range(1, PARTS))
def test_a_file_that_ends_too_early(part: int, tmp_path: Path) -> None:
    facts = read(NEWEST[: len(NEWEST) * part // PARTS], tmp_path, "model.ort")
    assert (facts.format, facts.problem) == ("ort", "truncated")


@pytest.mark.parametrize("root", [0, 3, 0x80000000, 0xFFFFFFFF], ids=hex)
def test_hostile_roots(root: int, tmp_path: Path) -> None:
    facts = read(struct.pack("<I", root) + NEWEST[4:], tmp_path, "model.ort")
    assert (facts.format, facts.problem) == ("ort", "flatbuffer-damaged")


def test_what_is_not_its_own_is_left_to_others() -> None:
    for data in (b"", b"\x18\0\0\0ORT", b"\x18\0\0\0ORTX" + bytes(64)):
        assert survives(onnxruntime_format, data, "model") is None


@given(mangled(*(path.read_bytes() for path in sorted(MADE.iterdir()))))
def test_nothing_but_damaged_comes_out(data: bytes) -> None:
    survives(onnxruntime_format, data, "model")

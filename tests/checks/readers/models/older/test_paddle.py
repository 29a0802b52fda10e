"""What PaddlePaddle's programs and parameters say."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, read, survives

from checks.facts import ModelFacts, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model, read_models
from checks.readers.models.older.paddle import paddle_parameters, paddle_pir, paddle_program

RECORDED = Path(__file__).parents[4] / "recordings" / "models" / "paddle"
MADE = RECORDED / "made"
OLD = (RECORDED / "__model__").read_bytes()
PROGRAM = (MADE / "program" / "inference.pdmodel").read_bytes()
PIR = (MADE / "pir" / "inference.json").read_bytes()
PARAMETERS = (MADE / "pir" / "inference.pdiparams").read_bytes()
IMAGE = TensorSpec(name="image", dtype="float32", shape=("?", 3, 16, 16))


def test_a_program_with_its_parameters() -> None:
    facts = read_model(MADE / "program" / "inference.pdmodel")
    assert (facts.format, facts.version, facts.producer_version, facts.problem) == ("paddle", "3.3.1", "3.3.1", None)
    assert facts.needs.operators is not None
    assert facts.needs.operators[0] == OperatorUse(name="elementwise_add", count=2)
    assert facts.needs.files is not None
    assert [file.name for file in facts.needs.files] == ["inference.pdiparams", "inference.pdiparams.info"]
    assert facts.inputs == (IMAGE,)
    assert facts.outputs == (TensorSpec(name="softmax_0.tmp_0", dtype="float32", shape=("?", 5)),)
    assert (facts.parameters, facts.dtypes) == (137, {"float32": 137})
    assert facts.needs.memory == 548


def test_the_same_network_in_paddle_3s_representation() -> None:
    facts = read_model(MADE / "pir" / "inference.json")
    assert (facts.format, facts.version, facts.problem) == ("paddle", "PIR 4", None)
    assert facts.needs.frameworks == ("paddlepaddle>=3.0",)
    assert facts.needs.operators is not None
    assert OperatorUse(name="conv2d") in facts.needs.operators
    assert facts.inputs == (IMAGE,)
    assert facts.outputs == (TensorSpec(name="fetch_name_0", dtype="float32", shape=("?", 5)),)
    assert facts.dtypes == {"float32": 137}


def test_a_program_of_a_package_of_2021_without_its_parameters() -> None:
    facts = read_model(RECORDED / "__model__")
    assert (facts.format, facts.problem, facts.problem_detail) == ("paddle", "missing-part", "__params__")
    assert facts.producer_version is not None
    assert facts.producer_version.startswith("1.")
    assert facts.inputs


def test_parameters_may_lie_in_a_file_each() -> None:
    names = ["gru_3.b_0", "fc_0.w_0"]
    files = {"__model__": OLD, **dict.fromkeys(names, b"x")}
    facts = paddle_program.read(of_bytes(OLD, "__model__"), MemoryFolder(files))
    assert facts is not None
    assert facts.needs.files is not None
    present = [file.name for file in facts.needs.files if file.present]
    assert present
    assert set(present) <= set(names)
    assert facts.problem == "missing-part"


def test_parameters_alone() -> None:
    facts = read(paddle_parameters, PARAMETERS, "download")
    assert facts is not None
    assert (facts.format, facts.problem, facts.dtypes) == ("paddle", None, {"float32": 137})
    assert facts.details["tensors"] == "4"


def test_folders_show_one_model_each() -> None:
    assert [each.name for each in read_models(MADE)] == ["inference.json", "inference.pdmodel"]


@pytest.mark.parametrize("folder", ["onnx", "caffe", "tf-checkpoint", "tflite/made", "mxnet/made"])
def test_other_files_are_not_taken(folder: str) -> None:
    files = [path for path in (RECORDED.parent / folder).iterdir() if path.is_file()]
    assert files
    for path in files:
        data = path.read_bytes()
        for reader in (paddle_program, paddle_pir, paddle_parameters):
            assert survives(reader, data, path.name) is None, path


def test_cut_at_every_twentieth() -> None:
    for reader, original in ((paddle_program, PROGRAM), (paddle_program, OLD), (paddle_parameters, PARAMETERS)):
        for cut in cuts(original):
            facts = survives(reader, cut, "a.pdmodel", a__pdiparams=b"x")
            assert facts is None or (isinstance(facts, ModelFacts) and facts.problem in ("truncated", None)), len(cut)
    for cut in cuts(PIR):
        assert survives(paddle_pir, cut, "a.json") in (None, "json-damaged")


def test_numbers_that_cannot_be() -> None:
    huge = (
        struct.pack("<IQIi", 0, 0, 0, 24)
        + b"\x08\x05"
        + b"\x10"
        + b"\xff" * 9
        + b"\x01"
        + b"\x10"
        + b"\xff" * 8
        + b"\x7f"
    )
    facts = read(paddle_parameters, huge.ljust(500, b"\0"), "a.pdiparams")
    assert facts is None or facts.problem
    many = struct.pack("<IQIi", 0, 0, 0, 2) + b"\x08\x05"
    facts = read(paddle_parameters, many + struct.pack("<f", 1) + struct.pack("<IQ", 0, 1 << 63) + bytes(50), "a")
    assert facts is not None
    assert facts.problem == "array-damaged"


def test_json_that_is_no_good() -> None:
    deep = b'{"base_code":{"magic":"pir"},"program":' + b'{"a":' * 100_000
    with pytest.raises(Damaged, match="json-damaged"):
        read(paddle_pir, deep, "a.json")
    with pytest.raises(Damaged, match="json-damaged"):
        read(paddle_pir, b'{"base_code":{"magic":"pir"},"program":[]}', "a.json")


def test_json_of_nothing_but_brackets() -> None:
    with pytest.raises(Damaged, match="too-large"):
        read(paddle_pir, b'{"base_code":{"magic":"pir"},"program":[' + b"{}," * 2_000_000, "a.json")


@given(mangled(PROGRAM, PIR, PARAMETERS, OLD[:4000]))
def test_mangled_files(data: bytes) -> None:
    survives(paddle_program, data, "a.pdmodel", a__pdiparams=b"x")
    survives(paddle_pir, data, "a.json")
    survives(paddle_parameters, data, "a.pdiparams")

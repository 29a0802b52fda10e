"""SavedModels of TensorFlow 1.15, 2.4, 2.15 and 2.21, compared with what TensorFlow says of them."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, survives

from checks.facts import Binding, ModelFacts, OperatorUse, TensorSpec
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.models import read_model
from checks.readers.models.tensorflow.savedmodel import saved_model_file, savedmodel

MADE = Path(__file__).parents[4] / "recordings" / "models" / "savedmodel" / "made"
NEW = (MADE / "tf2.21" / "saved_model.pb").read_bytes()
OLD = (MADE / "tf1.15" / "saved_model.pb").read_bytes()
TEXT = (MADE / "tf1.15-text" / "saved_model.pbtxt").read_bytes()


def facts_of(name: str) -> ModelFacts:
    facts = read_model(MADE / name)
    assert (facts.format, facts.producer, facts.problem) == ("savedmodel", "tensorflow", None)
    return facts


def used(facts: ModelFacts) -> dict[str, int]:
    return {operator.name: operator.count for operator in facts.needs.operators or ()}


def test_of_tensorflow_2() -> None:
    facts = facts_of("tf2.21")
    assert facts.producer_version == "2.21.0"
    assert facts.inputs == (TensorSpec(name="x", dtype="float32", shape=("?", 4)),)
    assert facts.outputs == (
        TensorSpec(name="y", dtype="float32", shape=("?", 3)),
        TensorSpec(name="z", dtype="int32", shape=("?",)),
    )
    assert facts.dtypes == {"float32": 15, "int64": 1}
    assert facts.needs.memory == 68
    assert facts.details | {"functions": ""} == {
        "tags": "serve",
        "signatures": "lookup, serving_default",
        "tensorflow-api": "2",
        "graph-producer": "2474",
        "graph-consumer": "12",
        "functions": "",
    }
    assert used(facts)["MatMul"] == 2  # in a function: the graph itself holds calls only
    assert facts.needs.frameworks == ("tensorflow>=2.10",)  # DisableCopyOnRead
    assert facts.needs.files is not None
    assert [file.name for file in facts.needs.files] == [
        "variables/variables.index",
        "variables/variables.data-00000-of-00001",
        "assets/vocab.txt",
    ]


@pytest.mark.parametrize("name", ["tf1.15", "tf1.15-text"])
def test_of_tensorflow_1(name: str) -> None:
    facts = facts_of(name)
    assert (facts.producer_version, facts.details["tensorflow-api"]) == ("1.15.0", "1")
    assert [(each.dtype, each.shape) for each in facts.inputs or ()] == [("float32", ("?", 8, 8, 3))]
    assert [(output.dtype, output.shape) for output in facts.outputs or ()] == [("float32", ("?", 10))]
    assert facts.dtypes == {"float32": 2668, "float16": 3}
    assert used(facts).items() >= {"Conv2D": 1, "MatMul": 1, "VariableV2": 3, "Placeholder": 1}.items()
    assert facts.needs.frameworks == ("tensorflow",)


def test_tags_and_devices_of_a_text() -> None:
    facts = facts_of("tf1.15-text")
    assert facts.details["tags"] == "serve, gpu"
    assert facts.needs.devices == ("GPU:0",)


def test_of_keras_2() -> None:
    facts = facts_of("keras2.4")
    assert (facts.details["keras-version"], facts.details["saved-by"]) == ("2.4.0", "Keras 2")
    assert facts.dependence == "medium"


def test_an_operator_of_a_package() -> None:
    facts = facts_of("text-ops")
    custom = OperatorUse(name="CaseFoldUTF8", domain="tensorflow-text", count=2, is_custom=True)
    assert [operator for operator in facts.needs.operators or () if operator.is_custom] == [custom]
    assert facts.dependence == "high"
    assert Binding(kind="custom-operators", value="CaseFoldUTF8") in facts.bound_to


def test_the_file_by_itself_looks_beside_it() -> None:
    facts = read_model(MADE / "tf2.21" / "saved_model.pb")
    assert (facts.format, facts.problem, facts.parameters) == ("savedmodel", None, 16)
    alone = saved_model_file.read(of_bytes(NEW, "model.pb"), MemoryFolder())
    assert alone is not None
    assert (alone.problem, alone.problem_detail) == ("missing-part", "variables/variables.index")


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("variables/variables.index", "variables/variables.index"),
        ("variables/variables.data-00001-of-00002", "variables/variables.data-00001-of-00002"),
    ],
)
def test_without_a_part(missing: str, told: str, tmp_path: Path) -> None:
    shutil.copytree(MADE / "tf1.15", tmp_path / "model")
    (tmp_path / "model" / missing).unlink()
    facts = read_model(tmp_path / "model")
    assert (facts.problem, facts.problem_detail) == ("missing-part", told)


def test_a_shard_that_is_too_short(tmp_path: Path) -> None:
    shutil.copytree(MADE / "tf2.21", tmp_path / "model")
    (tmp_path / "model" / "variables" / "variables.data-00000-of-00001").write_bytes(b"version https://git-lfs")
    facts = read_model(tmp_path / "model")
    assert facts.problem == "truncated"
    assert facts.problem_detail.endswith("23 of 633 bytes")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x08\x01\x12\x05hello", id="a-text-for-a-graph"),
        pytest.param(b"\x08\x03\x12\x07pytorch", id="onnx"),
        pytest.param(b"\x08\x01", id="a-version-alone"),
        pytest.param(b"", id="empty"),
    ],
)
def test_another_file_is_none(data: bytes) -> None:
    assert survives(saved_model_file, data, "model.pb") in (None, "truncated")


def test_a_graph_of_length_2_to_the_63() -> None:
    with pytest.raises(Damaged):
        saved_model_file.read(of_bytes(b"\x08\x01\x12" + b"\xff" * 8 + b"\x7f" + NEW, "saved_model.pb"), MemoryFolder())


@pytest.mark.parametrize(
    ("name", "data"), [("saved_model.pb", NEW), ("saved_model.pb", OLD), ("saved_model.pbtxt", TEXT)]
)
def test_cut_at_every_twentieth(name: str, data: bytes) -> None:
    for cut in cuts(data):
        answer = survives(saved_model_file, cut, name)
        assert answer is None or isinstance(answer, str) or answer.problem


@given(mangled(NEW, OLD))
def test_mangled(data: bytes) -> None:
    with contextlib.suppress(Damaged):
        savedmodel.read(MemoryFolder({"saved_model.pb": data}))


@given(mangled(TEXT))
def test_mangled_text(data: bytes) -> None:
    survives(saved_model_file, data, "saved_model.pbtxt")

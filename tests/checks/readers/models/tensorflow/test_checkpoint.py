"""Checkpoints of TensorFlow 1.15 and 2.21."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import MemoryFolder, cuts, mangled, survives

from checks.readers.containers.source import Source, of_bytes, opened
from checks.readers.models import read_model, read_models
from checks.readers.models.tensorflow import checkpoint as tensorflow_checkpoint
from checks.readers.models.tensorflow.checkpoint import (
    Index,
    Variable,
    checkpoint,
    data_file,
    meta_file,
    needed_shards,
    read_index,
    read_variables,
)

MADE = Path(__file__).parents[4] / "recordings" / "models" / "tf-checkpoint" / "made"
INDEX = (MADE / "model.ckpt-7.index").read_bytes()
META = (MADE / "model.ckpt-7.meta").read_bytes()
WHOLE = (MADE / "old.ckpt").read_bytes()
OBJECTS = (MADE / "ckpt-object.index").read_bytes()


def test_an_index_with_its_shards_and_graph() -> None:
    facts = read_model(MADE / "model.ckpt-7.index")
    assert (facts.format, facts.version, facts.problem, facts.producer_version) == (
        "tf-checkpoint",
        "2",
        None,
        "1.15.0",
    )
    assert facts.dtypes == {"float32": 2668, "float16": 3}
    assert (facts.needs.memory, facts.details["variables"]) == (10678, "3")
    assert facts.needs.files is not None
    assert [(file.name, file.size, file.present_size) for file in facts.needs.files] == [
        ("model.ckpt-7.data-00000-of-00001", 10678, 10678),
        ("model.ckpt-7.meta", None, 20311),
    ]
    assert [each.name for each in facts.inputs or ()] == ["image"]  # and not those of the graph that saves
    assert facts.needs.devices == ("GPU:0",)


def test_variables_one_by_one() -> None:
    with opened(MADE / "model.ckpt-7.index") as source:
        assert read_variables(source)[0] == [
            Variable("conv/kernel", "float32", (3, 3, 3, 4), 0, 0, 432),
            Variable("dense/kernel", "float32", (256, 10), 0, 432, 10240),
            Variable("half", "float16", (3,), 0, 10672, 6),
        ]


def test_shards() -> None:
    facts = read_model(MADE / "sharded.ckpt.index")
    assert facts.needs.files is not None
    assert [file.size for file in facts.needs.files] == [10246, 432]


def test_shards_that_are_missing_by_the_thousand() -> None:
    files = needed_shards(MemoryFolder({}), "model", Index(shards=10_000))
    assert [file.name for file in files] == [f"model.data-{number:05d}-of-10000" for number in range(50)]


def test_the_index_of_many_shards_is_not_read_for_each_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in MADE.glob("sharded.ckpt.*"):
        shutil.copy(path, tmp_path)
    asked: list[str] = []

    def counted(source: Source, index: Index) -> None:
        asked.append(source.name)
        read_index(source, index)

    monkeypatch.setattr(tensorflow_checkpoint, "read_index", counted)
    (found,) = read_models(tmp_path)
    assert (found.name, found.problem) == ("sharded.ckpt.index", None)
    assert asked == ["sharded.ckpt.index"] * 2  # through the first shard, and itself


def test_the_folder_in_which_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in MADE.glob("sharded.ckpt.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert [each.path for each in read_models(Path())] == ["./sharded.ckpt.index"]


def test_bookkeeping_is_no_weight() -> None:
    facts = read_model(MADE / "ckpt-object.index")
    assert (facts.dtypes, facts.details["variables"]) == ({"float32": 15, "int64": 1}, "3")


def test_a_single_file_of_tensorflow_1() -> None:
    facts = read_model(MADE / "old.ckpt")
    assert (facts.format, facts.version, facts.problem) == ("tf-checkpoint", "1", None)
    assert facts.dtypes == {"float32": 2668, "float16": 3}


@pytest.mark.parametrize("name", ["model.ckpt-7.data-00000-of-00001", "model.ckpt-7.meta"])
def test_each_part_shows_the_whole(name: str) -> None:
    facts = read_model(MADE / name)
    assert (facts.format, facts.problem, facts.parameters) == ("tf-checkpoint", None, 2671)


def test_a_folder_shows_each_checkpoint_once() -> None:
    assert {each.name for each in read_models(MADE)} == {
        "ckpt-object.index",
        "model.ckpt-7.index",
        "old.ckpt",
        "sharded.ckpt.index",
    }


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("sharded.ckpt.index", "sharded.ckpt.data-00000-of-00002"),
        ("sharded.ckpt.data-00000-of-00002", "sharded.ckpt.index"),
        ("model.ckpt-7.meta", "model.ckpt-7.index"),
    ],
)
def test_a_part_alone(name: str, missing: str, tmp_path: Path) -> None:
    shutil.copyfile(MADE / name, tmp_path / name)
    facts = read_model(tmp_path / name)
    assert (facts.format, facts.problem, facts.problem_detail) == ("tf-checkpoint", "missing-part", missing)


def test_optimizers_are_not_counted() -> None:
    names = (
        "dense/kernel/Adam_1",
        "beta1_power",
        "global_step",
        "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE",
        "model/w/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    )
    assert not any(Variable(name, "float32", (2,)).is_weight for name in names)
    assert Variable("layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE", "float32", (2,)).is_weight
    assert not Variable("_CHECKPOINTABLE_OBJECT_GRAPH", "string", ()).is_weight


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\x05hello", b"plain text, long enough to be looked at"])
def test_another_file_is_none(data: bytes) -> None:
    assert survives(checkpoint, data, "a.index") is None
    assert survives(meta_file, data, "a.meta") is None
    assert survives(data_file, data, "a.data") is None


@pytest.mark.parametrize(("name", "data"), [("a.index", INDEX), ("a.index", OBJECTS), ("old.ckpt", WHOLE)])
def test_cut_at_every_twentieth(name: str, data: bytes) -> None:
    for cut in cuts(data):
        assert survives(checkpoint, cut, name) is None  # the mark is at the end


@given(mangled(INDEX, OBJECTS, WHOLE))
def test_mangled(data: bytes) -> None:
    survives(checkpoint, data, "a.index")


@given(mangled(META))
def test_mangled_graph(data: bytes) -> None:
    survives(meta_file, data, "a.meta")
    folder = MemoryFolder({"a.index": INDEX, "a.meta": data})
    assert checkpoint.read(of_bytes(INDEX, "a.index"), folder) is not None

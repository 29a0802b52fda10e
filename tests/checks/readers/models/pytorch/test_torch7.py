"""Torch7's files: recognised, dated, their layers and weights counted."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from support.mangled import cuts, mangled, survives

from checks.facts import ModelFacts
from checks.readers.models import read_model
from checks.readers.models.pytorch.torch7 import torch7, torch7_table

MADE = Path(__file__).parents[4] / "recordings" / "models" / "torch7" / "made"


def test_a_network() -> None:
    model = read_model(MADE / "gmodule_with_linear_identity.t7")
    assert (model.format, model.producer, model.problem, model.parameters) == ("torch7", "torch7", None, 8)
    assert model.details["model-class"] == "nn.gModule"
    assert {operator.name: operator.count for operator in model.needs.operators or ()}["Linear"] == 1
    assert model.details["retired"] == "2017"


def test_a_tensor_and_tables() -> None:
    tensor = read_model(MADE / "floattensor.t7")
    assert (tensor.parameters, tensor.dtypes, tensor.needs.memory) == (24, {"float32": 24}, 96)
    for name in ("list_table", "tds_hash"):
        assert read_model(MADE / f"{name}.t7").format == "torch7"


def test_as_text(tmp_path: Path) -> None:
    (tmp_path / "a.t7").write_bytes(b"4\n1\n3\nV 1\n13\nnn.Sequential\n3\n2\n1\n")
    model = read_model(tmp_path / "a.t7")
    assert (model.format, model.details["model-class"]) == ("torch7", "nn.Sequential")


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<3i", 3, 1, 1 << 30),
        struct.pack("<3i", 3, 1, -1),
        struct.pack("<2i", 4, 1),
        b"\x03\0\0\0" * 100,
        b"4\n1\nplain text\n",
        bytes(100),
    ],
)
def test_other_files(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    assert read_model(tmp_path / "a.bin").format is None


@pytest.mark.parametrize("path", sorted(MADE.glob("[gf]*.t7")), ids=lambda path: path.name)
def test_truncated_anywhere(path: Path) -> None:
    for number, cut in enumerate(cuts(path.read_bytes())):
        found = survives(torch7, cut, path.name)
        assert found is None or (isinstance(found, ModelFacts) and found.problem == "truncated")
        assert found is not None or number < 5


@pytest.mark.parametrize(
    "parts",
    [
        (struct.pack("<q", 1 << 62),),
        (struct.pack("<q", -1),),
        (struct.pack("<q", 10), bytes(39)),
    ],
)
def test_storages_that_are_not_there(parts: tuple[bytes, ...]) -> None:
    name = b"torch.FloatStorage"
    data = struct.pack("<3i", 4, 1, 3) + b"V 1" + struct.pack("<i", len(name)) + name + b"".join(parts)
    found = survives(torch7, data, "a.t7")
    assert isinstance(found, ModelFacts)
    assert found.problem in ("truncated", "torch7-damaged")


@given(mangled(*(path.read_bytes() for path in sorted(MADE.iterdir()))))
def test_mangled(data: bytes) -> None:
    survives(torch7, data, "a.t7")
    survives(torch7_table, data, "a.t7")

"""A cancel while models are read or compared: it ends soon, and what was read by then is kept."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch

from checks.analysis.models.side_by_side import compare_models
from checks.facts import OperatorUse
from checks.readers.containers.source import Source, Stopped, of_bytes
from checks.readers.models import read_model, read_models


class After:
    """A user who cancels when asked for this often."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked = 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked > self.times


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Five models."""
    made = tmp_path / "models"
    made.mkdir()
    for number in range(5):
        torch.save({"w": torch.ones(number + 1)}, made / f"{number}.pt")
    return made


def zipped(folder: Path) -> Path:
    path = folder.parent / "models.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in folder.iterdir():
            archive.write(each, each.name)
    return path


def tarred(folder: Path) -> Path:
    path = folder.parent / "models.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for each in folder.iterdir():
            archive.add(each, each.name)
    return path


@pytest.mark.parametrize("pack", [lambda folder: folder, zipped, tarred], ids=["folder", "zip", "tar"])
def test_what_was_read_by_then_is_kept(pack: Callable[[Path], Path], folder: Path) -> None:
    path = pack(folder)
    everything = After(1 << 30)
    whole = read_models(path, everything)
    assert [each.name for each in whole] == [f"{number}.pt" for number in range(5)]
    counts = set()
    for times in range(everything.asked):
        user = After(times)
        found = read_models(path, user)
        assert user.asked <= times + 3  # it is not asked again and again: the work has ended
        if found[0].problem == "cancelled":
            assert len(found) == 1
            counts.add(0)
        else:
            assert found == whole[: len(found)]
            counts.add(len(found))
    assert counts == {0, 1, 2, 3, 4}


def test_a_file_that_is_cut_off_is_not_called_damaged(folder: Path) -> None:
    (found,) = read_models(folder / "0.pt", After(1))
    assert (found.format, found.problem, found.name) == (None, "cancelled", "0.pt")


def test_a_reader_that_forgives_damage_does_not_forgive_a_cancel() -> None:
    source = Source(io.BytesIO(bytes(100)), "x", cancelled=After(0))
    with pytest.raises(Stopped):
        source.part(10, 20).read(0, 5)
    with pytest.raises(Stopped):
        gzip.GzipFile(fileobj=source.stream()).read()
    assert of_bytes(bytes(5)).read(0, 5) == bytes(5)


def test_a_comparison_ends_with_all_but_the_weights(tmp_path: Path) -> None:
    first, second = tmp_path / "a.pt", tmp_path / "b.pt"
    for number, path in enumerate((first, second)):
        torch.save({"w": torch.full((4_000_000,), float(number))}, path)  # four pieces of each
    ours, theirs = read_model(first), read_model(second)
    needs = msgspec.structs.replace(theirs.needs, operators=(OperatorUse(name="Conv", count=1),))
    theirs = msgspec.structs.replace(theirs, needs=needs)
    everything = After(1 << 30)
    whole = compare_models(ours, theirs, cancelled=everything)
    assert whole.weights == {"values": 1}
    for times in range(everything.asked):
        user = After(times)
        cut = compare_models(ours, theirs, cancelled=user)
        assert user.asked == times + 1
        assert (cut.weights_unread, cut.weights, cut.unread) == ("cancelled", None, {})
        assert cut.differences == whole.differences

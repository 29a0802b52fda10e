"""Files of a model that are links: which lead out of its folder, and what ONNX Runtime 1.31 made of each."""

from pathlib import Path

import pytest

from checks.facts import NeededFile
from checks.readers.models import read_model, read_models

MADE = Path(__file__).parents[3] / "recordings" / "models" / "onnx" / "made"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder, and one with the model and its weights under the names of a cache."""
    (tmp_path / "m").mkdir()
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "abc").write_bytes((MADE / "external.onnx").read_bytes())
    (tmp_path / "blobs" / "def").write_bytes((MADE / "weights.bin").read_bytes())
    return tmp_path


def weights_of(model: Path) -> NeededFile:
    (file,) = read_model(model).needs.files or ()
    assert file.present
    return file


def test_a_link_out_of_the_folder(folder: Path) -> None:
    """It is refused."""
    model = folder / "m" / "external.onnx"
    model.write_bytes((folder / "blobs" / "abc").read_bytes())
    (folder / "m" / "weights.bin").symlink_to("../blobs/def")
    file = weights_of(model)
    assert (file.linked_to, file.beside_real_model) == (str((folder / "blobs" / "def").resolve()), False)
    (found,) = read_models(folder / "m")
    assert found.needs.files == (file,)


def test_two_links_into_one_folder(folder: Path) -> None:
    """It is followed."""
    (folder / "m" / "external.onnx").symlink_to("../blobs/abc")
    (folder / "m" / "weights.bin").symlink_to("../blobs/def")
    file = weights_of(folder / "m" / "external.onnx")
    assert (Path(file.linked_to).name, file.beside_real_model) == ("def", True)


def test_two_links_into_different_folders(folder: Path) -> None:
    """It is refused."""
    (folder / "other").mkdir()
    (folder / "blobs" / "def").rename(folder / "other" / "def")
    (folder / "m" / "external.onnx").symlink_to("../blobs/abc")
    (folder / "m" / "weights.bin").symlink_to("../other/def")
    file = weights_of(folder / "m" / "external.onnx")
    assert (Path(file.linked_to).name, file.beside_real_model) == ("def", False)


def test_links_that_stay_within(folder: Path) -> None:
    """They are followed: a link of the model alone, one into a folder below, one of the whole folder."""
    (folder / "blobs" / "def").rename(folder / "m" / "weights.bin")
    (folder / "m" / "external.onnx").symlink_to("../blobs/abc")
    assert weights_of(folder / "m" / "external.onnx").linked_to == ""
    (folder / "link").symlink_to("m")
    assert weights_of(folder / "link" / "external.onnx").linked_to == ""
    (folder / "m" / "below").mkdir()
    (folder / "m" / "weights.bin").rename(folder / "m" / "below" / "w")
    (folder / "m" / "weights.bin").symlink_to("below/w")
    assert weights_of(folder / "m" / "external.onnx").linked_to == ""

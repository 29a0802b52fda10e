"""Models that an installed package brought along, in folders laid out as pip does it."""

import os
import shutil
from pathlib import Path

import pytest

from checks.readers.models import installed, read_model, read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A package "Reader.Of-Text" with an ONNX model and a SavedModel, and another one beside it."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "reader" / "data").mkdir(parents=True)
    shutil.copy(RECORDED / "onnx" / "abs.onnx", site / "reader" / "data" / "text, new.onnx")
    shutil.copytree(RECORDED / "savedmodel" / "made" / "tf2.21", site / "reader" / "saved")
    shutil.copy(RECORDED / "onnx" / "mul_1.onnx", site / "reader" / "later.onnx")
    of_others = "other/__init__.py,,\n"
    own = '"reader/data/text, new.onnx",sha256=x,90\nreader/saved/saved_model.pb,sha256=x,26130\nreader/__init__.py,,\n'
    for name, version, record in (("Reader.Of-Text", "2.1", own), ("other", "1.0", of_others)):
        metadata = site / f"{name.replace('-', '_')}-{version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Dist: onnxruntime<1.20\n\ntext"
        )
        (metadata / "RECORD").write_text(record)
    return site


def test_a_file_of_a_package(site: Path) -> None:
    facts = read_model(site / "reader" / "data" / "text, new.onnx")
    assert facts.package is not None
    assert (facts.package.name, facts.package.version) == ("reader-of-text", "2.1")
    assert facts.package.requires == ("onnxruntime<1.20",)


def test_a_folder_of_a_package(site: Path) -> None:
    facts = read_model(site / "reader" / "saved")
    assert facts.package is not None
    found = {each.name: each.package is not None for each in read_models(site / "reader")}
    assert found == {"saved": True, "text, new.onnx": True, "later.onnx": False}


def test_what_no_package_lists(site: Path, tmp_path: Path) -> None:
    assert read_model(site / "reader" / "later.onnx").package is None
    shutil.copy(RECORDED / "onnx" / "abs.onnx", tmp_path / "abs.onnx")
    assert read_model(tmp_path / "abs.onnx").package is None


def test_a_list_that_is_gone(site: Path) -> None:
    for path in site.glob("*.dist-info/RECORD"):
        path.unlink()
    assert read_model(site / "reader" / "data" / "text, new.onnx").package is None


def test_a_list_that_never_ends(site: Path) -> None:
    for path in site.glob("*.dist-info/RECORD"):
        path.unlink()
        os.mkfifo(path)
    assert read_model(site / "reader" / "data" / "text, new.onnx").package is None


@pytest.mark.parametrize("bound", ["_MOST_RECORDS", "_MOST_TOPS"])
def test_lists_beyond_measure_are_left_out(site: Path, bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (site / "Long-1.0.dist-info").mkdir()
    (site / "Long-1.0.dist-info" / "RECORD").write_text("".join(f"{number}/x,,\n" for number in range(300)))
    model = site / "reader" / "data" / "text, new.onnx"
    assert read_model(model).package is not None
    monkeypatch.setattr(installed, bound, 100)
    installed._installed.cache_clear()
    assert (read_model(model).package is None) == (bound == "_MOST_RECORDS")  # nothing more is read after it
    installed._installed.cache_clear()

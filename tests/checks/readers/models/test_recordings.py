"""The small models of real packages (tests/recordings/models) are unchanged, recognised, and read to their end."""

import hashlib
import re
import shutil
from pathlib import Path

import pytest
import tomli

from checks.readers.models import read_model, read_models

RECORDINGS = Path(__file__).parents[3] / "recordings" / "models"
SOURCES = tomli.loads((RECORDINGS / "SOURCES.toml").read_text("utf-8"))["file"]
NAMES = [source["file"] for source in SOURCES]
MADE = set(re.findall(r"`([\w.-]+/[\w./-]+)`", (RECORDINGS / "MADE.md").read_text("utf-8")))
OF_BINARIES = {"caffe", "ncnn-param", "paddle", "tf-checkpoint", "tfjs"}  # parts of these were too large to copy


def test_every_recording_has_its_source() -> None:
    copied = (path.relative_to(RECORDINGS) for path in RECORDINGS.glob("*/*") if path.is_file())
    assert {path.as_posix() for path in copied} == set(NAMES)  # those that were made for tests lie deeper, in "made"


@pytest.mark.parametrize("source", SOURCES, ids=NAMES)
def test_a_recording_is_byte_for_byte_that_of_its_package(source: dict[str, str]) -> None:
    found = hashlib.sha256((RECORDINGS / source["file"]).read_bytes()).hexdigest()
    assert found == source["sha256"]


@pytest.mark.parametrize("name", NAMES)
def test_its_format_is_recognised(name: str) -> None:
    facts = read_model(RECORDINGS / name)
    expected = name.split("/", maxsplit=1)[0]
    assert facts.format == expected
    assert facts.problem is None or (expected in OF_BINARIES and facts.problem == "missing-part")


@pytest.mark.parametrize("name", NAMES)
def test_its_format_is_recognised_under_a_name_that_tells_nothing(name: str, tmp_path: Path) -> None:
    renamed = tmp_path / "download"
    shutil.copyfile(RECORDINGS / name, renamed)
    assert read_model(renamed).format == name.split("/", maxsplit=1)[0]


def test_a_folder_of_models_shows_each() -> None:
    found = {Path(model.path).relative_to(RECORDINGS).as_posix() for model in read_models(RECORDINGS) if model.format}
    assert found >= {name for name in NAMES if not name.endswith(".caffemodel")}

"""Files that were cut, damaged, or made to harm: every one is answered, none is believed or executed."""

import io
import os
import pickle
import random
import shutil
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from support.bombs import add_zeros
from support.extent import some
from support.walk import for_each

from checks.facts import ModelFacts
from checks.readers.models import read_model, read_models

RECORDED = Path(__file__).parents[3] / "recordings" / "models"
FILES = sorted(path for path in RECORDED.rglob("*") if path.is_file() and path.parent != RECORDED)
FOLDERS = sorted(
    path
    for path in RECORDED.rglob("*")
    if (path.is_dir() and (path / "saved_model.pb").exists()) or path.suffix == ".mlpackage"
)


def answered(path: Path) -> tuple[ModelFacts, ...]:
    """What is said of a file; a fault of ours is none of the answers."""
    found = read_models(path)
    assert found
    for each in found:
        assert each.problem != "reader-broke", each.problem_detail
    return found


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def alone(tmp_path: Path) -> Path:
    """An empty folder: what lies beside a file is taken for a part of its model."""
    folder = tmp_path / "alone"
    folder.mkdir(exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    return folder


@for_each(FILES, name_of)
def test_cut_at_every_twentieth(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    (original,) = answered(path)[:1]
    for twentieth in some(range(20), 4, first=FILES.index(path)):
        cut = alone(tmp_path) / path.name
        cut.write_bytes(whole[: len(whole) * twentieth // 20])
        facts = answered(cut)[0]
        # A part of a model may still be read; that it is whole must not be said of one that is known by more than text.
        if facts.format == original.format == "safetensors":
            assert facts.problem


@for_each(FILES, name_of)
def test_damaged_at_random_places(path: Path, tmp_path: Path) -> None:
    whole = path.read_bytes()
    dice = random.Random(path.name)
    for _ in some(range(20), 4):
        damaged = bytearray(whole)
        for _ in range(dice.choice((1, 4, 64))):
            if damaged:
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        file = alone(tmp_path) / path.name
        file.write_bytes(damaged)
        answered(file)


@for_each(FILES, name_of)
def test_under_the_name_of_another_format(path: Path, tmp_path: Path) -> None:
    for ending in some((".onnx", ".tflite", ".pt", ".engine", ".bin", ""), 3, first=FILES.index(path)):
        file = alone(tmp_path) / f"model{ending}"
        shutil.copyfile(path, file)
        answered(file)


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: path.name)
def test_a_folder_without_one_of_its_parts(path: Path, tmp_path: Path) -> None:
    for missing in sorted(each.relative_to(path) for each in path.rglob("*") if each.is_file()):
        copy = tmp_path / path.name
        shutil.copytree(path, copy)
        (copy / missing).unlink()
        answered(copy)
        shutil.rmtree(copy)


class Harmful:
    """What an attacker would put into a checkpoint."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (os.system, (f"touch {self.target}",))


def harmful(target: Path, protocol: int) -> bytes:
    return pickle.dumps({"state_dict": Harmful(target)}, protocol=protocol)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("wrapped", ["plain", "zip", "renamed"])
def test_a_pickle_that_would_run_a_command_does_not(protocol: int, wrapped: str, tmp_path: Path) -> None:
    target = tmp_path / "executed"
    data = harmful(target, protocol)
    path = tmp_path / ("model.onnx" if wrapped == "renamed" else "model.pt")
    if wrapped == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("model/data.pkl", data)
            archive.writestr("model/version", "3\n")
            archive.writestr("model/data/0", bytes(16))
    else:
        path.write_bytes(data)
    (facts,) = answered(path)
    assert not target.exists()
    dangerous = [each.name for each in facts.needs.classes or () if each.risk == "dangerous"]
    assert dangerous in (["posix.system"], ["nt.system"])
    pickle.loads(data)
    assert target.exists()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x08\x09\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", id="protobuf-of-2-to-the-63"),
        pytest.param(
            b"\x08\x09\x12\x07pytorch\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x40", id="onnx-graph-of-2-to-the-62"
        ),
        pytest.param(struct.pack("<I4sII", 16, b"TFL3", 0, 0) + struct.pack("<i", -8) * 64, id="tables-in-a-circle"),
        pytest.param(struct.pack("<I4s", 0xFFFFFFFF, b"TFL3") + bytes(64), id="a-root-beyond-the-end"),
        pytest.param(struct.pack("<Q", 2**63) + b'{"a":1}', id="safetensors-header-of-2-to-the-63"),
        pytest.param(struct.pack("<Q", 100_000) + b"{" * 100_000, id="deep-json"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 3, 2**63, 2**63), id="gguf-with-2-to-the-63-tensors"),
        pytest.param(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62), id="gguf-key-of-2-to-the-62"),
        pytest.param(b"\x80\x04" + b"(" * 60_000 + b".", id="a-pickle-of-marks"),
        pytest.param(b"\x80\x04\x8e" + struct.pack("<Q", 2**62), id="a-pickle-with-bytes-of-2-to-the-62"),
        pytest.param(b"]" * 50_000 + b"a" * 49_999 + b".", id="lists-within-lists"),
        pytest.param(b"\x89HDF\r\n\x1a\n" + b"\xff" * 4096, id="hdf5-of-nothing"),
        pytest.param(b"ftrt" + b"\xff" * 4096, id="an-engine-of-nothing"),
        pytest.param(b"\x01HEF" + b"\xff" * 64, id="a-hef-of-nothing"),
        pytest.param(
            b'<?xml version="1.0"?><!DOCTYPE n [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
            b'<net name="&b;" version="11"><layers>' + b"&b;" * 1000,
            id="an-xml-bomb",
        ),
        pytest.param(b'<net name="x" version="11"><layers>' + b"<layer>" * 100_000, id="deep-xml"),
        pytest.param(b"7767517\n999999999 999999999\n", id="ncnn-with-a-billion-layers"),
        pytest.param(b'{"modelTopology":' + b"[" * 100_000, id="deep-tfjs"),
        pytest.param(bytes(1 << 20), id="zeros"),
        pytest.param(b"\xff" * (1 << 20), id="ones"),
    ],
)
def test_bytes_made_to_harm(data: bytes, tmp_path: Path) -> None:
    names = ("model", "model.onnx", "model.h5", "model.json", "model.xml", "model.param")
    for name in some(names, 3, first=len(data) % 2):
        (tmp_path / name).write_bytes(data)
        tracemalloc.start()
        try:
            (facts,) = answered(tmp_path / name)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert facts.problem or facts.version is None  # of an engine only the first bytes tell anything
        assert most < 200 << 20
        (tmp_path / name).unlink()


def bomb() -> bytes:
    """256 MiB of zeros in 260 KB, under the names by which a checkpoint is known."""
    made = io.BytesIO()
    add_zeros(made, "model/data.pkl", "config.json")
    with zipfile.ZipFile(made, "a") as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("model/version", "3")
    return made.getvalue()


def test_a_zip_bomb(tmp_path: Path) -> None:
    (tmp_path / "model.pt").write_bytes(bomb())
    tracemalloc.start()
    try:
        facts = answered(tmp_path / "model.pt")[0]
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert facts.problem == "bomb"
    assert most < 200 << 20


def test_an_archive_within_an_archive_within_an_archive(tmp_path: Path) -> None:
    data = (RECORDED / "onnx" / "abs.onnx").read_bytes()
    for depth in range(30):
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{depth}.zip", data)
        data = made.getvalue()
    (tmp_path / "models.zip").write_bytes(data)
    assert answered(tmp_path / "models.zip")[0].problem == "archive-in-folder"


def test_what_cannot_be_read_is_told_where_a_model_should_be(tmp_path: Path) -> None:
    page = "<!doctype html><title>Log in</title>"
    for name in ("model.onnx", "index.html.j2", "calls", "weights.PT"):
        (tmp_path / name).write_text(page)
    (tmp_path / "library.jar").write_bytes(bomb()[:-30])
    (tmp_path / "llama3:8b.onnx").write_bytes((RECORDED / "onnx" / "abs.onnx").read_bytes())
    found = {each.name: each.problem or each.format for each in answered(tmp_path)}
    assert found == {"model.onnx": "html-page", "weights.PT": "html-page", "llama3:8b.onnx": "onnx"}


def test_more_files_than_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.readers.containers.folder.MOST_NAMES", 2)
    for name in "abc":
        (tmp_path / name).write_text("text")
    assert [each.problem for each in answered(tmp_path)] == ["too-many-files"]
    shutil.copy(RECORDED / "onnx" / "abs.onnx", tmp_path)
    (tmp_path / "c").unlink()
    assert [(each.format, each.problem) for each in answered(tmp_path)] == [("onnx", None), (None, "too-many-files")]


def test_a_pipe_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.onnx")
    assert read_model(tmp_path / "model.onnx").problem == "not-a-file"


def test_a_name_that_is_too_long() -> None:
    assert read_model(Path("x" * 5000)).problem == "unreadable"


def lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the right to list a folder, which a test that runs as root cannot do on the disk."""
    listed = os.scandir

    def scandir(path: Path) -> object:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr("os.scandir", scandir)


def test_a_folder_without_rights_is_not_called_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock(tmp_path, monkeypatch)
    assert [(each.path, each.problem) for each in answered(tmp_path)] == [(str(tmp_path), "folder-unreadable")]


@pytest.mark.parametrize("beside", [True, False], ids=["a-model-beside-it", "nothing-else"])
def test_a_folder_without_rights_in_another_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    for name in ("private", "lost+found"):
        (tmp_path / name).mkdir()
        lock(tmp_path / name, monkeypatch)
    if beside:
        shutil.copy(RECORDED / "onnx" / "abs.onnx", tmp_path)
    found = [(each.name, each.problem) for each in answered(tmp_path)]
    assert found == [("abs.onnx", None)] * beside + [("private", "folder-unreadable")]

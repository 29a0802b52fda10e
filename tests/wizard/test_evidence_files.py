"""What the user gives, and how much of it is kept."""

import gzip
import os
import sys
import zipfile
from pathlib import Path

import pytest

from checks.readers.text import WHOLE
from wizard.evidence_files import (
    Given,
    Kind,
    input_among,
    kept,
    kind_in_ticket,
    kind_of,
    models_among,
    read_log,
)
from wizard.jobs.sent_files import Sent, sent_files


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("train.py", Kind.SCRIPT),
        ("Train.IPYNB", Kind.SCRIPT),
        ("error.txt", Kind.LOG),
        ("naosu.pdf", Kind.REPORT),
        ("case.JSON", Kind.REPORT),
        ("yolo.onnx", Kind.MODEL),
        ("weights", Kind.MODEL),
    ],
)
def test_kind_by_the_name(name: str, kind: Kind) -> None:
    assert kind_of(Path(name)) is kind


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        pytest.param(b'{"format": 1, "naosu": "0.1"', Kind.REPORT, id="a-saved-case"),
        pytest.param(b'\xef\xbb\xbf{\n  "format": 1', Kind.REPORT, id="with-a-mark"),
        pytest.param(b"", Kind.REPORT, id="empty"),
        pytest.param(b'{"format": "graph-model", "generatedBy": "2.12.0"', Kind.MODEL, id="tensorflow.js"),
        pytest.param(b'{"nodes": [{"op": "null"', Kind.MODEL, id="mxnet"),
    ],
)
def test_json_is_told_by_its_beginning(content: bytes, kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(content)
    assert kind_of(tmp_path / "model.json") is kind


def test_a_folder_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "saved.py").mkdir()
    assert kind_of(tmp_path / "saved.py") is Kind.MODEL


def test_what_matters_of_a_long_text_is_kept() -> None:
    text = kept("あ" * WHOLE + "RuntimeError: CUDA error")
    assert len(text.encode()) <= WHOLE
    assert text.endswith("RuntimeError: CUDA error")
    assert "\ufffd" not in text


def test_half_a_character_from_the_clipboard_is_no_crash() -> None:
    assert kept("error \ud83d here") == "error ? here"


def test_a_log_that_is_no_text_is_read_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"\xff\xff error")
    assert read_log(log).endswith("error")


def test_what_matters_of_a_long_log_is_read(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"step\n" * WHOLE + b"the end")
    text = read_log(log)
    assert len(text) <= WHOLE
    assert text.endswith("the end")


def test_a_log_that_is_a_picture_is_said_to_be_no_text(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(bytes(range(256)) * 40)
    (sent,) = sent_files("", (Given(log, Kind.LOG),)).logs
    assert sent.text is None
    assert sent.unread == {"text": "not-text"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes with a path in a folder")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "a.log"
    os.mkfifo(pipe)
    (log,) = sent_files("", (Given(pipe, Kind.LOG),)).logs
    assert log.unread["text"]


def test_sent_files_by_their_place(tmp_path: Path) -> None:
    log, script, model = tmp_path / "a.log", tmp_path / "a.py", tmp_path / "a.onnx"
    for path in (log, script, model):
        path.write_text("content")
    given = (Given(log, Kind.LOG), Given(script, Kind.SCRIPT), Given(model, Kind.MODEL))
    sent = sent_files("pasted error", given)
    assert [(file.origin, file.text) for file in sent.logs] == [("pasted", "pasted error"), ("", "content")]
    assert [(file.name, file.size, file.text) for file in sent.scripts] == [("a.py", 7, None)]
    assert sent.models == (model,)  # read where they lie, by the examination
    assert all(file.examined for file in sent.logs)
    assert not any(file.examined for file in sent.scripts)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        pytest.param(["net.onnx", "cat.PNG"], "cat.PNG", id="a-picture-beside-a-model"),
        pytest.param(["inputs.npz", "net.onnx"], "inputs.npz", id="arrays-beside-a-model"),
        pytest.param(["net.onnx", "a.jpg", "b.jpg"], "a.jpg", id="the-first-of-two"),
        pytest.param(["weights.npz"], None, id="arrays-alone-are-a-model"),
        pytest.param(["net.onnx", "net.pt"], None, id="models-alone"),
    ],
)
def test_what_is_given_beside_a_model_is_its_input(names: list[str], wanted: str | None, tmp_path: Path) -> None:
    given = tuple(Given(tmp_path / name, Kind.MODEL) for name in names)
    sent = sent_files("", given)
    assert sent.inputs == (tmp_path / wanted if wanted else None)
    assert [path.name for path in sent.models] == [name for name in names if name != wanted]
    assert input_among(given) == sent.inputs


def test_what_is_told_to_be_the_input_is_it_whatever_its_ending(tmp_path: Path) -> None:
    model, picture, arrays = (
        Given(tmp_path / "net.onnx", Kind.MODEL),
        Given(tmp_path / "cat.png", Kind.MODEL),
        Given(tmp_path / "x.npy", Kind.INPUT),
    )
    sent = sent_files("", (model, picture, arrays))
    assert (sent.inputs, sent.models) == (arrays.path, (model.path, picture.path))
    assert (sent.logs, sent.scripts) == ((), ())


def test_a_file_that_has_gone_is_kept_with_the_reason(tmp_path: Path) -> None:
    (log,) = sent_files(" \n", (Given(tmp_path / "gone.log", Kind.LOG),)).logs
    assert log.name == "gone.log"
    assert "No such file" in log.unread["text"]


def test_nothing_given() -> None:
    assert sent_files("", ()) == Sent((), (), ())


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("dmesg", b"NVRM: Xid", Kind.LOG),
        ("error.txt", "エラー".encode("utf-16"), Kind.LOG),
        ("log.json", b'{"message": "out of memory", "format": 1}', Kind.LOG),
        ("train.py", b"import torch", Kind.SCRIPT),
        ("case.json", b'{\n  "format": 1,\n  "created": ""', Kind.REPORT),
        ("case.txt", b'\xef\xbb\xbf{"format":1', Kind.REPORT),
        ("naosu.pdf", b"%PDF-1.7 \x00\x01\x02", Kind.REPORT),
        ("screen.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), None),
        ("screen.log", bytes(range(256)), None),
        ("gone.txt", None, None),
    ],
)
def test_what_comes_with_a_ticket_by_its_content(
    tmp_path: Path, name: str, content: bytes | None, kind: Kind | None
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert kind_in_ticket(tmp_path / name) is kind


def test_a_folder_is_no_ticket(tmp_path: Path) -> None:
    assert kind_in_ticket(tmp_path) is None


def test_of_dropped_files_the_models_by_their_content(tmp_path: Path) -> None:
    """A model may have any ending; a text, a script and a report are none."""
    contents = {
        "net.onnx": b"\x08\x07",
        "net.txt": b"\x1c\x00\x00\x00TFL3\x00\xff\xfe",
        "error.log": b"RuntimeError",
        "train.py": b"import torch",
        "sent.pdf": b"%PDF-1.7",
        "sent.json": b'{"format": 1}',
        "model.json": b'{"format": "graph-model"}',
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder").mkdir()
    found = models_among([tmp_path / name for name in (*contents, "folder")])
    assert [path.name for path in found] == ["net.onnx", "net.txt", "model.json", "folder"]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("nvidia-bug-report.log.gz", Kind.LOG),
        ("sosreport-host-2026-11-24.tar.xz", Kind.LOG),
        ("kern.log.2.gz", Kind.LOG),
        ("weights.pkl.gz", Kind.MODEL),
        ("model.zip", Kind.MODEL),
    ],
)
def test_what_tools_for_support_pack_is_a_log(name: str, wanted: Kind) -> None:
    assert kind_of(Path(name)) is wanted


def test_in_a_ticket_packed_texts_are_a_log(tmp_path: Path) -> None:
    packed = tmp_path / "anything.bin"
    packed.write_bytes(gzip.compress(b"RuntimeError: CUDA out of memory\n" * 9000))
    assert kind_in_ticket(packed) is Kind.LOG
    with zipfile.ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("train.log", "RuntimeError: CUDA out of memory\n")
    assert kind_in_ticket(tmp_path / "logs.zip") is Kind.LOG
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("data.pkl", b"\x80\x04.")
    assert kind_in_ticket(tmp_path / "model.zip") is None

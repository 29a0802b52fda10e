"""Folders, archives in archives, and mails with cases: what is read of them, and what is said of the rest."""

import io
import json
import os
import shutil
import sys
import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from checks.desk.sources.walk import Reader
from checks.desk.tickets import Ticket
from checks.readers.containers import folder
from checks.readers.containers.source import Stopped

CASES = Path(__file__).parents[3] / "cases"
CASE = CASES / "driver-library-mismatch.json"
SAVED = Path(__file__).parents[3] / "recordings" / "mails" / "outlook.msg"
TEXT = "RuntimeError: CUDA out of memory"


def read(path: Path) -> tuple[list[Ticket], dict[str, str]]:
    reader = Reader()
    found = list(reader.tickets(path))
    return found, {problem.source: problem.reason for problem in reader.not_read}


def packed(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def mail_with(*attached: tuple[str, bytes]) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["To"] = "a@b.c", "No GPU", "desk@x.y"
    mail.set_content(TEXT)
    for name, data in attached:
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return mail.as_bytes()


def test_a_folder_of_everything(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "first.txt").write_text(f"No GPU\n{TEXT}")
    (tmp_path / "mail.eml").write_bytes(mail_with())
    (tmp_path / "export.csv").write_text(f"id,title,text\n7,No GPU,{TEXT}\n")
    (tmp_path / "export.json").write_text(json.dumps([{"id": 8, "title": "No GPU", "body": TEXT}]))
    (tmp_path / "json.log").write_text('{"level": "error"} and then\n' + TEXT)
    shutil.copy(CASE, tmp_path)
    shutil.copy(SAVED, tmp_path)
    (tmp_path / ".hidden").write_text("x")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "model.bin").write_bytes(bytes(range(32)) * 50)
    (tmp_path / "old.tar.gz").write_bytes(b"\x1f\x8b\x08")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    found, passed = read(tmp_path)
    by_name = {ticket.source: ticket for ticket in found}
    assert set(by_name) == {
        "below/first.txt", "mail.eml", "export.csv", "export.json", "json.log", CASE.name, SAVED.name,
    }  # fmt: skip
    assert by_name[CASE.name].case == CASE.read_bytes()
    assert by_name["export.csv"].number == "7"
    assert by_name["below/first.txt"].title == "No GPU"
    assert passed == {
        "empty.txt": "empty",
        "picture.png": "not-text",
        "model.bin": "not-text",
        "old.tar.gz": "archive-kind",
        "link.txt": "link",
    }


def test_archives_within_archives_have_an_end(tmp_path: Path) -> None:
    inner = packed({"a.txt": TEXT.encode()})
    for depth in range(6):
        inner = packed({f"level-{depth}.zip": inner, f"note-{depth}.txt": TEXT.encode()})
    path = tmp_path / "all.zip"
    path.write_bytes(inner)
    found, passed = read(path)
    assert [ticket.source.rpartition("/")[2] for ticket in found] == ["note-3.txt", "note-4.txt", "note-5.txt"]
    assert list(passed.values()) == ["too-deep"]


def test_what_cannot_be_unpacked_is_named_and_what_lies_beside_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "all.zip"
    monkeypatch.setattr(folder, "MOST_RATIO", 100)  # 1,000 and a file of a gigabyte, in small
    path.write_bytes(packed({"bomb.txt": bytes(1 << 20), "ticket.txt": TEXT.encode(), "../out.txt": b"x"}))
    found, passed = read(path)
    assert [ticket.source for ticket in found] == ["all.zip/ticket.txt"]
    assert passed == {"all.zip/bomb.txt": "bomb"}


def test_a_damaged_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    path.write_bytes(packed({"a.txt": TEXT.encode()})[:-30])
    assert read(path) == ([], {"all.zip": "archive-damaged"})


def test_what_is_attached_to_a_mail_is_a_ticket_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "mail.eml"
    path.write_bytes(mail_with(("case.json", CASE.read_bytes()), ("all.zip", packed({"a.txt": TEXT.encode()}))))
    found, _ = read(path)
    assert [ticket.source for ticket in found] == ["mail.eml", "mail.eml/case.json", "mail.eml/all.zip/a.txt"]
    assert found[1].case


def test_the_same_ticket_of_two_exports_is_one(tmp_path: Path) -> None:
    plain = {"html_url": "https://github.com/a/b/issues/1", "number": 1, "title": "No GPU", "body": TEXT}
    for name in ("may.json", "june.json"):
        (tmp_path / name).write_text(json.dumps([plain]))
    found, _ = read(tmp_path)
    assert found[0].key == found[1].key
    assert found[0].digest == found[1].digest


def test_it_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(Stopped):
        list(Reader(lambda: True).tickets(tmp_path))


def test_an_answer_of_the_portable_probe_is_a_case(tmp_path: Path) -> None:
    (tmp_path / "answer.json").write_text(json.dumps({"naosu-probe": 1, "steps": []}))
    (tmp_path / "export.json").write_text(json.dumps([{"title": "No GPU", "body": 'it says {"naosu-probe": 1}'}]))
    found, _ = read(tmp_path)
    assert [bool(ticket.case) for ticket in found] == [True, False]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_names_that_are_no_text(tmp_path: Path) -> None:
    for name in (b"a\xfe.txt", b"a\xff.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(TEXT)
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff")).symlink_to("a")
    tickets, not_read = read(tmp_path)
    assert [ticket.source for ticket in tickets] == [r"a\udcfe.txt", r"a\udcff.txt"]  # still two
    assert not_read == {r"b\udcff": "link"}


@pytest.mark.parametrize("packed", ["", "gz", "xz"])
def test_a_tar_is_opened(tmp_path: Path, packed: str) -> None:
    (tmp_path / "one.txt").write_text("RuntimeError: CUDA out of memory")
    (tmp_path / "link").symlink_to("/etc/passwd")
    path = tmp_path / "given" / f"logs.tar{packed and '.' + packed}"
    path.parent.mkdir()
    with tarfile.open(path, f"w:{packed}") as archive:  # type: ignore[call-overload]
        archive.add(tmp_path / "one.txt", "a/one.txt")
        archive.add(tmp_path / "one.txt", "../out.txt")
        archive.add(tmp_path / "link", "link")
    reader = Reader()
    found = list(reader.tickets(path.parent))
    assert [(ticket.source, ticket.text) for ticket in found] == [
        (f"{path.name}/a/one.txt", "RuntimeError: CUDA out of memory")
    ]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] + b"x" * 40)
    list(reader.tickets(path.parent))  # a damaged one ends in a line

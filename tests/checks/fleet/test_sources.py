"""The answers of a folder, whatever they are packed in; what cannot be read is named and stops nothing."""

import gzip
import io
import os
import random
import sys
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from checks.fleet import sources
from checks.fleet.sources import answers_in, host_of, read_again


def tar(path: Path, files: dict[str, bytes], mode: str = "w:gz") -> None:
    with tarfile.open(path, mode) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


@pytest.mark.parametrize(
    ("place", "host"),
    [
        ("web1.json", "web1"),
        ("web1.json.gz", "web1"),
        ("web1-2026-11-24.json", "web1"),
        ("web1_20261124T120000Z.json", "web1"),
        ("node000000-2026-11-01.json", "node000000"),
        ("10.0.0.7.json", "10.0.0.7"),
        ("web1/tmp/naosu-answer.json", "web1"),
        ("web1/naosu-answer-2026-11-24.json", "web1"),
        ("naosu-answer.json", "naosu-answer"),
        ("all.tar.gz!/web1.json", "web1"),
        ("all.zip!/web1/naosu-answer.json", "web1"),
        ("2026-11-24.json", "2026-11-24"),
    ],
)
def test_the_host_is_told_by_the_name(place: str, host: str) -> None:
    assert host_of(place) == host


def test_files_packed_files_and_archives(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"{1}")
    (tmp_path / "b.json.gz").write_bytes(gzip.compress(b"{2") + gzip.compress(b"}"))
    (tmp_path / "notes.txt").write_bytes(b"no answer")
    tar(tmp_path / "c.tar.gz", {"c.json": b"{3}", "inner.tar": b"", "readme": b""})
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        archive.writestr("d.json", b"{4}")
        archive.writestr("inner.zip", b"")
    found = {source.host: (source.data, source.problem) for source in answers_in(tmp_path)}
    assert found == {
        "a": (b"{1}", ""),
        "b": (b"{2}", ""),
        "c": (b"{3}", ""),
        "d": (b"{4}", ""),
        "inner": (b"", "archive-in-archive"),
    }
    for source in answers_in(tmp_path):
        assert read_again(tmp_path, source.place) == (source.data or None)
    assert read_again(tmp_path, "gone.json") is None


def test_what_is_damaged_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGEST", 1000)
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"{}")[:-6])
    (tmp_path / "b.zip").write_bytes(b"PK\3\4 no zip")
    tar(tmp_path / "c.tar.gz", {"first.json": b"{}", "second.json": random.Random(1).randbytes(100_000)})
    (tmp_path / "c.tar.gz").write_bytes((tmp_path / "c.tar.gz").read_bytes()[:50_000])
    (tmp_path / "d.json").write_bytes(b"x" * 1001)
    (tmp_path / "e.json.gz").write_bytes(gzip.compress(b"0" * 10_000_000))
    (tmp_path / "f.json").symlink_to("/etc/passwd")
    (tmp_path / "g.json").mkdir()
    found = {source.place: source.problem for source in answers_in(tmp_path)}
    assert found == {
        "a.json.gz": "file-unreadable",
        "b.zip": "archive-damaged",
        "c.tar.gz!/first.json": "",
        "c.tar.gz!/second.json": "file-too-large",
        "c.tar.gz": "archive-damaged",
        "d.json": "file-too-large",
        "e.json.gz": "file-too-large",
        "f.json": "link",
    }


def test_a_damaged_lzma_member_stops_nothing(tmp_path: Path) -> None:
    data = random.Random(2).randbytes(4000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("h.json", data)
    packed = bytearray((tmp_path / "a.zip").read_bytes())
    packed[200:300] = b"\xff" * 100
    (tmp_path / "a.zip").write_bytes(packed)
    (tmp_path / "b.json").write_bytes(b"{}")
    assert [source.problem for source in answers_in(tmp_path)] == ["file-unreadable", ""]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("a.json", "b.zip", "c.tar", "d.tar.gz"):
        os.mkfifo(tmp_path / name)
    assert [source.problem for source in answers_in(tmp_path)] == ["file-unreadable"] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/web\xff.json")).write_bytes(b"{}")
    (source,) = answers_in(tmp_path)
    assert (source.host, source.data) == (r"web\udcff", b"{}")
    source.place.encode()


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_of_a_packed_member_no_more_is_unpacked_than_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packing: int
) -> None:
    """A kilobyte of bzip2 became three gigabytes in memory."""
    monkeypatch.setattr(sources, "LARGEST", 1 << 20)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", packing) as archive, archive.open("h.json", "w") as member:
        for _ in range(24):
            member.write(b" " * (1 << 20))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", packing) as archive:
        archive.writestr("whole.json", b"{} " * 300_000)
    tracemalloc.start()
    found = [(source.problem, len(source.data)) for source in answers_in(tmp_path)]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == [("file-too-large", 0), ("", 900_000)]
    assert most < 16 << 20


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_name_without_end_in_a_tar_is_not_read(tmp_path: Path, kind: bytes) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = kind, 16 << 20
    with gzip.open(tmp_path / "a.tar.gz", "wb", compresslevel=1) as file:
        file.write(header.tobuf(tarfile.GNU_FORMAT) + b"a" * header.size)
    tracemalloc.start()
    problems = [source.problem for source in answers_in(tmp_path)]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert problems == ["archive-damaged"]
    assert most < 8 << 20


def test_what_a_small_tar_unpacks_to_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_ALWAYS_UNPACKED", 1 << 20)
    tar(tmp_path / "a.tar.bz2", {"a.json": b"{}", "b.bin": b"\0" * (8 << 20), "c.json": b"{}"}, "w:bz2")
    found = [(source.place, source.problem) for source in answers_in(tmp_path)]
    assert found == [("a.tar.bz2!/a.json", ""), ("a.tar.bz2", "archive-damaged")]

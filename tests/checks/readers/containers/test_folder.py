"""Folders and archives under one face."""

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from checks.readers.containers.folder import DiskFolder, Folder, SubFolder, TarFolder, ZipFolder, inside, is_tar
from checks.readers.containers.source import Damaged, of_bytes

FILES = {"a.txt": b"first", "deep/er/b.bin": bytes(1000), "deep/c": b""}


def on_disk(folder: Path) -> Folder:
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return DiskFolder(folder)


def zipped(compression: int, files: dict[str, bytes] = FILES) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(folder: Path, mode: str) -> Folder:
    with tarfile.open(folder / "a.tar", mode) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return TarFolder(folder / "a.tar")


@pytest.mark.parametrize("kind", ["disk", "stored", "deflated", "lzma", "tar", "tar.gz", "tar.xz"])
def test_the_same_face(kind: str, tmp_path: Path) -> None:
    methods = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "lzma": zipfile.ZIP_LZMA}
    if kind == "disk":
        folder = on_disk(tmp_path)
    elif kind in methods:
        folder = ZipFolder(of_bytes(zipped(methods[kind])))
    else:
        folder = tarred(tmp_path, {"tar": "w", "tar.gz": "w:gz", "tar.xz": "w:xz"}[kind])
    assert folder.names == tuple(sorted(FILES))
    for name, data in FILES.items():
        assert folder.size_of(name) == len(data)
        with folder.file(name) as source:
            assert source.read(0, source.size) == data
    below = SubFolder(folder, "deep")
    assert below.names == ("c", "er/b.bin")
    assert below.size_of("er/b.bin") == 1000
    assert folder.size_of("gone") is None
    with pytest.raises(Damaged), folder.file("gone"):
        pass


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "..\\x", "C:\\x", "", "a\0b"])
def test_names_that_lead_out(name: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_text("secret")
    (tmp_path / "model").mkdir()
    folder = DiskFolder(tmp_path / "model")
    assert not inside(name)
    assert folder.size_of(name) is None
    with pytest.raises(Damaged, match="outside"), folder.file(name):
        pass


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    assert [name for name in DiskFolder(tmp_path).names if name.endswith("file")] == ["a/file"]


def test_a_bomb_is_not_unpacked() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("zeros", "w") as member:
        for _ in range(17):
            member.write(bytes(16 << 20))
    folder = ZipFolder(of_bytes(made.getvalue()))
    with pytest.raises(Damaged, match="bomb"), folder.file("zeros"):
        pass


def test_a_list_that_lies_about_the_size() -> None:
    data = bytearray(zipped(zipfile.ZIP_DEFLATED, {"a": bytes(100_000)}))
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")  # the size when unpacked
    folder = ZipFolder(of_bytes(bytes(data)))
    with pytest.raises(Damaged), folder.file("a") as source:
        source.read(0, 100_000)


def test_a_password(tmp_path: Path) -> None:
    data = bytearray(zipped(zipfile.ZIP_STORED, {"a": b"x"}))
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(Damaged, match="encrypted"), ZipFolder(of_bytes(bytes(data))).file("a"):
        pass


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_cut_archives(compression: int) -> None:
    whole = zipped(compression)
    for twentieth in range(20):
        with pytest.raises(Damaged):
            ZipFolder(of_bytes(whole[: len(whole) * twentieth // 20]))


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_cut_tars(mode: str, tmp_path: Path) -> None:
    tarred(tmp_path, mode)
    whole = (tmp_path / "a.tar").read_bytes()
    for twentieth in range(20):
        cut = tmp_path / f"{twentieth}.tar"
        cut.write_bytes(whole[: len(whole) * twentieth // 20])
        try:
            folder = TarFolder(cut)
            for name in folder.names:
                with folder.file(name) as source:
                    source.read(0, source.size)
        except Damaged:
            continue


def test_what_is_a_tar(tmp_path: Path) -> None:
    tarred(tmp_path, "w:gz")
    (tmp_path / "text").write_text("no archive")
    assert [is_tar(tmp_path / name) for name in ("a.tar", "text", "gone")] == [True, False, False]


def test_rights(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "a").write_text("x")
    (tmp_path / "a").chmod(0)
    with pytest.raises(Damaged, match="unreadable"), DiskFolder(tmp_path).file("a"):
        pass


def test_a_member_without_a_name_is_left_out() -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("a", b"1")
        members.writestr("b", b"2")
    nameless = archive.getvalue()
    directory = nameless.index(b"PK\x01\x02")
    entry = bytearray(nameless[directory:])
    entry[28:30] = b"\0\0"  # the length of the first name
    del entry[46:47]
    end = entry.index(b"PK\x05\x06")
    entry[end + 12 : end + 16] = end.to_bytes(4, "little")
    assert ZipFolder(of_bytes(nameless[:directory] + bytes(entry), "a.zip")).names == ("b",)

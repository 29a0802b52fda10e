"""Folders and archives under one face."""

import contextlib
import io
import os
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import Literal

import pytest
from support.bombs import add_zeros

from checks.readers.containers.folder import DiskFolder, Folder, SubFolder, ZipFolder, inside
from checks.readers.containers.source import Damaged, of_bytes
from checks.readers.containers.tar import TarFolder, is_tar

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


def tarred(folder: Path, mode: Literal["w", "w:gz", "w:bz2", "w:xz"]) -> TarFolder:
    with tarfile.open(folder / "a.tar", mode) as archive:
        for name, data in FILES.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return TarFolder(folder / "a.tar")


@pytest.mark.parametrize("kind", ["disk", "stored", "deflated", "lzma", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_the_same_face(kind: str, tmp_path: Path) -> None:
    methods = {"stored": zipfile.ZIP_STORED, "deflated": zipfile.ZIP_DEFLATED, "lzma": zipfile.ZIP_LZMA}
    modes: dict[str, Literal["w", "w:gz", "w:bz2", "w:xz"]] = {
        "tar": "w",
        "tar.gz": "w:gz",
        "tar.xz": "w:xz",
        "tar.bz2": "w:bz2",
    }
    with contextlib.ExitStack() as stack:
        if kind == "disk":
            folder = on_disk(tmp_path)
        elif kind in methods:
            folder = ZipFolder(of_bytes(zipped(methods[kind])))
        else:
            folder = stack.enter_context(tarred(tmp_path, modes[kind]))
        check_face(folder)


def check_face(folder: Folder) -> None:
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


@pytest.mark.parametrize(
    ("link", "to"),
    [
        pytest.param("root", "/", id="root"),
        pytest.param("up", "..", id="parent"),
        pytest.param("a/up", "../..", id="parent-of-a-folder-below"),
        pytest.param("beside", "../model-2", id="neighbour-whose-name-begins-the-same"),
        pytest.param("secret", "../secret", id="file"),
        pytest.param("secret", "over", id="through-another-link"),
        pytest.param("secret", "in/../../secret", id="in-and-out-again"),
        pytest.param("environ", "/proc/self/environ", id="our-environment"),
        pytest.param("cwd", "/proc/self/cwd", id="our-folder"),
        pytest.param("zero", "/dev/zero", id="device"),
        pytest.param("gone", "../gone", id="nothing"),
        pytest.param("snapshots/x/secret", "../../../secret", id="like-a-cache"),
        pytest.param("blobs", "/etc", id="blobs"),
    ],
)
def test_links_that_lead_out_are_named_and_not_followed(tmp_path: Path, link: str, to: str) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "model-2").mkdir()
    (tmp_path / "model-2" / "secret").write_text("secret")
    model = tmp_path / "model"
    for place in ("a", "in/a", "snapshots/x"):
        (model / place).mkdir(parents=True)
    (model / "a" / "file").write_text("x")
    (model / "over").symlink_to(tmp_path / "secret")
    (model / link).symlink_to(to)
    (model / "in" / "link").symlink_to("../a")
    (model / "in" / "file").symlink_to(model / "a" / "file")
    folder = DiskFolder(model)
    assert {name for name in folder.names if "/" in name} <= {"a/file", "in/file", "in/link/file"}
    assert {there for _, there in folder.links_out} == {str(tmp_path / "secret"), os.path.realpath(model / link)}
    for name in (link, f"{link}/secret", f"{link}/etc/hostname"):
        with pytest.raises(Damaged, match=r"linked-outside|outside"), folder.file(name):
            pass
    with folder.file("in/file") as source:
        assert source.read(0, 1) == b"x"


def test_a_folder_that_is_a_link_itself_was_named_by_the_user(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "link").symlink_to("a")
    folder = DiskFolder(tmp_path / "link")
    assert (folder.names, folder.links_out) == (("file",), ())
    with folder.file("file") as source:
        assert source.size == 1


@pytest.mark.parametrize("given", ["", "onnx"])
def test_a_snapshot_in_the_cache_of_hugging_face_is_whole(tmp_path: Path, given: str) -> None:
    repository = tmp_path / "models--a--b"
    snapshot = repository / "snapshots" / "0123" / given
    (repository / "blobs").mkdir(parents=True)
    snapshot.mkdir(parents=True)
    (repository / "blobs" / "abc").write_text("x")
    (tmp_path / "secret").write_text("secret")
    (repository / "blobs" / "def").symlink_to(tmp_path / "secret")
    up = Path(*[".."] * (3 if given else 2)) / "blobs"
    (snapshot / "good").symlink_to(up / "abc")
    (snapshot / "bad").symlink_to(up / "def")
    folder = DiskFolder(snapshot)
    assert (folder.names, folder.links_out) == (("good",), (("bad", str(tmp_path / "secret")),))
    with folder.file("good") as source:
        assert source.size == 1


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("x")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    assert [name for name in DiskFolder(tmp_path).names if name.endswith("file")] == ["a/file"]


def test_what_is_below_a_folder(tmp_path: Path) -> None:
    for name in ("a/x", "a/b/x", "a-b/x", "a.b", "a0", "ab/x", "a/b0"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    folder = DiskFolder(tmp_path)
    assert SubFolder(folder, "a").names == ("b/x", "b0", "x")
    assert SubFolder(SubFolder(folder, "a"), "b").names == ("x",)
    assert SubFolder(folder, "z").names == ()


def test_many_small_bombs_are_one_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight members of 200 MB each took 24 s, although none is too large by itself."""
    monkeypatch.setattr("checks.readers.containers.folder.MOST_UNPACKED", 5_000_000)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"zeros{number}", bytes(2_000_000))
    folder = ZipFolder(of_bytes(made.getvalue()))
    for number in range(2):
        with folder.file(f"zeros{number}") as source:
            assert source.size == 2_000_000
    with pytest.raises(Damaged, match="bomb"), folder.file("zeros2"):
        pass


def test_a_bomb_is_not_unpacked() -> None:
    made = io.BytesIO()
    add_zeros(made, "zeros")
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
def test_cut_tars(mode: Literal["w", "w:gz"], tmp_path: Path) -> None:
    tarred(tmp_path, mode).__exit__()
    whole = (tmp_path / "a.tar").read_bytes()
    for twentieth in range(20):
        cut = tmp_path / f"{twentieth}.tar"
        cut.write_bytes(whole[: len(whole) * twentieth // 20])
        try:
            with TarFolder(cut) as folder:
                read_all(folder)
        except Damaged:
            continue


def read_all(folder: Folder) -> None:
    for name in folder.names:
        with folder.file(name) as source:
            source.read(0, source.size)


def test_bytes_that_lzma_cannot_unpack(tmp_path: Path) -> None:
    noise = bytes(each * each % 251 for each in range(200_000))
    data = bytearray(zipped(zipfile.ZIP_LZMA, {"a": noise}))
    data[100:200] = bytes(each ^ 0x5A for each in data[100:200])
    with pytest.raises(Damaged, match="archive-damaged"):
        read_all(ZipFolder(of_bytes(bytes(data))))
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        member = tarfile.TarInfo("a")
        member.size = len(noise)
        archive.addfile(member, io.BytesIO(noise))
    packed = (tmp_path / "a.tar.xz").read_bytes()
    for at in range(100, len(packed) - 100, 40):
        (tmp_path / "broken").write_bytes(packed[:at] + bytes(each ^ 0x5A for each in packed[at : at + 60]))
        with pytest.raises(Damaged, match="archive-damaged"), TarFolder(tmp_path / "broken") as folder:
            read_all(folder)


def test_a_packed_tar_is_unpacked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tarred(tmp_path, "w:gz") as folder:
        monkeypatch.setattr(tarfile, "open", lambda *_, **__: pytest.fail("opened again"))
        read_all(folder)
        read_all(folder)


def test_a_name_of_a_gigabyte(tmp_path: Path) -> None:
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 64 << 20
    with tarfile.open(tmp_path / "a.tar", "w:gz") as archive:
        archive.addfile(name, io.BytesIO(bytes(64 << 20)))
    with pytest.raises(Damaged, match="bomb"):
        TarFolder(tmp_path / "a.tar")


@pytest.mark.parametrize("is_64", [False, True])
def test_a_list_of_a_million_members_is_not_read(is_64: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: pytest.fail("the list was read"))
    size = 50_000_000
    end = b"PK\x05\x06" + bytes(8) + (0xFFFFFFFF if is_64 else size).to_bytes(4, "little") + bytes(6)
    if is_64:
        end = b"PK\x06\x06" + bytes(36) + size.to_bytes(8, "little") + bytes(8) + b"PK\x06\x07" + bytes(16) + end
    with pytest.raises(Damaged, match="too-many-files"):
        ZipFolder(of_bytes(b"PK\x03\x04" + bytes(100) + end))


def test_a_large_member_is_no_bomb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("checks.readers.containers.folder.MOST_UNPACKED", 100)
    folder = ZipFolder(of_bytes(zipped(zipfile.ZIP_DEFLATED, {"a": bytes(range(200))})))
    with pytest.raises(Damaged, match="member-too-large"), folder.file("a"):
        pass


def test_an_archive_may_be_larger_than_what_is_read_of_a_file() -> None:
    files = {f"{number}.txt": os.urandom(100_000) for number in range(20)}
    source = of_bytes(zipped(zipfile.ZIP_DEFLATED, files))
    source._left = 1_000_000
    read_all(ZipFolder(source))


def test_a_colon_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "llama3:8b.gguf").write_text("x")
    with DiskFolder(tmp_path).file("llama3:8b.gguf") as source:
        assert source.size == 1


def test_more_files_than_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        (tmp_path / name).write_text("x")
    assert not DiskFolder(tmp_path).has_more
    monkeypatch.setattr("checks.readers.containers.folder.MOST_NAMES", 2)
    assert len(DiskFolder(tmp_path).names) == 2
    assert DiskFolder(tmp_path).has_more


def test_what_is_a_tar(tmp_path: Path) -> None:
    tarred(tmp_path, "w:gz").__exit__()
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


def test_members_that_are_open_at_the_same_time_do_not_fill_the_memory() -> None:
    files = {f"{number}.npy": bytes([number]) * (1 << 20) for number in range(60)}
    archive = ZipFolder(of_bytes(zipped(zipfile.ZIP_DEFLATED, files)))
    tracemalloc.start()
    with contextlib.ExitStack() as stack:
        opened = {name: stack.enter_context(archive.file(name)) for name in files}
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 40 << 20
        assert all(opened[name].read(0, opened[name].size) == data for name, data in files.items())
    with archive.file("7.npy") as again:
        assert again.read(0, 3) == bytes([7]) * 3

"""Logs as tools for support pack them: compressed, or many in one archive."""

import bz2
import gzip
import io
import lzma
import os
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from checks.readers.text import WHOLE, NotText
from checks.readers.tickets import bundle
from checks.readers.tickets.bundle import plain_text, sent_text

LOG = "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.\n"


def tarred(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:xz" if path.suffix == ".xz" else "w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_a_compressed_log(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "nvidia-bug-report.log.gz"  # by its content, whatever it is called
    path.write_bytes(pack(LOG.encode()))
    assert sent_text(path) == LOG
    assert plain_text(io.BytesIO(path.read_bytes())) == LOG


def test_several_behind_each_other_and_one_that_is_cut() -> None:
    two = gzip.compress(LOG.encode()) + gzip.compress(b"the end\n")
    assert plain_text(io.BytesIO(two)) == LOG + "the end\n"
    many = "".join(f"line {number} of the log, {number * 7919 % 1009}\n" for number in range(5000))
    cut = gzip.compress(many.encode())[:-2000]
    text = plain_text(io.BytesIO(cut))
    assert text.startswith("line 0 of the log")
    assert many.startswith(text)


def test_what_unpacks_to_far_more_is_read_in_bounded_memory() -> None:
    bomb = gzip.compress(b"A" * (64 << 20), 9)
    assert len(plain_text(io.BytesIO(bomb))) <= WHOLE


def test_all_logs_of_an_archive_are_unpacked_within_one_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_MOST", 3 * len(LOG))
    logs = {f"{name}.log.gz": gzip.compress(2 * LOG.encode()) for name in "abc"}
    text = sent_text(zipped(tmp_path / "logs.zip", logs))
    assert [name in text for name in logs] == [True, True, False]


def test_an_archive_of_logs_tells_the_trouble_first(tmp_path: Path) -> None:
    files = {"a/settings.txt": b"colour = blue\n", "a/train.log": LOG.encode(), "a/picture.png": b"\x89PNG\0\0"}
    for path in (zipped(tmp_path / "logs.zip", files), tarred(tmp_path / "logs.tar.xz", files)):
        assert sent_text(path) == f"==> a/train.log <==\n{LOG}\n==> a/settings.txt <==\ncolour = blue\n"


def test_of_a_system_report_what_can_matter(tmp_path: Path) -> None:
    root = "sosreport-host-2026"
    files = {
        f"{root}/sos_commands/kernel/dmesg": LOG.encode(),
        f"{root}/sos_commands/cups/lpstat": b"no printers\n",
        f"{root}/etc/shadow": b"root:*:1:0\n",
    }
    text = sent_text(tarred(tmp_path / "sosreport.tar.xz", files))
    assert text == f"==> {root}/sos_commands/kernel/dmesg <==\n{LOG}"


def test_what_holds_no_text_is_none(tmp_path: Path) -> None:
    weights = {"archive/data.pkl": pickle.dumps([1.0]), "archive/version": b"3\n"}
    (tmp_path / "damaged.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (tmp_path / "empty.log.gz").write_bytes(b"\x1f\x8b\x08 damaged")
    (tmp_path / "no.tar").write_bytes(b"no archive")
    paths = [zipped(tmp_path / "model.zip", weights), *(tmp_path / name for name in ("damaged.zip", "empty.log.gz"))]
    for path in (*paths, tmp_path / "no.tar"):
        with pytest.raises(NotText):
            sent_text(path)


def test_a_name_that_leads_out_and_a_pipe_are_not_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "logs.zip", {"../outside.log": LOG.encode(), "inside.log": b"fine\n"})
    assert sent_text(path) == "==> inside.log <==\nfine\n"
    os.mkfifo(tmp_path / "pipe.log")
    with pytest.raises(OSError, match="Invalid"):
        sent_text(tmp_path / "pipe.log")
    with pytest.raises(FileNotFoundError):
        sent_text(tmp_path / "gone.zip")

"""A file is written whole, keeps its rights, and what is no file is written to as it is."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from checks.sharing.files import write_whole

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes and rights as POSIX has them")


def test_new_and_over_an_old_one(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    write_whole(path, b"one")
    write_whole(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


@needs_posix
def test_what_only_the_owner_could_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "private.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_protected_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kept.json"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write everywhere, also in a test
    with pytest.raises(PermissionError):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@needs_posix
def test_the_longest_name_that_a_file_can_have(tmp_path: Path) -> None:
    path = tmp_path / ("漢" * 83 + ".json")  # 254 of 255 bytes
    write_whole(path, b"x")
    assert path.read_bytes() == b"x"


@needs_posix
def test_standard_output_in_a_pipe() -> None:
    code = "from pathlib import Path; from checks.sharing.files import write_whole; "
    code += "write_whole(Path('/dev/stdout'), b'hello')"
    assert subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True).stdout == b"hello"


@needs_posix
def test_a_pipe_with_a_reader_and_without(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):
        write_whole(path, b"x")
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(path, b"x")
        assert os.read(reader, 9) == b"x"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"x")

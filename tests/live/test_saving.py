"""A report is saved while each call of the system fails, and while the program is killed: the old file stays whole.

strace lets each call of the system that belongs to the saving fail, or kills the program at it. What is left of it is
gone as soon as somebody saves there again.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from support.extent import some

from checks.sharing.files import remove_left_parts, write_whole
from wizard.report.export import check_writable

ROOT = Path(__file__).resolve().parents[2]
MARK = "/the-saving-begins"
OLD, NEW = b"old" * 1000, b"new" * 100_000
SAVES = f"""
import os, sys
from pathlib import Path
from checks.sharing.files import write_whole
os.path.exists({MARK!r})
try:
    write_whole(Path(sys.argv[1]), b"new" * 100_000)
except OSError:
    sys.exit(3)
os.path.exists({MARK!r})
"""
CALLS = ("openat", "flock", "chmod", "fchmod", "write", "fsync", "rename", "close", "newfstatat", "getdents64")
ERRORS = ("ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT", "EINTR", "EXDEV", "EBUSY", "EFBIG", "EMFILE")


def strace(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    quick = [] if any("KILL" in option for option in options) else ["--seccomp-bpf"]  # it injects no signal
    command = ["strace", "-f", *quick, "-qq", "-o", str(path.parent.parent / "trace"), *options]
    done = subprocess.run(
        [*command, sys.executable, "-S", "-c", SAVES, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if "ptrace" in done.stderr:
        pytest.skip("this machine lets nothing be traced")
    return done


def calls_of_saving(path: Path) -> list[tuple[str, int]]:
    """The calls between the marks, each with its number among all calls of its name."""
    strace(path, "-e", "trace=" + ",".join(f"?{name}" for name in (*CALLS, "stat", "access")))
    count: Counter[str] = Counter()
    found, is_saving = [], False
    for line in (path.parent.parent / "trace").read_text().splitlines():
        if MARK in line:
            is_saving = not is_saving
        name = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if name:
            count[name[1]] += 1
            if is_saving and MARK not in line and name[1] in CALLS:
                found.append((name[1], count[name[1]]))
    return found


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("kind", ["fails", "is killed"])
@pytest.mark.parametrize("exists", [True, False], ids=["over an old file", "a new file"])
def test_every_call_of_the_system(tmp_path: Path, kind: str, exists: bool) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    path = folder / "report.json"
    if exists:
        path.write_bytes(OLD)
    calls = calls_of_saving(path)
    assert {"openat", "write", "fsync", "rename"} <= {name for name, _ in calls}
    assert path.read_bytes() == NEW
    left = 0
    for place, (name, number) in enumerate(calls if exists else some(calls, 8)):
        path.unlink(missing_ok=True)
        if exists:
            path.write_bytes(OLD)
        how = "signal=KILL" if kind == "is killed" else f"error={ERRORS[place % len(ERRORS)]}"
        done = strace(path, "-e", f"trace={name}", "-e", f"inject={name}:{how}:when={number}")
        if kind == "is killed":
            assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL), (name, number, done.stderr)
        now = path.read_bytes() if path.exists() else None
        assert now in ((OLD if exists else None), NEW), (name, number)
        assert now == NEW or done.returncode, (name, number, "nothing was saved, and nothing was said")
        assert kind == "is killed" or done.returncode in (0, 3), (name, number, done.stderr)  # as its callers expect it
        left += len(list(folder.glob(".naosu-*")))
        check_writable(path)
        assert {entry.name for entry in folder.iterdir()} <= {path.name}, (name, number)
    assert left > 0 or kind == "fails"  # else nothing was shown


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """Not at a call, but in a loop that saves without end."""
    path = tmp_path / "report.json"
    path.write_bytes(OLD)
    endless = SAVES.replace("try:", "while True:\n    print(1, end='', flush=True)").partition("except")[0]
    for turn in range(1, 13):
        process = subprocess.Popen([sys.executable, "-c", endless, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.read(turn)
        process.kill()
        process.wait()
        process.stdout.close()
        assert path.read_bytes() in (OLD, NEW)
    write_whole(path, OLD)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="locks as POSIX has them")
def test_what_somebody_is_writing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def another_saves(descriptor: int) -> None:
        monkeypatch.undo()
        write_whole(tmp_path / "other.json", b"other")
        remove_left_parts(tmp_path)
        seen.extend(entry.name for entry in tmp_path.iterdir() if entry.suffix == ".part")

    monkeypatch.setattr("checks.sharing.files.os.fsync", another_saves)
    write_whole(tmp_path / "report.json", NEW)
    assert len(seen) == 1
    assert {entry.name for entry in tmp_path.iterdir()} == {"report.json", "other.json"}


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("what", ["the part", "the report", "an old part"])
def test_a_link_that_is_swapped_in_leads_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    folder, victim = tmp_path / "reports", tmp_path / "victim"
    folder.mkdir()
    victim.write_bytes(b"private")
    victim.chmod(0o600)
    path = folder / "report.json"
    path.write_bytes(OLD)
    path.chmod(0o666)
    if what == "an old part":
        (folder / ".naosu-0123456789abcdef.part").symlink_to(victim)

    def swap(*_: object) -> None:
        if what == "the report":
            path.unlink()
            path.symlink_to(victim)
        elif what == "the part":
            (part,) = folder.glob("*.part")
            part.unlink()
            part.symlink_to(victim)

    real = os.fchmod

    def fchmod(descriptor: int, mode: int) -> None:
        swap()
        real(descriptor, mode)

    monkeypatch.setattr("checks.sharing.files.os.fchmod", fchmod)
    write_whole(path, NEW)
    assert victim.read_bytes() == b"private"
    assert victim.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["report.part", ".naosu-1.part", ".naosu-0123456789abcdef.part.txt", "naosu.part"])
def test_files_of_others_stay(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"mine")
    write_whole(tmp_path / "report.json", NEW)
    assert (tmp_path / name).read_bytes() == b"mine"

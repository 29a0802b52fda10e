"""A program that already runs is looked at, and left as it is."""

import contextlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest

from checks.engine.watch import running
from checks.engine.watch.connection import Listened
from checks.engine.watch.outside import packages_in
from checks.engine.watch.program import ProgramTask, watch_program
from checks.engine.watch.running import NotRunning, look_at, named, running_programs
from checks.engine.watch.waiting import waits_for
from checks.facts import ProgramEnd, ProgramRun

BRIEF = 0.2
WAITS = "import sys; print('here', flush=True); sys.stdin.read()"


@contextlib.contextmanager
def program(code: str, *words: str | bytes) -> Iterator[subprocess.Popen[bytes]]:
    """A Python that runs until it is left."""
    command = [sys.executable, "-c", code, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline().strip() == b"here"
        yield process


def native_code_of(package: str, place: Path) -> str:
    """Statements that load an extension module as if it were of this package."""
    folder = place / "site-packages" / package
    folder.mkdir(parents=True)
    shutil.copy(Path(msgspec._core.__file__), folder / "native.so")
    return f"import ctypes; ctypes.CDLL({str(folder / 'native.so')!r}); "


def test_it_is_seen_and_left_as_it_is(tmp_path: Path) -> None:
    with program(native_code_of("torch", tmp_path) + WAITS) as process:
        seen = look_at(process.pid, BRIEF)
        assert process.poll() is None
    assert (seen.end, seen.failed, seen.worked) == (ProgramEnd.RUNNING, False, False)
    assert (seen.command[0], seen.interpreter) == (sys.executable, sys.executable)
    assert "torch" in {module.name for module in seen.pythons[0].modules}
    assert not seen.gpu_processes
    assert (seen.gpu_untouched_for or 0) >= BRIEF
    assert not seen.left_gpu_alone, "of so short a look nothing can be said"
    assert seen.processor is not None


def test_what_it_started_belongs_to_it() -> None:
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WAITS!r}])"
    with program(child) as process:
        seen = look_at(process.pid, BRIEF)
        assert seen.processes == 2
        assert process.stdin
        process.stdin.close()


def test_one_that_is_over() -> None:
    with program(WAITS) as process:
        pid = process.pid
    with pytest.raises(NotRunning, match="process-none"):
        look_at(pid)
    with pytest.raises(NotRunning, match="process-none"):
        named(str(pid))


def test_one_that_ends_meanwhile() -> None:
    with program(WAITS) as process:

        def ends() -> bool:
            assert process.stdin
            process.stdin.close()
            process.wait()
            return False

        assert look_at(process.pid, 5.0, cancelled=ends).detail == "gone"


def test_named_by_a_part_of_its_command_line() -> None:
    word = "a-word-that-no-other-program-has"
    with program(WAITS, word) as process:
        assert named(word) == process.pid
        with program(WAITS, word), pytest.raises(NotRunning, match="process-several") as several:
            named(word)
        assert str(process.pid) in several.value.values["found"]
    with pytest.raises(NotRunning, match="process-none"):
        named(word)


def test_one_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_: psutil.Process) -> list[str]:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil.Process, "cmdline", denied)
    with program(WAITS) as process, pytest.raises(NotRunning, match="process-denied"):
        look_at(process.pid)


def test_those_that_may_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with program(native_code_of("torch", tmp_path) + WAITS) as computes, program(WAITS) as other:
        found = {each.pid: each for each in running_programs()}
        assert found[computes.pid].packages == ("torch",)
        assert found[computes.pid].on_gpu is False
        assert other.pid not in found
        monkeypatch.setattr(running, "has_gpu_open", lambda pid: pid == other.pid)
        assert running_programs()[0].pid == other.pid


def test_packages_of_native_code() -> None:
    files = ["/v/lib/python3.11/site-packages/torch/lib/libtorch.so", r"C:\v\Lib\site-packages\jaxlib\_jax.pyd"]
    assert packages_in([*files, "/usr/lib/libc.so.6"]) == ("jaxlib", "torch")


@pytest.mark.parametrize("word", ["\u00b2", "9" * 20, "9" * 5000])
def test_a_number_that_no_process_has(word: str) -> None:
    with pytest.raises(NotRunning) as caught:
        named(word)
    assert caught.value.key == "process-none"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere command lines are text")
def test_a_command_line_of_no_encoding_can_be_written_down() -> None:
    with program(WAITS, b"caf\xe9") as process:
        seen = look_at(process.pid, 0)
    assert msgspec.json.decode(msgspec.json.encode(seen), type=ProgramRun) == seen


def test_one_look_does_not_tell_how_busy_it_is() -> None:
    with program(WAITS) as process:
        assert look_at(process.pid, 0).processor is None


LOCKED = "import threading; print('here', flush=True); lock = threading.Lock(); lock.acquire(); lock.acquire()"
SLEEPS = "import time; print('here', flush=True); time.sleep(60)"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPS!r}])"
BUSY = "print('here', flush=True)\nwhile True: pass"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waits for")
@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        pytest.param(LOCKED, ("lock",), id="lock"),
        pytest.param(WAITS, ("input",), id="input"),
        pytest.param(SLEEPS, ("sleep",), id="sleep"),
        pytest.param(BUSY, (), id="computes"),
        pytest.param(
            f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPS!r}])",
            ("events", "sleep"),
            id="of-a-child",
        ),
    ],
)
def test_what_it_waits_for(code: str, kinds: tuple[str, ...]) -> None:
    with program(code) as process:
        end = time.monotonic() + 30
        while kinds and not waits_for(process.pid) and time.monotonic() < end:
            pass  # it has said that it is here, and is about to wait
        seen = look_at(process.pid, BRIEF)
        for child in psutil.Process(process.pid).children():
            child.kill()
        process.kill()
    assert set(seen.waits_for) <= {*kinds, "child"}
    assert bool(seen.waits_for) == bool(kinds)


SERVES = """
import http.server, threading
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
thread = threading.Thread(target=server.serve_forever)
thread.start()
print("here", flush=True)
thread.join()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process waits for")
@pytest.mark.parametrize(("code", "waits_for"), [(LOCKED, ("lock",)), (SERVES, ("network",)), (BUSY, ())])
def test_what_a_program_waits_for_at_the_end_of_its_time(code: str, waits_for: tuple[str, ...], tmp_path: Path) -> None:
    """A server waits for whoever calls, whatever its main thread does."""
    task = ProgramTask(command=(sys.executable, "-c", code), folder=tmp_path, seconds=2.0)
    seen = watch_program(task, Listened(lambda *_: None))
    assert (seen.end, seen.waits_for, (seen.processor or 0) > 0.1) == (ProgramEnd.WATCHED, waits_for, not waits_for)
    assert seen.measured_for is not None
    assert 0.2 < seen.measured_for < 2.0


def test_what_is_no_process_waits_for_nothing() -> None:
    assert waits_for(2**31 - 1) == ""

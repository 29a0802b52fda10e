"""Interpreters that misbehave, made for real: each gives a ProbeRun, never an exception, and leaves nobody behind."""

import os
import shutil
import signal
import stat
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import msgspec
import psutil
import pytest
from support.warm_python import processes_left

from checks.engine.processes.runner import TAIL, Answer, ProbeTask, run_probe, signal_name
from checks.engine.processes.tree import MARK
from checks.engine.scripts import script_of
from checks.facts import ProbeRun

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the misbehaving programs are POSIX ones")

TORCH_PROBE = script_of("ask/torch")
LIMIT = 60.0  # seconds; far more than any of these needs, except those that are to run into it


@pytest.fixture(autouse=True)
def _nobody_left() -> Iterator[None]:
    yield
    assert processes_left() == []
    marked = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK, "").startswith(f"{os.getpid()}-"):  # others test beside us
                marked.append(process)
        except psutil.Error:
            continue
    assert marked == []


class Target:
    """A virtual environment of its own, with the modules that a test puts into it."""

    def __init__(self, folder: Path) -> None:
        venv.EnvBuilder(symlinks=True).create(folder)
        self.folder = folder
        self.python = str(folder / "bin" / "python")
        (self.site,) = folder.glob("lib/python*/site-packages")

    def torch(self, code: str) -> None:
        """A package torch whose import runs this code."""
        package = self.site / "torch"
        package.mkdir()
        (package / "version.py").write_text("__version__ = '2.6.0+cu124'\ncuda = '12.4'\nhip = None\ndebug = False\n")
        (package / "__init__.py").write_text(dedent(code))


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path / "venv")


def probe(
    interpreter: str,
    *,
    script: Path = TORCH_PROBE,
    limit: float = LIMIT,
    memory_limit: int | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    on_stage: Callable[[str], None] = lambda _: None,
) -> Answer:
    task = ProbeTask("torch", script, interpreter, time_limit=limit, memory_limit=memory_limit)
    answer = run_probe(task, cancelled=cancelled, on_stage=on_stage)
    msgspec.json.encode((answer.facts, answer.run))  # whatever it said can be written into a case
    return answer


def program(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        pytest.param("import ctypes; ctypes.string_at(0)", "SIGSEGV", id="null-pointer"),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGILL)", "SIGILL", id="illegal-instruction"),
        pytest.param("import os; os.abort()", "SIGABRT", id="abort"),
        pytest.param("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL", id="out-of-memory-killer"),
    ],
)
def test_crash_by_signal_while_importing(target: Target, code: str, name: str) -> None:
    target.torch(code)
    answer = probe(target.python)
    assert (answer.run.status, answer.run.signal) == ("crashed", name)
    assert answer.run.last_stage == "imported"
    assert not answer.run.stages[-1].ended
    # What the stages before it told is kept, and standard error names the line.
    assert answer.facts["cuda_version"] == "12.4"
    if name != "SIGKILL":
        assert "torch/__init__.py" in (answer.run.stderr_tail or "")


def test_crash_through_a_shell_wrapper(target: Target, tmp_path: Path) -> None:
    target.torch("import ctypes; ctypes.string_at(0)")
    wrapper = program(tmp_path / "python", f'#!/bin/sh\n"{target.python}" "$@"\n')
    run = probe(wrapper).run
    assert (run.status, run.signal) == ("crashed", "SIGSEGV")


def test_endless_loop_runs_into_the_time_limit_and_names_its_line(target: Target) -> None:
    target.torch("while True:\n    pass\n")
    run = probe(target.python, limit=2.0).run
    assert (run.status, run.last_stage) == ("timed-out", "imported")
    assert run.exit_code is None
    assert "torch/__init__.py" in (run.stderr_tail or "")


MEGABYTE = 1_000_000
EATS = "eaten = []\nwhile len(eaten) < 1500: eaten.append(b'x' * 1_000_000)\n"  # ends by itself where nobody ends it


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(EATS, id="itself"),
        pytest.param(
            f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {EATS + 'while True: pass'!r}])", id="child"
        ),
        pytest.param(
            "import mmap\nshared = mmap.mmap(-1, 1_500_000_000)\n"
            "for place in range(1500): shared.write(b'x' * 1_000_000)\nwhile True: pass",
            id="memory-that-can-be-shared",
        ),
    ],
)
def test_who_takes_too_much_memory_is_ended(target: Target, code: str) -> None:
    target.torch(code)
    answer = probe(target.python, memory_limit=300 * MEGABYTE)
    run = answer.run
    assert (run.status, run.memory_limit, run.last_stage) == ("too-much-memory", 300 * MEGABYTE, "imported")
    assert (run.exit_code, run.signal, run.detail) == (None, None, None)
    assert answer.facts["version"] == "2.6.0+cu124"  # what it told before is kept


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("eaten = b'x' * 100_000_000", id="less"),
        pytest.param(
            """
            import mmap
            with open("large", "wb") as file:
                file.truncate(1_000_000_000)
            with open("large", "rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                assert mapped.find(b"x") == -1
            """,
            id="file-that-is-mapped",
        ),
        pytest.param(
            """
            import mmap, sys
            no_reserve = 0x4000 if sys.platform == "linux" else 0x40
            reserved = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | no_reserve)
            """,
            id="address-space",
        ),
    ],
)
def test_what_takes_no_memory_from_others_is_not_counted(target: Target, code: str) -> None:
    target.torch(f"{dedent(code)}\nraise ImportError('to the end')")
    run = probe(target.python, memory_limit=300 * MEGABYTE).run
    assert (run.status, run.memory_limit) == ("failed", None)
    assert run.stages[-1].error is not None
    assert run.stages[-1].error.message == "to the end"


def test_cancel_in_mid_run_keeps_what_was_told(target: Target) -> None:
    target.torch("while True:\n    pass\n")
    begun: list[str] = []
    answer = probe(target.python, cancelled=lambda: "imported" in begun, on_stage=begun.append)
    assert answer.run.status == "cancelled"
    assert [stage.ended for stage in answer.run.stages] == [True, False]
    assert answer.facts["version"] == "2.6.0+cu124"


def test_cancelled_before_it_starts(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    run = probe(program(tmp_path / "python", f"#!/bin/sh\ntouch {witness}\n"), cancelled=lambda: True).run
    assert run.status == "cancelled"
    assert not witness.exists()


FAMILY = """
    import os, signal, subprocess, sys

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    endless = "import signal\\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\\nwhile True: signal.pause()"
    quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    family = [
        subprocess.Popen([sys.executable, "-c", endless]),
        subprocess.Popen([sys.executable, "-c", endless], start_new_session=True, **quiet),
        subprocess.Popen([sys.executable, "-c", endless], env={}, start_new_session=True, **quiet),
    ]
    if os.fork() == 0:  # its parent goes, so that it becomes an orphan in a session of its own
        os.setsid()
        orphan = subprocess.Popen([sys.executable, "-c", endless], **quiet)
        with open(PIDS + ".part", "w") as file:
            file.write(" ".join(str(each.pid) for each in [*family, orphan]))
        os.rename(PIDS + ".part", PIDS)
        os._exit(0)
"""


@pytest.mark.parametrize(
    ("end", "status"),
    [
        pytest.param("while True: pass", "cancelled", id="while-it-runs"),
        pytest.param("while not os.path.exists(PIDS): pass\nos._exit(3)", "crashed", id="after-it-ended"),
    ],
)
def test_everybody_that_it_started_is_ended(target: Target, tmp_path: Path, end: str, status: str) -> None:
    pids = tmp_path / "pids"
    family = dedent(FAMILY)
    if status == "crashed":
        # A process with an empty environment is found through its parent, and that one is gone here.
        family = family.replace("env={}, ", "")
    target.torch(f"PIDS = {str(pids)!r}\n{family}\n{end}\n")
    run = probe(target.python, cancelled=pids.exists if status == "cancelled" else lambda: False).run
    assert run.status == status
    numbers = [int(number) for number in pids.read_text().split()]
    assert len(numbers) == 4
    assert [number for number in numbers if psutil.pid_exists(number)] == []


def test_a_callback_that_raises_leaves_nobody_behind(target: Target) -> None:
    target.torch("while True:\n    pass\n")

    def broken(stage: str) -> None:
        raise RuntimeError(stage)

    with pytest.raises(RuntimeError, match="build"):
        probe(target.python, on_stage=broken)


def test_hundred_megabytes_of_output(target: Target) -> None:
    target.torch(
        """
        import sys
        for _ in range(50):
            sys.stdout.buffer.write(b"x" * 1_000_000)
            sys.stderr.buffer.write(b"y" * 999_999 + b"\\n")
        raise ImportError("enough")
        """
    )
    run = probe(target.python).run
    assert run.status == "failed"
    assert run.output_bytes == 100_000_000
    assert len(run.stderr_tail or "") <= TAIL
    (error,) = [stage.error for stage in run.stages if stage.error]
    assert (error.type, error.message) == ("ImportError", "enough")


def test_exit_0_without_a_word(tmp_path: Path) -> None:
    run = probe(program(tmp_path / "python", "#!/bin/sh\nexit 0\n")).run
    assert (run.status, run.exit_code, run.stages) == ("no-answer", 0, ())


def test_exit_0_in_the_middle_of_the_import(target: Target) -> None:
    target.torch("import os; os._exit(0)")
    run = probe(target.python).run
    assert (run.status, run.exit_code, run.last_stage) == ("crashed", 0, "imported")


def test_wrong_encoding_in_output_and_messages(target: Target) -> None:
    target.torch(
        """
        import sys
        sys.stderr.buffer.write("\u30c9\u30e9\u30a4\u30d0\u30fc".encode("cp932") + b"\\xff\\xfe\\n")
        raise ImportError("DLL load failed: \\udc8e\\udcb8 \u5931\u6557")
        """
    )
    run = probe(target.python).run
    assert run.status == "failed"
    (error,) = [stage.error for stage in run.stages if stage.error]
    assert error.message == "DLL load failed: ?? 失敗"
    assert "\ufffd" in (run.stderr_tail or "")


def test_prints_what_the_terminal_could_and_the_pipe_cannot(target: Target) -> None:
    target.torch("print('\\U0001f525 ready'); raise ImportError('reached')")
    task = ProbeTask("torch", TORCH_PROBE, target.python, environment={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    run = run_probe(task).run
    assert [stage.error.message for stage in run.stages if stage.error] == ["reached"]


def test_deleted_while_it_runs(target: Target) -> None:
    target.torch("import shutil, sys; shutil.rmtree(sys.prefix); import sqlite3, not_there_any_more")
    run = probe(target.python).run
    assert run.status == "failed"
    assert [stage.error.type for stage in run.stages if stage.error] == ["ModuleNotFoundError"]


def test_its_base_was_deleted(target: Target) -> None:
    Path(target.python).unlink()
    Path(target.python).symlink_to(target.folder / "gone" / "python3.11")
    run = probe(target.python).run
    assert run.status == "not-started"
    assert "FileNotFoundError" in (run.detail or "")


def _program_without_the_right(folder: Path) -> str:
    path = program(folder / "python", "#!/bin/sh\n")
    Path(path).chmod(stat.S_IRUSR)
    return path


@pytest.mark.parametrize(
    ("make", "status"),
    [
        pytest.param(lambda folder: str(shutil.which("ls")), "not-python", id="another-program"),
        pytest.param(lambda folder: program(folder / "python", "hello\n"), "not-python", id="text-that-may-be-run"),
        pytest.param(_program_without_the_right, "not-started", id="no-right-to-run-it"),
        pytest.param(str, "not-started", id="folder"),
        pytest.param(lambda folder: str(folder / "none"), "not-started", id="missing"),
        pytest.param(lambda folder: "python\0", "not-started", id="nul-in-the-path"),
        pytest.param(
            lambda folder: program(folder / "python", "\x7fELF" + "\0" * 200), "not-python", id="damaged-program"
        ),
    ],
)
def test_not_a_python(tmp_path: Path, make: Callable[[Path], str], status: str) -> None:
    run = probe(make(tmp_path)).run
    assert run.status == status


def test_a_python_that_cannot_find_itself(target: Target) -> None:
    # As after an update of the system's Python: the environment names a home that has no library any more.
    (target.folder / "pyvenv.cfg").write_text("home = /nonexistent/bin\n")
    shutil.copy(os.path.realpath(sys.executable), target.folder / "python-copy")
    Path(target.python).unlink()
    (target.folder / "python-copy").rename(target.python)
    task = ProbeTask("torch", TORCH_PROBE, target.python, environment={"PYTHONHOME": "/nonexistent"})
    run = run_probe(task).run
    assert (run.status, run.stages) == ("crashed", ())
    assert "encodings" in (run.stderr_tail or "")


def test_python_without_its_shared_library(tmp_path: Path) -> None:
    text = "#!/bin/sh\necho 'python: error while loading shared libraries: libpython3.11.so.1.0' >&2\nexit 127\n"
    run = probe(program(tmp_path / "python", text)).run
    assert run.status == "not-started"
    assert "libpython3.11.so.1.0" in (run.detail or "")


# The arguments are -B -u -X faulthandler HOST SCRIPT ANSWER ...: the answer file is the seventh.
@pytest.mark.parametrize(
    "writes",
    [
        pytest.param(r"printf '\377\376 no JSON\n\n{\n[1]\n' > $7", id="no-json"),
        pytest.param("head -c 3000 /dev/zero > $7", id="one-long-line"),
        pytest.param("head -c 20000000 /dev/zero > $7; exec sleep 1000", id="too-long"),
        pytest.param("head -c 100000 /dev/zero | tr '\\000' '[' > $7; echo >> $7", id="nested-without-end"),
        pytest.param("rm $7", id="takes-the-file-away"),
    ],
)
def test_unreadable_answers(tmp_path: Path, writes: str) -> None:
    answer = probe(program(tmp_path / "python", f"#!/bin/sh\n{writes}\n"))
    assert answer.run.status == "no-answer"
    assert answer.facts == {}


def test_what_a_probe_listened_to_is_kept_when_it_dies(target: Target, tmp_path: Path) -> None:
    script = tmp_path / "dies_probe.py"
    script.write_text(
        dedent(
            """
            import os
            from naosu_probes import kit

            def native(argument):
                with kit.Captured():
                    os.write(2, b"compiled to use AVX2 instructions")
                    os.abort()

            STAGES = (native,)
            ESSENTIAL = ()
            """
        )
    )
    run = probe(target.python, script=script).run
    assert (run.status, run.signal) == ("crashed", "SIGABRT")
    assert "compiled to use AVX2 instructions" in (run.stderr_tail or "")
    assert "dies_probe.py" in (run.stderr_tail or "")


# What a target may put in the place of the file in which a probe listens to standard error: $7 is the answer file.
@pytest.mark.parametrize(
    "puts",
    [
        pytest.param("mkfifo $7.stderr", id="pipe"),
        pytest.param("mkfifo $7.stderr; sleep 1000 3<>$7.stderr &", id="pipe-that-is-held-open"),
        pytest.param("ln -s $SECRET $7.stderr", id="link"),
        pytest.param("ln -s $SECRET $7.a; ln -s $7.a $7.stderr", id="link-to-a-link"),
        pytest.param("ln $SECRET $7.stderr", id="hard-link"),
        pytest.param("mv $SECRET $7.stderr", id="renamed"),
        pytest.param("ln -s /dev/zero $7.stderr", id="endless-device"),
        pytest.param("ln -s /dev/tty $7.stderr", id="terminal"),
        pytest.param("ln -s /proc/self/environ $7.stderr", id="our-environment"),
        pytest.param("ln -s answer.stderr $7.stderr", id="loop"),
        pytest.param("mkdir $7.stderr", id="folder"),
        pytest.param("f=${7%/answer}; mv $f $f.gone; ln -s ${SECRET%/*} $f", id="folder-of-another-name"),
        pytest.param("truncate -s 1T $7.stderr", id="huge-with-holes"),
        pytest.param("true", id="nothing"),
    ],
)
@pytest.mark.parametrize("end", ["exit 1", "exec sleep 1000"])
def test_what_lies_in_the_place_of_our_files_is_neither_waited_for_nor_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, puts: str, end: str
) -> None:
    secret = tmp_path / "answer.stderr"
    secret.write_text("not for anybody")
    monkeypatch.setenv("SECRET", str(secret))
    monkeypatch.setenv("NOT_FOR_ANYBODY", "not for anybody")
    began = tmp_path / "began"
    target = program(tmp_path / "python", f"#!/bin/sh\nrm -f $7.stderr\n{puts}\ntouch {began}\n{end}\n")
    answer = probe(target, cancelled=began.exists if "sleep" in end else lambda: False)
    assert answer.run.status == ("cancelled" if "sleep" in end else "not-python")
    assert (answer.run.stderr_tail or "").strip("\0") == ""
    for left in Path(tempfile.gettempdir()).glob("naosu-*.gone"):
        shutil.rmtree(left)


@pytest.mark.parametrize(
    "leaves",
    [
        "for _ in range(3000): os.mkdir('d'); os.chdir('d')",
        "os.mkdir('d'); os.symlink(os.getcwd(), 'd/up'); os.symlink('/', 'root'); os.mkfifo('p')",
        "os.mkdir('d'); os.mkdir('d/d'); os.chmod('d', 0)",
        "os.rmdir(os.getcwd()) if not os.listdir() else __import__('shutil').rmtree(os.getcwd())",
        "open('-\\n\\x1b', 'w'); open(b'\\xff', 'w')",
    ],
)
def test_whatever_it_leaves_in_our_folder_goes(target: Target, tmp_path: Path, leaves: str) -> None:
    folder = tmp_path / "folder"
    noted = f"with open({str(folder)!r}, 'w') as file: file.write(os.getcwd())"
    target.torch(f"import os\n{noted}\n{leaves}\nraise ImportError('ok')")
    assert probe(target.python).run.status == "failed"
    assert Path(folder.read_text()).name.startswith("naosu-")
    assert not Path(folder.read_text()).exists()


def test_parts_that_were_told_before_a_crash_are_kept(target: Target, tmp_path: Path) -> None:
    script = tmp_path / "parts_probe.py"
    script.write_text(
        dedent(
            """
            import os

            def first(argument):
                return {"a": 1, "unread": {"x": "reason"}}

            def refuses(argument):
                raise SystemExit("no")

            def unsayable(argument):
                return {("a", "tuple"): 1}

            def parts(argument):
                yield {"b": 1, "unread": {"y": "reason"}}
                yield {"b": 2}
                os.abort()

            STAGES = (first, refuses, unsayable, parts)
            ESSENTIAL = ("first",)
            """
        )
    )
    answer = probe(target.python, script=script)
    assert answer.facts == {"a": 1, "b": 2, "unread": {"x": "reason", "y": "reason"}}
    assert [stage.error.type if stage.error else None for stage in answer.run.stages] == [
        None,
        "SystemExit",
        "TypeError",
        None,
    ]
    assert answer.run.last_stage == "parts"


def test_the_healthy_case(tmp_path: Path) -> None:
    script = tmp_path / "well_probe.py"
    script.write_text(
        "def well(argument):\n    return {'said': argument['say']}\n\nSTAGES = (well,)\nESSENTIAL = ('well',)\n"
    )
    told: list[str] = []
    task = ProbeTask("well", script, sys.executable, {"say": '"quotes" & 日本語'})
    answer = run_probe(task, on_stage=told.append)
    assert answer.facts == {"said": '"quotes" & 日本語'}
    assert told == ["well"]
    run = msgspec.structs.replace(answer.run, seconds=None, stages=())
    assert run == ProbeRun(
        origin="well_probe.py", probe="well", interpreter=sys.executable, exit_code=0, output_bytes=0
    )
    assert [stage.ended for stage in answer.run.stages] == [True]


def test_signal_names() -> None:
    assert signal_name(-signal.SIGBUS) == "SIGBUS"
    assert signal_name(128 + signal.SIGFPE) == "SIGFPE"
    assert signal_name(-99) == "signal 99"
    assert signal_name(1) is None
    assert signal_name(0) is None

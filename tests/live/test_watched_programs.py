"""Real programs under the watch: they behave as without us, we know how they ended, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import msgspec
import psutil
import pytest

from checks.facts import ProgramRun

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals, forks and terminals of POSIX")

DRIVER = Path(__file__).parents[1] / "support" / "watched.py"
PYTHON = getattr(sys, "_base_executable", sys.executable)  # no environment of ours: that one is left out on purpose

Watch = Callable[..., tuple[subprocess.CompletedProcess[bytes], ProgramRun]]


@pytest.fixture
def watch(naosu_python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Run a command under the watch, as `naosu run` does it."""
    for variable, value in os.environ.items():  # what names our own environment is left out on purpose
        if sys.prefix in value and variable != "PATH":
            monkeypatch.delenv(variable)
    paths = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(path for path in paths if not path.startswith(sys.prefix)))

    def run(*command: str, seconds: str = "0", **how: object) -> tuple[subprocess.CompletedProcess[bytes], ProgramRun]:
        file = tmp_path / "run.json"
        own = [naosu_python, "-I", str(DRIVER), str(file), seconds, str(tmp_path), *command]
        done = subprocess.run(own, check=False, **{"capture_output": True, "stdin": subprocess.DEVNULL, **how})
        assert done.returncode == 0, done.stderr
        return done, msgspec.json.decode(file.read_bytes(), type=ProgramRun)

    return run


BEHAVIOURS = {
    "prints": "print('out'); import sys; print('err', file=sys.stderr)",
    "raises": "def f(x): return 1 / x\nprint('before')\nf(0)",
    "raises-in-turn": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e",
    "fails-to-import": "import no_such_module_at_all",
    "is-no-python": "def f(:\n    pass",
    "ends-with-a-code": "import sys; sys.exit(3)",
    "ends-with-words": "import sys; sys.exit('no')",
    "leaves-at-once": "import os; print('x', flush=True); os._exit(4)",
    "is-killed": "import os, signal; print('x', flush=True); os.kill(os.getpid(), signal.SIGKILL)",
    "ends-by-term": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "crashes": "import ctypes; print('x', flush=True); ctypes.string_at(0)",
    "aborts": "import os; os.abort()",
    "hears-its-own-crash": "import faulthandler, ctypes, sys; faulthandler.enable(file=open('own', 'w'));"
    "ctypes.string_at(0)",
    "becomes-another": "import os, sys; os.execv(sys.executable, [sys.executable, '-c', 'import sys; sys.exit(7)'])",
    "forks": "import os\npid = os.fork()\nif not pid:\n    print('child'); raise SystemExit(5)\n"
    "print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
    "uses-processes": "import multiprocessing as m\nif __name__ == '__main__':\n    with m.get_context('spawn').Pool(2)"
    " as p: print(p.map(abs, [-1, -2]))",
    "starts-another": "import subprocess, sys; print(subprocess.run([sys.executable, '-c', 'import os, sys; "
    'print(os.environ.get("PYTHONPATH"), "sitecustomize" in sys.modules); 1/0\'], capture_output=True).stdout)',
    "reads": "import sys; print(repr(sys.stdin.read()))",
    "is-no-terminal": "import sys; print([s.isatty() for s in (sys.stdin, sys.stdout, sys.stderr)])",
    "looks-around": "import os, sys; print(sys.path, sys.argv, sys.flags, os.getcwd());"
    "print(sorted({*sys.modules} - {'atexit', 'faulthandler'}));"
    "print({k: v for k, v in os.environ.items() if k != 'NAOSU_PROBE'})",
    "opens-files": "import os; print([os.open(os.devnull, 0) for _ in range(90)])",
    "ends-in-its-own-way": "import atexit, sys\natexit.register(print, 'last')\n"
    "sys.excepthook = lambda *a: print('mine', a[:2])\nraise KeyError(1)",
    "has-no-hook": "import sys; print(sys.excepthook is sys.__excepthook__, hasattr(sys, 'last_value'))",
    "closes-all": "import os, sys; os.closerange(3, 2000); print('x', flush=True); sys.exit(2)",
    "closes-its-streams": "import os; print('x', flush=True); os.close(1); os.close(2)",
    "prints-no-text": "import sys; sys.stdout.buffer.write(bytes(range(256)) * 100)",
    "prints-much": "import sys\nfor i in range(40_000): print(i, 'Warning: ' * 5)\nsys.stderr.write('x' * 2_000_000)",
}


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        *((name, ()) for name in BEHAVIOURS),
        *(("looks-around", (flag,)) for flag in ("-I", "-E", "-S")),
        ("crashes", ("-I",)),
    ],
)
def test_it_behaves_as_without_us(
    name: str, flags: tuple[str, ...], watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prog.py").write_text(BEHAVIOURS[name])
    monkeypatch.delenv("PYTHONPATH", raising=False)
    command = [PYTHON, *flags, "prog.py", "--json", "x"]
    how = {"input": b"one\ntwo", "stdin": None} if name == "reads" else {}
    plain = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=False, **{"stdin": subprocess.DEVNULL, **how}
    )
    done, run = watch(*command, **how)
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)
    code = -signal.Signals[run.signal] if run.signal and run.exit_code is None else run.exit_code
    assert code == plain.returncode
    assert run.interpreter == PYTHON
    assert run.output_bytes == len(plain.stdout)


@pytest.mark.parametrize("value", [None, "", "{here}", "{here}/a::{here}/b"])
def test_pythonpath_is_as_it_was(
    value: str | None, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import os, sys; print(repr(os.environ.get('PYTHONPATH')), sys.path)"
    if value is None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONPATH", value.format(here=tmp_path))
    plain = subprocess.run([PYTHON, "-c", program], cwd=tmp_path, capture_output=True, check=True).stdout
    assert watch(PYTHON, "-c", program)[0].stdout == plain


@pytest.mark.parametrize(
    "own",
    ["print('mine'); import sys; print(sys.path[0])", "raise ValueError('broken')", "import no_such_module", "def f(:"],
)
def test_the_users_own_sitecustomize_runs(
    own: str, watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text(own)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "own"))
    program = "import sitecustomize; print(sitecustomize.__file__)"
    plain = subprocess.run([PYTHON, "-c", program], cwd=tmp_path, capture_output=True, check=False)
    done, _ = watch(PYTHON, "-c", program)
    assert (done.stdout, done.stderr) == (plain.stdout, plain.stderr)


def test_the_exception_is_told_with_its_frames(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text(BEHAVIOURS["raises-in-turn"])
    _, run = watch(PYTHON, "prog.py")
    assert run.failed
    assert run.raised is not None
    assert (run.raised.type, run.raised.message) == ("ValueError", "b")
    assert run.raised.frames[-1].line == 4
    assert run.raised.frames[-1].code == "raise ValueError('b') from e"
    assert [earlier.type for earlier in run.pythons[0].led_there] == ["KeyError"]
    assert run.pythons[0].is_complete


def test_a_syntax_error_is_told_with_its_place(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("\nimport os\ndef f(:\n")
    raised = watch(PYTHON, "prog.py")[1].raised
    assert raised is not None
    assert (raised.type, raised.frames[-1].line) == ("SyntaxError", 3)


def test_an_error_that_ended_nothing_is_none(watch: Watch) -> None:
    program = "import sys; sys.last_value = sys.last_exc = ValueError(); print('on')"
    _, run = watch(PYTHON, "-c", program)
    assert run.worked
    assert run.raised is None


def test_modules_and_warnings_are_told(watch: Watch) -> None:
    program = "import json.decoder, warnings; warnings.warn('old way', FutureWarning)"
    _, run = watch(PYTHON, "-c", program)
    (python,) = run.pythons
    assert any(module.name == "json" and module.file.endswith("__init__.py") for module in python.modules)
    assert python.warnings == ("FutureWarning: old way",)
    if sys.platform == "linux":
        assert any("libc" in library for library in python.libraries or ())


def test_a_lazy_module_stays_unloaded(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "lazy.py").write_text("print('loaded')")
    program = """
        import importlib.util, sys
        spec = importlib.util.find_spec("lazy"); loader = importlib.util.LazyLoader(spec.loader); spec.loader = loader
        module = importlib.util.module_from_spec(spec); sys.modules["lazy"] = module; loader.exec_module(module)
    """
    done, run = watch(PYTHON, "-c", textwrap.dedent(program))
    assert done.stdout == b""
    assert any(module.name == "lazy" for module in run.pythons[0].modules)


def test_a_crash_tells_where(watch: Watch) -> None:
    _, run = watch(PYTHON, "-c", BEHAVIOURS["crashes"])
    assert run.signal == "SIGSEGV"
    assert "string_at" in run.pythons[0].crash
    assert not run.pythons[0].is_complete


def test_behind_a_shell_the_signal_is_known(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "prog.sh").write_text(f"'{PYTHON}' -c 'import os; os.abort()'\nexit $?\n")
    _, run = watch("sh", "prog.sh")
    assert (run.exit_code, run.signal) == (134, "SIGABRT")
    assert run.interpreter == PYTHON
    assert run.processes == 2


def test_without_the_hook_it_is_seen_from_outside(watch: Watch) -> None:
    _, run = watch(PYTHON, "-I", "-c", "import sys; sys.stdin.read(); 1/0")
    assert run.detail == "no-hook"
    assert run.interpreter == PYTHON
    assert run.raised is None


@pytest.mark.parametrize("name", ["torchrun", "poetry"])
def test_a_launcher_leaves_the_hook_to_its_children(name: str, watch: Watch, tmp_path: Path) -> None:
    child = tmp_path / "child.py"
    child.write_text("import subprocess, sys\nsubprocess.run([sys.executable, '-c', '2/0'])\n1/0")
    (tmp_path / name).write_text(f"import subprocess, sys\nsys.exit(subprocess.call([sys.executable, {str(child)!r}]))")
    _, run = watch(PYTHON, name)
    seen = [python for python in run.pythons if python.version]  # the program's own child may be seen from outside
    assert [(python.is_launcher, python.raised and python.raised.type) for python in seen] == [
        (True, None),
        (False, "ZeroDivisionError"),
    ]
    assert run.raised is not None
    assert run.raised.frames[0].file == str(child)


DETACHED = """
import os, signal, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
open("pid", "w").write(str(os.getpid()))
null = os.open(os.devnull, os.O_RDWR)
for fd in (0, 1, 2): os.dup2(null, fd)
os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
"""


def test_what_detaches_itself_is_ended(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "detach.py").write_text(DETACHED)
    wait = "import os, time\nwhile not (os.path.exists('pid') and open('pid').read()): time.sleep(0.01)"
    _, run = watch("sh", "-c", f"'{PYTHON}' detach.py; '{PYTHON}' -c \"{wait}\"", seconds="0,0.3")
    assert run.exit_code == 0
    assert run.detail == "left-running"
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("ignoring", [False, True])
def test_what_runs_for_ever_is_watched_for_its_time(ignoring: bool, watch: Watch, tmp_path: Path) -> None:
    program = f"""
        import os, signal, sys, time
        if {ignoring}:
            for number in (signal.SIGINT, signal.SIGTERM): signal.signal(number, signal.SIG_IGN)
        open("pid", "w").write(str(os.getpid()))
        print("ready", flush=True)
        while True: time.sleep(1)
    """
    done, run = watch(PYTHON, "-c", textwrap.dedent(program), seconds="1,0.2" if ignoring else "1")
    assert (run.end, run.exit_code, run.signal, run.failed) == ("watched", None, None, False)
    assert done.stdout == b"ready\n"
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))
    if not ignoring:
        raised = run.pythons[0].raised
        assert raised is not None
        assert raised.frames[-1].line == 7
    assert run.pythons[0].is_complete is not ignoring


def test_what_cannot_be_started_is_a_run(watch: Watch, tmp_path: Path) -> None:
    (tmp_path / "moved").write_text("#!/no/such/python\n")
    (tmp_path / "moved").chmod(0o755)
    _, run = watch("./moved")
    assert run.end == "not-started"
    assert run.failed
    assert "No such file" in run.detail


def test_who_stops_reading_is_met_by_the_program(tmp_path: Path) -> None:
    """As `prog | head -1` without us: the program is told that nobody reads."""
    file = tmp_path / "run.json"
    endless = "import itertools\nfor i in itertools.count(): print(i)"
    own = [sys.executable, "-I", str(DRIVER), str(file), "60", str(tmp_path), PYTHON, "-c", endless]
    with subprocess.Popen(own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.wait(30) == 0
    run = msgspec.json.decode(file.read_bytes(), type=ProgramRun)
    assert run.end == "ended"
    assert run.raised is not None
    assert run.raised.type == "BrokenPipeError"


def test_streams_that_are_one_stay_in_order(watch: Watch) -> None:
    program = "import os\nfor i in range(500): os.write(1 + i % 2, b'%d\\n' % i)"
    done, run = watch(PYTHON, "-c", program, capture_output=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.stdout.split() == [b"%d" % number for number in range(500)]
    assert run.errors.split()[-1] == "499"
    assert run.output == ""


def test_a_gigabyte_passes_in_bounded_memory(watch: Watch) -> None:
    size = 1 << (30 if os.environ.get("NAOSU_TESTS") == "all" else 26)
    program = f"""
        import sys
        line = b"x" * 79 + b"\\n"
        block = line * 800
        for number in range({size} // len(block)):
            sys.stdout.buffer.write(block)
            if number == 500: sys.stdout.buffer.write(b"RuntimeError: in the middle\\n")
    """
    done, run = watch(PYTHON, "-c", textwrap.dedent(program), stdout=subprocess.DEVNULL, capture_output=False)
    assert done.returncode == 0
    assert run.output_bytes >= size // 64_000 * 64_000
    assert len(run.output) < 100_000
    assert "RuntimeError: in the middle" in run.output


ON_A_TERMINAL = """
import os, sys, termios, time, tty
print([stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)], os.get_terminal_size().columns)
print("got", input("name? "))
modes = termios.tcgetattr(0)
tty.setraw(0)
print("key?", end="", flush=True)
key = os.read(0, 1)
termios.tcsetattr(0, termios.TCSADRAIN, modes)
print("key", key, open("/dev/tty").isatty())
try:
    print("waits", flush=True)
    while True: time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(5)
"""


def test_on_a_terminal_it_has_one(tmp_path: Path) -> None:
    """The size of the window, lines, raw keys, Ctrl+C."""
    import pty
    import termios

    file = tmp_path / "run.json"
    (tmp_path / "prog.py").write_text(ON_A_TERMINAL)
    own = [sys.executable, "-I", str(DRIVER), str(file), "60", str(tmp_path), PYTHON, "prog.py"]
    child, screen = pty.fork()
    if child == 0:
        termios.tcsetwinsize(0, (33, 111))
        os.execv(own[0], own)
    seen = b""
    for awaited, typed in ((b"name? ", b"Ann\r"), (b"key?", b"q"), (b"waits", b"\x03"), (b"interrupted", b"")):
        while awaited not in seen:
            seen += os.read(screen, 4096)
        os.write(screen, typed)
    assert os.waitpid(child, 0)[1] == 0
    os.close(screen)
    text = seen.decode()
    assert "[True, True, True] 111" in text
    assert "got Ann" in text
    assert "key b'q' True" in text
    run = msgspec.json.decode(file.read_bytes(), type=ProgramRun)
    assert run.exit_code == 5
    assert "interrupted" in run.errors

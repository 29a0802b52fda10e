"""A Python that has imported already what takes long, and starts in a moment.

A server imports the modules once. ``WarmPython.path`` is an executable that may stand wherever a test would start
``sys.executable`` (``-c``, ``-m`` or a file, with flags before it): the server forks a process that has the folder, the
variables and the streams of whoever started it, and runs that there. The executable ends as that process ends, and
that process with it.

Not for tests of what Python does before the first line of a program, of limits, or of what is left behind.
"""

import contextlib
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
import types
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

SERVERS: set[int] = set()  # processes of this one that no test has left behind
_WITH_VALUE = {"-X", "-W"}
_CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
socket.send_fds(server, [b"?"], [0, 1, 2])
server.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode() + b"\\n")
status = int(server.makefile().readline() or -9)
if status < 0:
    signal.signal(-status, signal.SIG_DFL) if status not in (-9, -19) else None
    os.kill(os.getpid(), -status)
os._exit(status)
"""


class WarmPython:
    """The server, and the executable that asks it."""

    def __init__(self, folder: Path, modules: Sequence[str], environment: Mapping[str, str]) -> None:
        self.path = folder / "python"
        address = str(folder / "warm")
        self.path.write_text(_CLIENT.format(python=sys.executable, address=address))
        self.path.chmod(0o755)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(address)
            listener.listen(64)
            command = [sys.executable, __file__, str(listener.fileno()), *modules]
            self.process = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[listener.fileno()],
                cwd="/",
            )
        assert self.process.stdout is not None
        with self.process.stdout as told:  # no test waits in its own time, which may be limited
            assert told.read(), "the server has ended"
        SERVERS.add(self.process.pid)

    def close(self) -> None:
        """End it."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def processes_left() -> list[psutil.Process]:
    """What runs below this process, apart from the servers."""
    return [child for child in psutil.Process().children(recursive=True) if child.pid not in SERVERS]


class _Server:
    """Forks a process for each connection; single-threaded, so that there is nothing that a fork could break."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._running: dict[int, socket.socket] = {}
        self._woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Until standard input is closed: whoever started us has ended."""
        while True:
            ready, _, _ = select.select([0, self._woken, self._listener, *self._running.values()], [], [])
            if 0 in ready:
                break
            for pid, connection in list(self._running.items()):
                if connection in ready:  # the executable was killed
                    self._kill(pid)
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._answer_ended()
            if self._listener in ready:
                self._accept()
        for pid in self._running:
            self._kill(pid)

    @staticmethod
    def _kill(pid: int) -> None:
        for kill in (os.killpg, os.kill):  # with all that it started, and where it has no group of its own yet
            with contextlib.suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)

    def _answer_ended(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitpid(-1, os.WNOHANG):
                pid, status = ended
                if not pid:
                    break
                connection = self._running.pop(pid)
                with connection, contextlib.suppress(OSError):
                    connection.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        _, streams, _, _ = socket.recv_fds(connection, 1, 3)
        if len(streams) == 3:
            with connection.makefile("rb") as lines:
                request = json.loads(lines.readline() or "null")
            pid = os.fork() if request else 0
            if request and not pid:
                _become(*request, streams)
            if request:
                self._running[pid] = connection
        for stream in streams:
            os.close(stream)


def _become(arguments: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    """This process as a new one of these arguments."""
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(64, *streams) + 1)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stdout.reconfigure(line_buffering=os.isatty(1), write_through="-u" in arguments)
        sys.stderr.reconfigure(line_buffering=True)
        sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
        _run(arguments)
        status = 0
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            status = ended.code or 0
        else:
            print(ended.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - as a new process would end
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
    finally:
        with contextlib.suppress(BaseException):
            threading._shutdown()  # type: ignore[attr-defined]
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = status or 120
        os._exit(status & 0xFF)


def _run(arguments: list[str]) -> None:
    flags: list[str] = []
    while arguments and arguments[0].startswith("-") and arguments[0] not in ("-c", "-m", "-"):
        flags.append(arguments.pop(0))
        if flags[-1] in _WITH_VALUE:
            flags.append(arguments.pop(0))
    for place, flag in enumerate(flags):
        if flag == "-W":
            warnings.simplefilter(flags[place + 1])  # type: ignore[arg-type]
    given = "" if "-I" in flags else os.environ.get("PYTHONPATH", "")
    own = [path for path in given.split(os.pathsep) if path]
    kind, *rest = arguments
    first = {"-c": "", "-m": str(Path.cwd())}.get(kind, str(Path(kind).absolute().parent))
    sys.path[:0] = own
    if any(Path(folder, "sitecustomize.py").exists() for folder in own):
        importlib.import_module("sitecustomize")
    if not {"-P", "-I"} & {*flags}:
        sys.path.insert(0, first)
    if kind == "-c":
        sys.argv = ["-c", *rest[1:]]
        main: Any = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        exec(compile(rest[0], "<string>", "exec"), main.__dict__)
    elif kind == "-m":
        sys.argv = ["-m", *rest[1:]]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(kind, run_name="__main__")


def _serve(number: str, *modules: str) -> None:
    listener = socket.socket(fileno=int(number))
    for module in modules:
        importlib.import_module(module)
    os.write(1, b"ready")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    _Server(listener).serve()


if __name__ == "__main__":
    sys.path[:] = sys.path[1:]  # this folder
    try:
        _serve(*sys.argv[1:])
    except BaseException:
        traceback.print_exc()
        raise

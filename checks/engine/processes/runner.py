"""Start a probe in an interpreter, follow its answer, and end it with all its children.

What is probed is broken: it may crash, hang, print without end, or be no Python at all. All of that becomes a
:class:`~checks.facts.ProbeRun`; nothing of it becomes an exception here.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, BinaryIO

from checks.engine.processes.own_folder import own_folder
from checks.engine.processes.surroundings import probe_environment
from checks.engine.processes.transcript import LIMIT, Transcript
from checks.engine.processes.tree import ProcessTree
from checks.engine.scripts import HOST, OWN_PROBE, name_of
from checks.facts import ProbeRun
from checks.knowledge.errors.windows_exit_codes import exit_code_name
from checks.paths import BUNDLE

TAIL = 16_384  # bytes of output that are kept
POLL = 0.02  # seconds between two looks at a running probe; its end is noticed at once
LAST_WORDS = 0.5  # seconds to wait for the rest of the output of a process that has ended

# -B: leave no files in the user's environment. -u: what was printed before a crash arrives. faulthandler: a crash
# names the Python line. Neither -I nor -S nor -E: the user's real environment is what we examine.
FLAGS = ("-B", "-u", "-X", "faulthandler")

# Written by an interpreter that never came as far as our host, but is a Python.
_PYTHON_WORDS = re.compile(
    r"Traceback \(most recent call last\)|Fatal Python error|Python path configuration|"
    r"Could not find platform (in)?dependent libraries|SyntaxError|can't open file '|-X is reserved for implementation"
)
# Written by the loader of the system, which then ends with exit code 127 (glibc, musl).
_LOADER_WORDS = re.compile(r"error while loading shared libraries|Error (loading|relocating) .*: ")


@dataclass(frozen=True)
class ProbeTask:
    """One probe to run: the script, the interpreter, its argument, and how long it may take (seconds).

    ``environment`` is laid over the environment variables that the user's own program would have. ``memory_limit``:
    bytes that it may take with all that it starts; None: as many as it likes. ``is_isolated``: it looks at the machine
    and not at the interpreter, so what the user has set for Pythons is not for it.
    """

    probe: str
    script: Path
    interpreter: str
    argument: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float = 60.0
    environment: Mapping[str, str] = field(default_factory=dict)
    memory_limit: int | None = None
    is_isolated: bool = False


@dataclass(frozen=True)
class Answer:
    """What a probe answered (the facts of all its stages in one dict), and how it ended."""

    facts: dict[str, Any]
    run: ProbeRun


def run_probe(
    task: ProbeTask,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    on_stage: Callable[[str], None] = lambda _: None,
    on_facts: Callable[[dict[str, Any]], None] = lambda _: None,
) -> Answer:
    """Run one probe to its end, its limits or the cancel. Never raises for what the target does.

    Args:
        task: what to run.
        cancelled: asked about fifty times a second; True ends the probe.
        on_stage: called with the name of each stage as it begins, on the calling thread.
        on_facts: called with the facts as they come, on the calling thread.

    Raises:
        OSError: there is no place for temporary files on this machine.
    """
    with own_folder() as folder:
        return _Running(task, folder, cancelled, Transcript(on_stage, on_facts)).answer()


class _Running:
    """One probe from its start to its :class:`ProbeRun`."""

    def __init__(self, task: ProbeTask, folder: Path, cancelled: Callable[[], bool], transcript: Transcript) -> None:
        self._task = task
        self._folder = folder
        self._cancelled = cancelled
        self._transcript = transcript
        self._started = time.monotonic()

    def answer(self) -> Answer:
        if self._cancelled():
            return self._answer("cancelled")
        path = self._folder / "answer"
        # Opened once and before it starts: what a target puts in their place (a pipe, a link) is never opened, and one
        # that deletes them cannot take away what it has answered.
        with path.open("x+b") as file, open(f"{path}.stderr", "x+b") as last_words:
            try:
                tree = ProcessTree(
                    self._command(path),
                    environment={**self._surroundings(), **self._task.environment},
                    folder=self._folder,
                    memory_limit=self._task.memory_limit,
                )
            except (OSError, ValueError) as error:
                return self._refused(error)
            try:
                stdout, stderr = _Output(tree.stdout), _Output(tree.stderr)
                stopped = self._follow(tree, file, stdout)
            finally:
                gone = tree.end()
            self._transcript.feed(file.read(LIMIT))
            stdout.finish()
            stderr.finish()
            tail = stderr.text() + _end_of(last_words)
        return self._ended(stopped, tree.process.returncode, gone, stdout.count + stderr.count, tail)

    def _surroundings(self) -> Mapping[str, str]:
        return os.environ if self._task.is_isolated else probe_environment(self._task.interpreter)

    def _command(self, answer: Path) -> list[str]:
        task = self._task
        # A hang leaves its Python lines on standard error shortly before it is ended.
        last_look = max(task.time_limit - 1.0, task.time_limit / 2)
        # The probe runs in a folder of its own; a bare name is looked for on PATH.
        named = os.path.dirname(task.interpreter)
        python = os.path.abspath(task.interpreter) if named else task.interpreter
        start = (python, *FLAGS, *(("-I",) if task.is_isolated else ()), str(HOST))
        return [
            *((python, OWN_PROBE) if task.is_isolated and BUNDLE is not None else start),
            os.path.abspath(task.script),
            str(answer),
            json.dumps(dict(task.argument)),
            f"{last_look:.2f}",
        ]

    def _follow(self, tree: ProcessTree, file: BinaryIO, output: _Output) -> str | None:
        """Wait for the end.

        Returns why we ended it: "cancelled", "timed-out", "too-much-memory", "no-answer"; None: it ended itself.
        """
        hurried = 0
        while tree.process.poll() is None:
            self._transcript.feed(file.read(LIMIT))
            if self._cancelled():
                return "cancelled"
            if time.monotonic() - self._started > self._task.time_limit:
                return "timed-out"
            if tree.takes_too_much:
                return "too-much-memory"
            if self._transcript.overflown:
                return "no-answer"
            # A process that ends closes its output, which wakes us. One that closed it and lives on must not
            # keep us awake.
            if output.ended.wait(POLL if hurried < 20 else 0):
                time.sleep(0.001 if hurried < 20 else POLL)
                hurried += 1
        return None

    def _refused(self, error: OSError | ValueError) -> Answer:
        format_error = isinstance(error, OSError) and (
            error.errno == errno.ENOEXEC or getattr(error, "winerror", None) == 193  # ERROR_BAD_EXE_FORMAT
        )
        return self._answer("not-python" if format_error else "not-started", detail=f"{type(error).__name__}: {error}")

    def _ended(self, stopped: str | None, code: int | None, gone: bool, output: int, tail: str) -> Answer:
        if stopped is None:
            status, detail = own_end(self._transcript, code or 0, tail)
        else:
            status = stopped
            detail = "the answer is longer than any probe's" if self._transcript.overflown else None
        if not gone:
            detail = "the process could not be ended"
        return self._answer(
            status,
            exit_code=code if stopped is None else None,
            signal=signal_name(code) if stopped is None and code and not self._transcript.done else None,
            memory_limit=self._task.memory_limit if status == "too-much-memory" else None,
            output_bytes=output,
            stderr_tail=tail or None,
            detail=detail,
        )

    def _answer(self, status: str, **more: Any) -> Answer:
        transcript = self._transcript
        run = ProbeRun(
            origin=name_of(self._task.script),
            probe=self._task.probe,
            interpreter=self._task.interpreter,
            status=status,
            stages=transcript.stages,
            seconds=time.monotonic() - self._started,
            **more,
        )
        return Answer(facts=transcript.facts, run=run)


def _end_of(file: BinaryIO) -> str:
    """What a process printed on standard error while its probe listened to that (kit.py, Captured), and then died."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
    return file.read(TAIL).decode("utf-8", "replace")


class _Output:
    """Reads a pipe to its end on a thread of its own, counts the bytes, and keeps the last :data:`TAIL`.

    The thread is a daemon: a descendant that cannot be killed may hold the pipe for ever.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self.count = 0
        self.ended = threading.Event()
        self._pipe = pipe
        self._tail = bytearray()
        self._thread = threading.Thread(target=self._drain, name="probe-output", daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        with self._pipe, contextlib.suppress(OSError, ValueError):
            while data := os.read(self._pipe.fileno(), 1 << 16):
                self.count += len(data)
                self._tail += data
                del self._tail[:-TAIL]
        self.ended.set()

    def finish(self) -> None:
        """Wait for what is still in the pipe of a process that has ended."""
        self._thread.join(LAST_WORDS)

    def text(self) -> str:
        """The last bytes as text, whatever encoding they are in."""
        return bytes(self._tail).decode("utf-8", "replace")


def own_end(transcript: Transcript, code: int, tail: str, system: str = sys.platform) -> tuple[str, str | None]:
    """(Status, detail) of a process that ended by itself. ``tail``: the end of what it printed."""
    if transcript.done:
        return ("failed" if transcript.failed else "ok"), None
    if transcript.greeting is not None or transcript.stages:
        if transcript.stages and not transcript.stages[-1].ended:
            return "crashed", f"it ended inside the stage {transcript.stages[-1].name}"
        return "crashed" if code else "no-answer", None
    if code == 0:
        return "no-answer", None
    if signal_name(code, system) or _PYTHON_WORDS.search(tail):
        return "crashed", None
    if code == 127 and _LOADER_WORDS.search(tail):
        return "not-started", tail.strip()[-500:]
    return "not-python", None


def signal_name(code: int, system: str = sys.platform) -> str | None:
    """The signal or NTSTATUS of an exit code ("SIGSEGV", "STATUS_ACCESS_VIOLATION"); None: an ordinary one.

    A shell that started the interpreter ends with 128 + the number of the signal. ``system``: as sys.platform.
    """
    if system == "win32":
        return exit_code_name(code)
    number = -code if code < 0 else code - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}" if code < 0 else None

"""One step of the portable probe: a probe in a process of its own, with an end in time; both sides of it.

Nothing is written to the disk: the answer goes through the process's standard output, whatever else is printed there
goes to standard error, and on Linux what native libraries print while a probe listens lies in memory.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time

from .. import host, kit

STEP = "--step"  # the first argument with which the one file is started as a step
ANSWER_LIMIT = 8 * 1024 * 1024  # bytes of an answer that are kept
TAIL = 16384  # bytes of other output that are kept
PATIENCE = 3.0  # seconds that a killed process gets to be gone, and its pipes to be read
# -B: leave no files in the user's environment. -u: what was printed before a crash arrives. faulthandler: a crash
# names the Python line.
FLAGS = ("-B", "-u", "-X", "faulthandler")


def answer(arguments):
    """The other side: run the probe STEM with ARGUMENT; a hang leaves its Python lines after SECONDS."""
    stem, argument, seconds, last_words = arguments
    stream = os.fdopen(os.dup(1), "w", encoding="ascii", newline="\n")
    os.dup2(2, 1)  # libraries print on standard output
    here = os.path.dirname(host.HERE)
    if sys.flags.isolated:  # it looks at the machine, with NVIDIA's binding that the file brings
        here = None
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != here]
    kit.Captured.path = last_words or None
    host.prepare(seconds)
    host.run(os.path.join(host.HERE, *stem.split("/")) + ".py", json.loads(argument), stream)
    stream.flush()
    os._exit(0)


class Step:
    """One probe in one interpreter, from its start to its record."""

    def __init__(self, file, interpreter, plan, limit):
        """``file``: this one file. ``plan``: ``id``, ``stem``, ``argument``, ``isolated``, ``environment``."""
        self._file, self._interpreter, self._plan, self._limit = file, interpreter, plan, limit
        self._process = None

    def record(self):
        """Run it; its answer and how it ended, as the file of answers has them."""
        plan, started = self._plan, time.monotonic()
        record = {
            "id": plan["id"],
            "probe": plan["stem"],
            "interpreter": self._interpreter,
            "argument": plan["argument"],
            "limit": self._limit,
        }
        words = _memory()
        try:
            self._process = self._started(words)
        except (OSError, ValueError) as error:
            _read(words)
            return dict(record, ended="not-started", detail="%s: %s" % (type(error).__name__, error))
        out, err = _Pipe(self._process.stdout, ANSWER_LIMIT, keep_end=False), _Pipe(self._process.stderr, TAIL)
        try:
            code = self._process.wait(self._limit)
            ended = "exited"
        except subprocess.TimeoutExpired:
            code, ended = None, "timed-out"
        finally:
            self.kill()
        out.finish()
        err.finish()
        record.update(
            ended=ended,
            code=code,
            seconds=round(time.monotonic() - started, 3),
            answer=out.text(),
            stderr=err.text() + _read(words),
            output=err.count,
        )
        return record

    def _started(self, words):
        scratch = "/proc/self/fd/%d" % words if words is not None else ""
        plan = self._plan
        command = [
            self._interpreter,
            *FLAGS,
            *(("-I",) if plan.get("isolated") else ()),
            self._file,
            STEP,
            plan["stem"],
            json.dumps(plan["argument"]),
            "%.2f" % max(self._limit - 1.0, self._limit / 2),
            scratch,
        ]
        more = {"start_new_session": True, "pass_fds": () if words is None else (words,)} if os.name == "posix" else {}
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,  # a container may lack /dev/null
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(os.environ, **plan.get("environment", {})),
            **more,
        )
        process.stdin.close()
        return process

    def kill(self):
        """End it with what it started; one that waits inside a broken driver is left behind."""
        process = self._process
        if process is None:
            return
        try:
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            elif process.poll() is None:
                kill = os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32", "taskkill.exe")
                silent = subprocess.DEVNULL
                subprocess.call([kill, "/F", "/T", "/PID", str(process.pid)], stdout=silent, stderr=silent)
        except OSError:  # it is gone
            pass
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass


class _Pipe:
    """Reads a pipe to its end on a thread of its own, and keeps its beginning or its end."""

    def __init__(self, pipe, limit, keep_end=True):
        self.count = 0
        self._pipe, self._limit, self._keep_end = pipe, limit, keep_end
        self._kept = bytearray()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self):
        try:
            while True:
                data = os.read(self._pipe.fileno(), 1 << 16)
                if not data:
                    return
                self.count += len(data)
                if self._keep_end:
                    self._kept += data
                    del self._kept[: -self._limit]
                else:
                    self._kept += data[: max(0, self._limit - len(self._kept))]
        except (OSError, ValueError):
            pass

    def finish(self):
        """Wait for what is still in the pipe of a process that has ended; whoever holds it open is not waited for."""
        self._thread.join(PATIENCE)
        if not self._thread.is_alive():
            self._pipe.close()

    def text(self):
        """What was kept, whatever encoding it is in."""
        return bytes(self._kept).decode("utf-8", "replace")


def _memory():
    """A file in memory for the last words of a process that dies; None where the system has none."""
    if not hasattr(os, "memfd_create") or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return os.memfd_create("naosu-probe")
    except OSError:
        return None


def _read(words):
    if words is None:
        return ""
    try:
        with os.fdopen(words, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL))
            return file.read(TAIL).decode("utf-8", "replace")
    except OSError:
        return ""

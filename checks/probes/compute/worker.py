"""Results of another process, whose framework started with other variables.

``Workers`` is the side that asks; ``STAGES`` is what host.py runs in the other process. That answers on its standard
output, a marked line of JSON for each on its standard input, and leaves the numbers in a file; it ends with its input.
"""

import importlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading

from .. import kit
from . import kit as compute
from .operations import OPERATIONS
from .runs import NotTried, Run

MOST = 4  # processes at once: each holds a framework in memory
PATIENCE = 60.0  # seconds for an answer; the first waits for the framework, too
FLAGS = "XLA_FLAGS"
READ = 1 << 20  # characters of what a process left
_ANSWER = b"naosu: "  # what the user's environment prints where Python starts is none
_UNKNOWN_FLAG = "Unknown flag"  # what XLA writes before it ends a process

ESSENTIAL = ()


class Workers:
    """The processes, by their variables; those that were not asked for longest are ended first."""

    def __init__(self, framework, device):
        self._framework, self._device = framework, device
        self._alive = {}

    def has(self, variables):
        """Whether there is such a process."""
        return _key(variables) in self._alive

    def of(self, variables):
        """The process with these variables, started where there is none."""
        key = _key(variables)
        worker = self._alive.pop(key, None)
        if worker is None:
            if kit.is_carried():
                raise NotTried("one-file", " ".join("%s=%s" % pair for pair in key))
            if len(self._alive) >= MOST:
                self._alive.pop(next(iter(self._alive))).close()
            worker = _Worker(self._framework, self._device, variables)
        self._alive[key] = worker  # the last is what was asked for last
        return worker

    def close(self):
        """End them all."""
        while self._alive:
            self._alive.popitem()[1].close()


def _key(variables):
    return tuple(sorted(variables.items()))


class _Worker:
    def __init__(self, framework, device, variables):
        self._folder = tempfile.mkdtemp(prefix="naosu-", dir=kit.place_of_folders())
        argument = {"framework": framework, "device": device, "folder": self._folder}
        command = [sys.executable, "-B", compute.HOST, os.path.abspath(__file__)]
        environment = dict(os.environ, **variables)
        if FLAGS in variables:
            environment[FLAGS] = (os.environ.get(FLAGS, "") + " " + variables[FLAGS]).strip()
        self._variables = variables
        self._why = None
        with open(os.path.join(self._folder, "stderr"), "wb") as stderr:
            self._process = subprocess.Popen(
                [*command, os.path.join(self._folder, "answer"), json.dumps(argument)],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
            )
        self._answers = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self._process.stdout:
            if line.startswith(_ANSWER):
                self._answers.put(line[len(_ANSWER) :])
        self._answers.put(b"")

    def result(self, name, dtype, run, timed):
        """The bits of the array as whole numbers, the name of its type, and the seconds.

        Raises:
            NotTried: the process has ended, or hangs.
            RuntimeError: the framework raised an exception there.
        """
        import numpy as np

        asked = {"operation": name, "inputs": dtype, "timed": timed, "run": vars(run)}
        answer = self._asked(asked)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        with open(os.path.join(self._folder, "numbers"), "rb") as file:
            bits = np.frombuffer(file.read(), answer["plain"]).reshape(answer["shape"])
        return bits, answer["dtype"], answer["seconds"]

    def _asked(self, what):
        if self._why is None:
            try:
                self._process.stdin.write(json.dumps(what).encode("ascii") + b"\n")
                self._process.stdin.flush()
                line = self._answers.get(timeout=PATIENCE)
            except (OSError, queue.Empty):
                line = b""
            if line:
                return json.loads(line.decode("ascii"))
            self._process.kill()
            self._why = self._reason()
        raise NotTried(*self._why)

    def _reason(self):
        self._process.wait()
        printed = ""
        for name in ("stderr", "answer"):  # what libraries wrote, and the error that host.py wrote down
            path = os.path.join(self._folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    printed += file.read(READ)
        named = " ".join("%s=%s" % pair for pair in sorted(self._variables.items()))
        if compute.is_busy(printed):
            return "device-busy", ""
        return ("not-in-version", named) if _UNKNOWN_FLAG in printed else ("no-process", named)

    def close(self):
        """End the process, and forget what it left."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:  # what was never read is lost with it
                pass
        shutil.rmtree(self._folder, ignore_errors=True)


# --- the other process -----------------------------------------------------------------------------------------------


def serve(argument):
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print on standard output
    framework = argument["framework"]
    importlib.import_module(".%s.probe" % framework, __package__).imported(argument)
    backend = importlib.import_module(".%s.backend" % framework, __package__).Backend(argument["device"])
    for line in sys.stdin:
        answer = json.dumps(_answer(backend, json.loads(line), argument["folder"]))
        answers.write(b"\n" + _ANSWER + answer.encode("ascii") + b"\n")
        answers.flush()


def _answer(backend, asked, folder):
    operation = next(known for known in OPERATIONS if known.name == asked["operation"])
    try:
        inputs = backend.inputs(operation, asked["inputs"])
        array, seconds = backend.computed(operation, inputs, Run(**asked["run"]), asked["timed"])
    except Exception as error:  # the process that asked raises it again
        return {"error": "%s: %s" % (type(error).__name__, error)}
    with open(os.path.join(folder, "numbers"), "wb") as file:
        file.write(array.tobytes())
    # A type that NumPy itself does not know goes by its name, and its bits as whole numbers.
    return {"plain": "u%d" % array.dtype.itemsize, "dtype": array.dtype.name, "shape": array.shape, "seconds": seconds}


STAGES = (serve,)

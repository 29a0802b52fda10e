"""One of two settings as a process that runs models, and is started anew where a model ends it."""

import json
import os
import re
import subprocess
import sys
import threading

from ....model import kit as model_kit
from ... import kit as compute
from ..ways import Way
from . import worker

START_SECONDS = 60.0
CRASH, ERROR, HANG = "crash", "error", "timed-out"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
# What is another text each time: paths, quoted names, numbers.
_VARIES = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[/\\]\S*|0x[0-9a-fA-F]+|\d+")
_LONGEST = 100  # characters of an error by which it is known again
_TAIL = 2000


def _said(path):
    """The error with which a worker ended before it could reply."""
    try:
        with open(path, encoding="ascii") as file:
            errors = [line.get("error") for line in map(json.loads, file)]
    except (OSError, ValueError):
        return ""
    return next(("%s: %s" % (error["type"], error["message"]) for error in errors if error), "")


class Failed(Exception):  # noqa: N818 - not an error but an answer
    """A setting did not compute a model. ``kind``: CRASH, ERROR or HANG; ``error``: as kit.describe tells it."""

    is_of_model = True  # as of_model() marks what the runtime raises

    def __init__(self, kind, text, error=None):
        super().__init__(text)
        self.kind, self.error = kind, error

    @property
    def sign(self):
        """What is the same where the same fault shows again."""
        return self.kind, _VARIES.sub("", str(self)).strip()[:_LONGEST]


class Side:
    """A setting: ``device``, ``setting``, and the Python in which it runs."""

    def __init__(self, numpy, device, setting, python="", place="."):
        self.device, self.setting, self.python = device, setting, python or sys.executable
        self.version = ""
        self._numpy, self._process, self._asked = numpy, None, 0
        self._folder = os.path.join(place, "side-%s-%d" % (re.sub(r"\W", "-", setting + device), id(self) % 10000))
        os.makedirs(self._folder, exist_ok=True)
        self.limit = START_SECONDS  # seconds that one run may take

    def run(self, model, arrays, wanted=None, key=""):
        """The outputs of a model by name. ``key``: the same where the session of the run before may be taken.

        Raises:
            Failed: it does not compute it, or ends the process.
        """
        self._begin()
        feeds, answer = (os.path.join(self._folder, name) for name in ("feeds.npz", "answer.npz"))
        self._numpy.savez(feeds, *map(worker.as_stored, arrays.values()))
        request = {
            "key": key,
            "model": os.path.abspath(model),
            "device": self.device,
            "setting": self.setting,
            "feeds": os.path.abspath(feeds),
            "names": list(arrays),
            "wanted": wanted,
            "answer": os.path.abspath(answer),
        }
        reply = self._ask(json.dumps(request))
        if "error" in reply:
            described = reply["error"]
            raise Failed(ERROR, "%s: %s" % (described.get("type"), described.get("message")), described)
        with self._numpy.load(answer, allow_pickle=False) as file:
            return {name: worker.as_given(file["arr_%d" % place]) for place, name in enumerate(reply["names"])}

    def way(self, model, giving):
        """The model as a way of the search. ``giving(names)``: the path of the model that gives these out, too."""

        def values(names):
            path = giving(names)
            self._asked += 1
            key = "%s %d" % (path, self._asked)
            return lambda arrays: self.run(path, arrays, names, key)

        return Way(lambda arrays: self.run(model, arrays, key=model), values, self.device, self.setting)

    def end(self):
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                stream.close()

    def _begin(self):
        if self._process is not None:
            return
        script = os.path.join(_FOLDER, "worker.py")
        answer = os.path.join(self._folder, "said")
        command = [self.python, "-B", compute.HOST, script, answer, "{}"]
        try:
            with open(os.path.join(self._folder, "stderr"), "wb") as printed:
                self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=printed)
            self.version = self._reply(START_SECONDS).get("version", "")
        except (OSError, Failed) as error:  # that says nothing of any model
            raise model_kit.NotDrawn("python-not-started", "%s: %s" % (self.python, _said(answer) or error)) from error

    def _ask(self, line):
        try:
            self._process.stdin.write(line.encode("ascii") + b"\n")
            self._process.stdin.flush()
        except OSError:  # it ended before
            pass
        return self._reply(self.limit)

    def _reply(self, seconds):
        late = []

        def kill():
            late.append(True)
            self._process.kill()

        timer = threading.Timer(max(1.0, seconds), kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if line:
            return json.loads(line.decode("ascii"))
        status = self._process.wait()
        self.end()
        if late:
            raise Failed(HANG, "no answer within %d seconds" % seconds)
        raise Failed(CRASH, "the process ended with %s" % status, {"type": "crash", "message": self._last_words()})

    def _last_words(self):
        with open(os.path.join(self._folder, "stderr"), "rb") as file:
            return file.read()[-_TAIL:].decode("utf-8", "replace")

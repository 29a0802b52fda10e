"""Look at this machine and one Python of it, compute where that is asked for, and write one answer.

What is asked, in which order and for how long stands in plan.json beside this module, which packaging/probe makes of
the engine's catalogues.
"""

import argparse
import datetime as dt
import json
import os
import pkgutil
import shutil
import signal
import sys
import time

from . import expect
from .step import Step

PLAN = "plan.json"
FORMAT = 1
LANGUAGES = ("en", "ja")
# Exit status: all steps ended; one did not; wrong usage, or the answer cannot be written; other bits than expected.
OK, FAILED, WRONG, OTHER = 0, 1, 2, 3
LONGEST = 24 * 3600.0


def main(file):
    """Run with the arguments of the command line. ``file``: this one file. The exit status."""
    plan = json.loads(pkgutil.get_data(__package__, PLAN).decode("ascii"))
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")
    words = plan["words"][_language(sys.argv[1:])]
    chosen = _arguments(words, plan)
    if chosen is None:
        return OK
    try:
        reference = expect.read(chosen.expect) if chosen.expect else None
    except (OSError, ValueError) as error:
        return _wrong(words["wrong"] % ("--expect %s: %s" % (chosen.expect, error)))
    try:
        _check_output(chosen.output)
    except OSError as error:
        return _wrong(words["not-written"] % (chosen.output, error.strerror or error))
    run = _Run(file, plan, words, chosen)
    answer = run.answer()
    try:
        _write(chosen.output, answer)
    except OSError as error:
        return _wrong(words["not-written"] % (chosen.output, error.strerror or error))
    if reference is not None and _differs(reference, answer, plan, words):
        return OTHER
    return OK if run.is_whole else FAILED


def _differs(reference, answer, plan, words):
    """Whether this machine computes other bits than the reference; it is said in one line."""
    outcome, names = expect.held_against(reference, answer, plan["variables"])
    print("naosu-probe: %s" % (words["expect-" + outcome] % ", ".join(names[:8])), file=sys.stderr)
    return outcome == expect.OTHER


def _language(arguments):
    """The user's language; the help itself needs it before the arguments are read."""
    asked = [arguments[place + 1] for place, option in enumerate(arguments[:-1]) if option == "--lang"]
    asked += [one.partition("=")[2] for one in arguments if one.startswith("--lang=")]
    asked += [os.environ.get(name, "") for name in ("NAOSU_LANG", "LC_ALL", "LC_MESSAGES", "LANG")]
    chosen = next((one for one in asked if one), "")
    if not chosen and sys.platform == "win32":
        import ctypes

        chosen = "ja" if ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == 0x11 else "en"
    return "ja" if chosen.lower().startswith("ja") else "en"


class _WrongError(Exception):
    """Arguments that cannot be understood."""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise _WrongError(message)


def _arguments(words, plan):
    """The arguments; None where only the help or the version was asked for."""
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--version", action="store_true")
    parser.add_argument("--lang", choices=LANGUAGES)
    parser.add_argument("-o", "--output", default="-")
    parser.add_argument("--target")
    parser.add_argument("--compute", choices=sorted(plan["computations"]))
    parser.add_argument("--expect")
    parser.add_argument("--timeout", type=float, default=plan["timeout"])
    parser.add_argument("--quiet", action="store_true")
    try:
        chosen = parser.parse_args()
        if not 1 <= chosen.timeout <= LONGEST:
            raise _WrongError("--timeout: 1 - %d" % LONGEST)
    except _WrongError as error:
        sys.exit(_wrong(words["wrong"] % error))
    if chosen.help or chosen.version:
        print(words["help"] if chosen.help else "naosu-probe %s" % plan["naosu"])
        return None
    return chosen


def _wrong(text):
    print(text, file=sys.stderr)
    return WRONG


def _check_output(path):
    """Whether the answer can be written, before the work.

    Raises:
        OSError: it cannot.
    """
    if path == "-" or _is_stream(path):
        return
    if os.path.isfile(path) and not os.path.islink(path):
        open(path, "ab").close()  # a rename would not ask whether it is write-protected
    _replace(path, None)


def _is_stream(path):
    """Whether this is a pipe, a device, a folder or what a shell has opened (/dev/stdout), which takes no rename."""
    opened = os.path.islink(path) and os.path.abspath(path).startswith(("/dev/", "/proc/"))
    return opened or (os.path.exists(path) and not os.path.isfile(path))


def _replace(path, text):
    """Write a file as a neighbour that is renamed over it: a link is replaced, not followed. None: only try it."""
    part = os.path.join(os.path.dirname(path), ".naosu-probe-%s.part" % os.urandom(8).hex())
    try:
        with open(part, "x", encoding="ascii") as file:
            file.write(text or "")
            file.flush()
            os.fsync(file.fileno())
        if text is not None:
            if os.path.isfile(path) and not os.path.islink(path):
                shutil.copymode(path, part)
            os.replace(part, path)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def _write(path, answer):
    # Half characters, as Python makes them of undecodable file names, are no JSON elsewhere.
    clean = json.loads(json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace").decode("utf-8"))
    text = json.dumps(clean, indent=0) + "\n"
    if path == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    if not _is_stream(path):
        _replace(path, text)
        return
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


class _StoppedError(Exception):
    """The user, or the system, ends us: what is known by then is the answer."""


def _stop(number, frame):
    raise _StoppedError


class _Run:
    """All steps, one after the other. ``is_whole``: each ended by itself, and in time."""

    def __init__(self, file, plan, words, chosen):
        self.is_whole = True
        self._file, self._plan, self._words, self._chosen = file, plan, words, chosen
        self._target = chosen.target or _active() or sys.executable
        self._ends = time.monotonic() + chosen.timeout
        self._records = []
        self._facts = {}  # of the steps that ended, by their id

    def answer(self):
        """The answer, whatever happens meanwhile."""
        complete = True
        for name in ("SIGTERM", "SIGHUP", "SIGINT"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), _stop)
        try:
            self._ask()
            self._compute()
        except _StoppedError:
            complete = self.is_whole = False
        now = dt.datetime.now(dt.timezone.utc).replace(microsecond=0)
        return {
            "naosu-probe": FORMAT,
            "naosu": self._plan["naosu"],
            "created": now.isoformat(),
            "complete": complete,
            "system": sys.platform,
            "target": self._target,
            "compute": self._chosen.compute or "",
            "steps": self._records,
        }

    def _ask(self):
        for ask in self._plan["asks"]:
            if not ask["distributions"] or self._installed(ask["distributions"]):
                self._step(dict(ask), sys.executable if ask["isolated"] else self._target)

    def _compute(self):
        for computation in self._plan["computations"].get(self._chosen.compute, ()):
            for device in self._devices(computation):
                kind = "cpu" if _is_cpu(device) else "accelerator"
                for way in computation[kind]:
                    self._step(_on(device, computation, way), self._target)

    def _devices(self, computation):
        """Where a framework computed something, the accelerators first."""
        if computation["package"]:
            return ["cpu"] if self._installed([computation["package"]]) else []
        devices = _list(self._facts.get(computation["framework"]), "devices")
        ran = [_named(one, "device") for one in devices if _dict(_dict(one).get("kernel")).get("ran")]
        return sorted((name for name in ran if name and not name.startswith("XLA_")), key=_is_cpu)

    def _installed(self, names):
        known = (_named(one, "name") for one in _list(self._facts.get("python"), "distributions"))
        return any(_normalised(name) in names for name in known)

    def _step(self, plan, interpreter):
        named = {"id": plan["id"], "probe": plan["stem"], "interpreter": interpreter}
        left = self._ends - time.monotonic()
        if left < 1:
            self.is_whole = False
            self._records.append(dict(named, ended="no-time"))
            return
        if not self._chosen.quiet:
            print("naosu-probe: %s" % (self._words["step"] % plan["id"]), file=sys.stderr, flush=True)
        step = Step(self._file, interpreter, plan, min(plan["limit"], left))
        try:
            record = step.record()
        except _StoppedError:
            step.kill()
            self._records.append(dict(named, ended="cancelled"))
            raise
        self._records.append(record)
        facts, done = _read(record.get("answer", ""))
        self._facts[plan["id"]] = facts
        if not done:
            self.is_whole = False


def _active():
    """The Python of the environment that is active in this shell."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = os.environ.get(name)
        for python in ("bin/python", "Scripts/python.exe", "python.exe") if folder else ():
            path = os.path.join(folder, *python.split("/"))
            if os.path.isfile(path):
                return path
    return None


def _is_cpu(device):
    """PyTorch says "cpu", TensorFlow "CPU:0", JAX "cpu:0"."""
    return device.lower().partition(":")[0] == "cpu"


def _on(device, computation, way):
    """The step of a framework on a device under a setting."""
    name = "computations:%s:%s" % (computation["framework"], device)
    if way["named"]:
        name += ":" + way["setting"]
    argument = dict(way["argument"], device=device)
    return dict(way, id=name, stem=computation["stem"], argument=argument)


def _normalised(name):
    return name.lower().replace("_", "-").replace(".", "-")


# What is examined may be broken, and answer anything.
def _dict(value):
    return value if isinstance(value, dict) else {}


def _list(facts, name):
    value = _dict(facts).get(name)
    return value if isinstance(value, list) else []


def _named(one, name):
    value = _dict(one).get(name)
    return value if isinstance(value, str) else ""


def _read(answer):
    """(The facts of all lines, whether the probe came to its end)."""
    facts, done = {}, False
    for line in answer.splitlines():
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(message, dict):
            continue
        done = done or message.get("done") is True
        for name, value in _dict(message.get("facts")).items():
            if name.endswith("+") and isinstance(value, list):
                facts[name[:-1]] = _list(facts, name[:-1]) + value
            else:
                facts[name] = value
    return facts, done

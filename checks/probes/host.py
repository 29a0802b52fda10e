"""Run one probe inside this interpreter: host.py PROBE_FILE ANSWER_FILE ARGUMENT_JSON [SECONDS].

A probe script has ``STAGES``, functions in their turn (a tuple, or a generator where only an earlier stage knows which
come later), each of which takes the argument (a dict) and returns a dict of facts; and ``ESSENTIAL``, the names of the
stages without which the rest is pointless. This folder is the package ``naosu_probes`` there: a script of ours imports
its neighbours relatively, any other as ``from naosu_probes import kit``. Every stage is announced before it starts,
so that a process that dies names the stage that killed it. The answer goes to a file, because native libraries print on
standard output. One JSON object per line, in ASCII:

    {"python": "3.11.7", "probe": "ask/torch", "interpreter": "/opt/venv/bin/python"}
    {"begin": "import"}
    {"facts": {...}}
    {"end": "import", "seconds": 1.2, "facts": {...}}
    {"end": "import", "seconds": 0.1, "error": {"type": ..., "message": ..., "traceback": ...}, "essential": true}
    {"done": true}

A stage that is a generator yields facts as it goes, each dict a line of its own, so that a crash keeps those before it.
A fact "name+" is a list that is added to the list "name".
What native code prints on standard error is kept in ANSWER_FILE.stderr while a probe listens to it.
After SECONDS the Python lines of all threads go to standard error, so that a hang shows its place.
"""

import faulthandler
import importlib
import json
import os
import sys
import time
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "naosu_probes"


def _as_package():
    """Our folder as a package, without a place on sys.path, where its file names would shadow the target's modules."""
    package = types.ModuleType(PACKAGE)
    package.__path__ = [HERE]
    sys.modules[PACKAGE] = package


def _in_package(path):
    """The parts of the name of a probe of ours below the package; None for any other script."""
    here = os.path.join(os.path.realpath(HERE), "")
    file = os.path.realpath(path)
    ours = os.path.normcase(file).startswith(os.path.normcase(here))
    return file[len(here) : -len(".py")].split(os.sep) if ours else None


def load(path):
    """The probe script as a module: one of ours by its place in the package, any other by itself."""
    parts = _in_package(path)
    if parts is not None:
        return importlib.import_module(".".join([PACKAGE, *parts]))
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    module = types.ModuleType("naosu_probe")
    module.__file__ = path
    exec(code, module.__dict__)
    return module


_as_package()
kit = importlib.import_module(PACKAGE + ".kit")


def answer_line(fields):
    """One line of the answer; facts that are not JSON become an error of their stage."""
    try:
        return json.dumps(fields, default=str) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        fields.pop("facts")
        return json.dumps(dict(fields, error=kit.describe(error))) + "\n"


def prepare(seconds):
    """Let a crash leave no core file, which can have gigabytes, and a crash or hang name its place.

    Where the machine runs out of memory all the same, the system is to end this process and no other (Linux).

    The place goes to a copy of standard error, because a probe may turn the original to another file for a while.
    """
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (ImportError, OSError, ValueError):  # Windows has neither
        pass
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:  # another system
        pass
    try:
        stderr = os.dup(2)
    except OSError:  # started without one
        return
    faulthandler.enable(file=stderr)
    if seconds:
        faulthandler.dump_traceback_later(float(seconds), file=stderr)
    # In the user's terminal a library may print any character; a pipe with the system's code page would make it raise.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="backslashreplace")


def run(probe_path, argument, answer):
    """Run the stages one after the other; an exception is not a failure to collect, it is the fact.

    ``answer``: the stream of text that the lines go to.
    """

    def say(line):
        answer.write(answer_line(line))
        answer.flush()

    python = "%d.%d.%d" % sys.version_info[:3]
    say({"python": python, "probe": "/".join(_in_package(probe_path) or ()), "interpreter": sys.executable})
    probe = load(probe_path)
    for stage in probe.STAGES:
        name = stage.__name__
        say({"begin": name})
        started = time.perf_counter()
        try:
            facts = stage(argument)
            if isinstance(facts, types.GeneratorType):
                for part in facts:
                    say({"facts": part})
                facts = {}
        except (Exception, SystemExit) as error:
            fields = {"end": name, "seconds": time.perf_counter() - started, "error": kit.describe(error)}
            if name in probe.ESSENTIAL:
                say(dict(fields, essential=True))
                break
            say(fields)
        else:
            say({"end": name, "seconds": time.perf_counter() - started, "facts": facts})
    say({"done": True})


def main(arguments):
    """Run one probe, its answer into a file."""
    probe_path, answer_path, argument = arguments[0], arguments[1], json.loads(arguments[2])
    # The script's folder stands first on sys.path and would shadow packages of the target.
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != HERE]
    kit.Captured.path = answer_path + ".stderr"
    prepare(arguments[3] if len(arguments) > 3 else None)
    with open(answer_path, "a", encoding="ascii") as answer:
        run(probe_path, argument, answer)
    # Leave at once: the target's libraries may crash or hang in their own exit handlers, after everything is reported.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Run one probe inside this interpreter: host.py PROBE_FILE ANSWER_FILE ARGUMENT_JSON [SECONDS].

A probe script has ``STAGES``, a tuple of functions that take the argument (a dict) and return a dict of facts, and
``ESSENTIAL``, the names of the stages without which the rest is pointless. Every stage is announced before it
starts, so that a process that dies names the stage that killed it. The answer goes to a file, because native
libraries print on standard output. One JSON object per line, in ASCII:

    {"python": "3.11.7"}
    {"begin": "import"}
    {"end": "import", "seconds": 1.2, "facts": {...}}
    {"end": "import", "seconds": 0.1, "error": {"type": ..., "message": ..., "traceback": ...}, "essential": true}
    {"done": true}

After SECONDS the Python lines of all threads go to standard error, so that a hang tells where it hangs.

Standard library only, Python 3.8 and later.
"""

import faulthandler
import json
import os
import sys
import time
import traceback

TEXT_LIMIT = 20000  # characters of one message or traceback; a runaway text helps nobody


def load(path):
    """Execute the probe script and return its namespace. No import: a probe must not become a module of the target."""
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    namespace = {"__name__": "naosu_probe", "__file__": path}
    exec(code, namespace)
    return namespace


def describe(error):
    """An exception as facts."""
    try:
        message = str(error)
    except Exception:  # a broken __str__ of the target's own exception
        message = "<no message>"
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    name = type(error).__name__
    return {"type": name, "message": message[:TEXT_LIMIT], "traceback": lines[-TEXT_LIMIT:]}


def answer_line(fields):
    """One line of the answer; facts that are no JSON become an error of their stage."""
    try:
        return json.dumps(fields, default=str) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        fields = {"end": fields["end"], "seconds": fields["seconds"], "error": describe(error)}
        return json.dumps(fields) + "\n"


def prepare(seconds):
    """Let a crash leave no core file, which can have gigabytes, and a hang name its place."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    except (ImportError, OSError, ValueError):  # Windows has neither
        pass
    if seconds and sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(float(seconds), file=sys.__stderr__)


def main(arguments):
    """Run the stages one after the other; an exception is not a failure to collect, it is the fact."""
    probe_path, answer_path, argument = arguments[0], arguments[1], json.loads(arguments[2])
    # The script's folder stands first on sys.path and would shadow packages of the target.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != here]
    prepare(arguments[3] if len(arguments) > 3 else None)
    with open(answer_path, "a", encoding="ascii") as answer:

        def say(line):
            answer.write(answer_line(line))
            answer.flush()

        say({"python": "%d.%d.%d" % sys.version_info[:3]})
        probe = load(probe_path)
        for stage in probe["STAGES"]:
            name = stage.__name__
            say({"begin": name})
            started = time.perf_counter()
            try:
                facts = stage(argument)
            except (Exception, SystemExit) as error:
                fields = {"end": name, "seconds": time.perf_counter() - started, "error": describe(error)}
                if name in probe["ESSENTIAL"]:
                    say(dict(fields, essential=True))
                    break
                say(fields)
            else:
                say({"end": name, "seconds": time.perf_counter() - started, "facts": facts})
        say({"done": True})
    # Leave at once: the target's libraries may crash or hang in their own exit handlers, after all is told.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])

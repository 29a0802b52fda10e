"""Run one probe inside this interpreter: host.py PROBE_FILE ANSWER_FILE ARGUMENT_JSON.

A probe script has ``STAGES``, a tuple of functions that take the argument (a dict) and return a dict of facts, and
``ESSENTIAL``, the names of the stages without which the rest is pointless. Every stage is announced before it
starts, so that a process that dies names the stage that killed it. The answer goes to a file, because native
libraries print on standard output. One JSON object per line, in ASCII:

    {"begin": "import"}
    {"end": "import", "seconds": 1.2, "facts": {...}}
    {"end": "import", "seconds": 0.1, "error": {"type": ..., "message": ..., "traceback": ...}}
    {"done": true}

Standard library only, Python 3.8 and later.
"""

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


def main(arguments):
    """Run the stages one after the other; an exception is not a failure to collect, it is the fact."""
    probe_path, answer_path, argument = arguments[0], arguments[1], json.loads(arguments[2])
    # The script's folder stands first on sys.path and would shadow packages of the target.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or ".") != here]
    with open(answer_path, "a", encoding="ascii") as answer:

        def say(line):
            answer.write(json.dumps(line, default=str) + "\n")
            answer.flush()

        probe = load(probe_path)
        for stage in probe["STAGES"]:
            name = stage.__name__
            say({"begin": name})
            started = time.perf_counter()
            try:
                facts = stage(argument)
            except (Exception, SystemExit) as error:
                say({"end": name, "seconds": time.perf_counter() - started, "error": describe(error)})
                if name in probe["ESSENTIAL"]:
                    break
            else:
                say({"end": name, "seconds": time.perf_counter() - started, "facts": facts})
        say({"done": True})
    # Leave at once: the target's libraries may crash or hang in their own exit handlers, after all is told.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Statements of the user's own program, or imports of what is installed, tried one after the other.

The argument: ``statements``; ``folder``, where the program is started, "" for nowhere in particular; ``script_folder``,
which Python puts in front of its search path, "" for none.

Each is announced before it is tried, so that a crash names it. What one of them imported stays for the next ones, so a
failure behind others is to be tried once more alone.
"""

import os
import sys
import time

from .. import kit
from ..raised import led_there, raised

_NAME = "<naosu>"  # how a traceback calls the statement's own line


def statements(argument):
    """Try them all."""
    if argument.get("folder"):
        os.chdir(argument["folder"])
    if argument.get("script_folder"):
        sys.path.insert(0, argument["script_folder"])
    for statement in argument["statements"]:
        yield {"trying+": [statement]}
        started = time.perf_counter()
        tried = {"statement": statement}
        try:
            with kit.Warned():
                exec(compile(statement, _NAME, "exec"), {"__name__": "__main__"})
        except (Exception, SystemExit) as error:
            skip = (_NAME, __file__)
            tried = dict(tried, raised=raised(error, skip), led_there=led_there(error, skip))
        tried["seconds"] = time.perf_counter() - started
        yield {"tried+": [tried]}


def surroundings(argument):
    """What this Python is, and where it looks."""
    return {
        "python": {
            "pid": os.getpid(),
            "executable": sys.executable,
            "prefix": sys.prefix,
            "version": "%d.%d.%d" % sys.version_info[:3],
            "folder": os.getcwd(),
            "search_path": [str(folder) for folder in sys.path],
        }
    }


def modules(argument):
    """What is in memory now, with its files."""
    found = []
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and "." not in name:
            found.append({"name": name, "file": file})
    return {"modules": found}


STAGES = (surroundings, statements, modules)
ESSENTIAL = ("surroundings",)

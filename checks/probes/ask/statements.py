"""Statements of the user's own program, or imports of what is installed, tried one after the other.

The argument: ``statements``; ``folder``, where the program is started, "" for nowhere in particular; ``script_folder``,
which Python puts in front of its search path, "" for none; ``calls``: of those that were read in a program and are no
statement of their own (checks/engine/plans/calls.py), by how ``statements`` names them: ``kind``, ``imports``,
``expression``, ``then``, ``keywords``, ``is_first``, ``file``, ``line``, ``folder`` and ``script_folder``.

Each is announced before it is tried, so that a crash names it. What one of them imported stays for the next ones, so a
failure behind others is to be tried once more alone.
"""

import importlib.util
import inspect
import os
import sys
import time
import types

from .. import kit
from ..watch.last_look import described

_NAME = "<naosu>"  # how a traceback calls the statement's own line
# Python's own machinery of imports stands between any two of them, and a terminal does not show it either.
_NOT_ITS_OWN = (_NAME, __file__, "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


def statements(argument):
    """Try them all."""
    if argument.get("folder"):
        os.chdir(argument["folder"])
    if argument.get("script_folder") and not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, argument["script_folder"])
    calls, failed = argument.get("calls", {}), []
    for statement in argument["statements"]:
        yield {"trying+": [statement]}
        started = time.perf_counter()
        tried = {"statement": statement}
        try:
            with kit.Warned():
                if statement not in calls:
                    exec(compile(statement, _NAME, "exec"), {"__name__": "__main__"})
                elif not called(calls[statement], failed):
                    continue
        except (Exception, SystemExit) as error:
            tried.update(described(error, error.__traceback__, skip=_NOT_ITS_OWN))
            failed += [calls[statement]["expression"]] if statement in calls else []
        tried["seconds"] = time.perf_counter() - started
        yield {"tried+": [tried]}


def called(call, failed):
    """Work out what a program asks for, in its folder. Whether that was tried: not behind what failed already."""
    if any(expression in call["expression"] for expression in failed):
        return False
    space = {"__name__": "__main__", "__file__": call["file"]}
    try:
        exec("\n".join(call["imports"]), space)
    except (Exception, SystemExit):  # each of them is tried by itself
        return False
    before = os.getcwd()
    os.chdir(call["folder"])
    try:
        if call["kind"] == "call":
            _worked_out(call, call["expression"] + call["then"], space)
        elif call["kind"] == "name":
            _looked_up(call, space)
        elif call["kind"] == "module":
            space["_found"] = _found
            _worked_out(call, "_found(%r, %r)" % (call["expression"], call["script_folder"]), space)
        else:
            with open(call["expression"], "rb") as file:
                compile(file.read(), call["expression"], "exec", dont_inherit=True)
    finally:
        os.chdir(before)
    return True


def _worked_out(call, expression, space):
    """Its value, as if it stood in the user's file: a traceback shows that line."""
    return eval(compile("\n" * (call["line"] - 1) + expression, call["file"], "eval"), space)  # noqa: S307 - that is what it is for


def _looked_up(call, space):
    """A dotted name part by part, as long as these are modules and classes, and then the keywords of its call.

    What lies behind any other object may be there later on. An error of the package's own, before anything of it was
    called, says so in its words: so do packages whose names moved.
    """
    parts = call["expression"].split(".")
    value = space[parts[0]]
    for count in range(2, len(parts) + 1):
        is_fixed = issubclass(type(value), (types.ModuleType, type))
        try:
            value = _worked_out(call, ".".join(parts[:count]), space)
        except Exception as error:
            is_own = _package(type(error)) == _package(type(value)) and call["is_first"]
            if is_fixed or is_own:
                raise
            return
    refused = _refused(value, call["keywords"])
    if refused:
        space["_refusing"] = _refusing
        _worked_out(call, "_refusing(%r, %r)" % refused, space)


def _found(name, folder):
    """Look for a module as an import does, and read it as Python if it is the program's own; nothing of it is run."""
    if name in sys.modules:
        return
    before, written = list(sys.path), sys.dont_write_bytecode
    sys.path[:0] = [] if getattr(sys.flags, "safe_path", False) else [folder]
    sys.dont_write_bytecode = True
    try:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError("No module named %r" % name, name=name)
        if spec.origin and os.path.dirname(os.path.abspath(spec.origin)).startswith(folder) and spec.loader:
            read = getattr(spec.loader, "get_code", None)
            if read is not None and "site-packages" not in spec.origin:
                read(name)
    finally:
        sys.path[:], sys.dont_write_bytecode = before, written


def _package(kind):
    return (kind.__module__ or "").partition(".")[0]


def _refusing(name, keyword):
    raise TypeError("%s() got an unexpected keyword argument '%s'" % (name, keyword))


def _refused(function, keywords):
    """(name, keyword) where a function surely takes no such keyword; None where that is open, as behind a wrapper."""
    if isinstance(function, type):
        if type(function).__call__ is not type.__call__ or function.__new__ is not object.__new__:
            return None
        function = function.__init__
    if type(function) is not types.FunctionType or function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return None
    code = function.__code__
    taken = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
    name = function.__qualname__ if sys.version_info >= (3, 10) else function.__name__
    return next(((name, keyword) for keyword in keywords if keyword not in taken), None)


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

"""An exception as facts (checks/facts/programs.py, Raised). Python 3.8, the standard library alone."""

import linecache
import re

TEXT_LIMIT = 20000  # characters of a message
MOST_FRAMES = 100  # the outermost and the innermost half of a deep traceback
MOST_LED = 8  # exceptions that led to one
CODE_LIMIT = 400  # characters of a line of code

_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def raised(error, skip=()):
    """One exception. ``skip``: files whose frames are not the program's own."""
    kind = type(error)
    place = getattr(kind, "__module__", "")
    fact = {
        "type": kind.__qualname__ if place in ("builtins", "__main__") else "%s.%s" % (place, kind.__qualname__),
        "message": _COLOUR.sub("", _text(error))[:TEXT_LIMIT],
        "frames": _frames(error.__traceback__, skip),
    }
    for name in ("name", "path"):
        value = getattr(error, name, None)
        if isinstance(value, str):
            fact[name] = value
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):
        code = (error.text or "").strip()[:CODE_LIMIT]
        fact["frames"].append({"file": error.filename, "line": error.lineno, "code": code})
    return fact


def led_there(error, skip=()):
    """The exceptions that led to one, the first one first, as a traceback prints them."""
    found = []
    seen = {id(error)}
    while len(found) < MOST_LED:
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if error is None or id(error) in seen:
            break
        seen.add(id(error))
        found.insert(0, raised(error, skip))
    return found


def _text(error):
    try:
        return str(error)
    except Exception:  # a broken __str__ of the program's own exception
        return ""


def _frames(traceback, skip):
    frames = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename not in skip and not code.co_filename.startswith("<frozen importlib"):
            frames.append((code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    if len(frames) > MOST_FRAMES:
        frames = frames[: MOST_FRAMES // 2] + frames[-MOST_FRAMES // 2 :]
    return [
        {"file": file, "line": line, "function": name, "code": linecache.getline(file, line).strip()[:CODE_LIMIT]}
        for file, line, name in frames
    ]

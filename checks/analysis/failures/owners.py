"""Which installed distribution a file or a module belongs to, by its place and the tables of names."""

import re

from checks.facts import Frame, InterpreterFacts, Package, Raised
from checks.knowledge.packages.import_packages import distributions_of

_IN_SITE = re.compile(r"[\\/](?:site|dist)-packages[\\/](?:[^\\/]+\.egg[\\/])?([^\\/.]+)")
# As Cython writes the place of its code, whatever folder it lies in: "cupy/_core/raw.pyx".
_OF_CYTHON = re.compile(r"([A-Za-z_]\w*)(?:/\w+)*\.(?:pyx|pxd|pxi)")
# What a wish for another release is about, not who wishes: a failure inside these belongs to whoever called them.
PROVIDERS = frozenset({"numpy", "protobuf"})


def module_of_file(file: str) -> str:
    """The first part of the import that a file of an installed package belongs to; "" for any other file."""
    compiled = _OF_CYTHON.fullmatch(file)
    if compiled is not None:
        return compiled[1]
    return next(reversed(_IN_SITE.findall(file)), "")  # an environment can lie inside another: the last one counts


def owner_of_module(module: str, interpreter: InterpreterFacts | None) -> Package | None:
    """The installed distribution that brings a module; None where none does or nothing was read."""
    if interpreter is None or not module:
        return None
    first = module.partition(".")[0]
    return interpreter.package(*distributions_of(module)) or interpreter.package(re.sub(r"[-_.]+", "-", first).lower())


def packages_of_frames(frames: tuple[Frame, ...]) -> tuple[str, ...]:
    """The imports whose files stand in a traceback, the innermost first, each once; "" stands for the user's own."""
    modules = []
    for frame in reversed(frames):
        if frame.file.startswith("<") or _is_standard(frame.file):
            continue
        modules.append(module_of_file(frame.file))
    return tuple(dict.fromkeys(modules))


def asked_by(raised: Raised, interpreter: InterpreterFacts | None, besides: frozenset[str] = PROVIDERS) -> str:
    """The first part of the import whose code failed: the innermost one that is none of these ``besides``.

    "": the user's own program.
    """
    modules = packages_of_frames(raised.frames)
    names = {module: owner_of_module(module, interpreter) for module in modules}
    for module in modules:
        owner = names[module]
        if module not in besides and (owner is None or owner.name not in besides):
            return module
    return modules[0] if modules else ""


def _is_standard(file: str) -> bool:
    """Whether a file is of the standard library: lib/python3.11/x.py, Python311/Lib/x.py, but in no site-packages."""
    if module_of_file(file):
        return False
    return (
        re.search(r"[\\/](?:lib(?:64)?[\\/]python\d[\d.]*t?|Python\d*[\\/]Lib|python\d+\.zip)[\\/]", file) is not None
    )

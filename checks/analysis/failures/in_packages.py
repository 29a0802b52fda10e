"""Whether an exception came about between installed packages, so that the user's own program is not at fault.

That is so where his line only imports a package, and where a package calls a function of another with a keyword that
the function does not know. What it was only handed, by him or for a function of his, says nothing.
"""

from __future__ import annotations

import re

from checks.analysis.failures.owners import module_of_file, packages_of_frames
from checks.facts import Frame, ProgramRun, Raised

_KEYWORD = re.compile(r"(?:[\w.<>]+\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_PARENT = re.compile(r"super\(.*\)\.__init__\(.*\*\*\w+")
_NO_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '\w+'")
_IMPORT = re.compile(r"\s*(?:import|from)\s+\w")


def failed_package(run: ProgramRun) -> str:
    """The first part of the import in whose code it failed; "" where the user's program may be at fault."""
    raised = run.raised
    if raised is None or not raised.frames:
        return ""
    module = next(iter(packages_of_frames(raised.frames)), "")
    return module if module and (_is_misfit(raised) or _only_imports(raised)) else ""


def misfit_call(run: ProgramRun) -> str:
    """The call between packages whose keyword the function does not know: "__init__(proxies=)"; "" for others."""
    raised = run.raised
    found = _KEYWORD.search(raised.message) if raised is not None and raised.frames and _is_misfit(raised) else None
    return f"{found[1]}({found[2]}=)" if found else ""


def _is_misfit(raised: Raised) -> bool:
    """Whether a package itself wrote the call: it names the function, and the keyword is not handed through it."""
    found = _KEYWORD.search(raised.message) if raised.type == "TypeError" else None
    caller = raised.frames[-1]
    if found is None or not module_of_file(caller.file):
        return False
    function, keyword = found.groups()
    writes_it = re.search(rf"\b{keyword}\s*=", caller.code) is not None
    names_it = re.search(rf"\b{function}\(", caller.code) is not None and "**" not in caller.code
    is_users = any(re.search(rf"\b{keyword}\b", frame.code) for frame in _own(raised))
    return (writes_it or names_it or _makes_its_own(raised)) and not is_users


def _makes_its_own(raised: Raised) -> bool:
    """Whether a package makes an object of its own class, whose parent is of another package and refuses a keyword.

    So OpenAI's client makes its wrapper of httpx's; where the user's line hands anything through, it may be from there.
    """
    if len(raised.frames) < 2:
        return False
    maker, child = raised.frames[-2:]
    is_child = child.function == "__init__" and _PARENT.match(child.code.strip()) is not None
    is_own_class = module_of_file(maker.file) == module_of_file(child.file)
    return is_child and is_own_class and not any("**" in frame.code for frame in _own(raised))


def _own(raised: Raised) -> list[Frame]:
    return [frame for frame in raised.frames if packages_of_frames((frame,)) == ("",)]


def _only_imports(raised: Raised) -> bool:
    """Whether the innermost line outside of packages is an import, and a package was being loaded for it."""
    own = _own(raised)
    if not own or _IMPORT.match(own[-1].code) is None:
        return False
    behind = raised.frames[raised.frames.index(own[-1]) + 1 :]
    return any(frame.function == "<module>" and module_of_file(frame.file) for frame in behind)


def lacks_name_of_package(run: ProgramRun) -> bool:
    """Whether the user's own line asks an installed package for a name that it does not have."""
    raised = run.raised
    asked = _NO_ATTRIBUTE.match(raised.message) if raised and raised.type == "AttributeError" else None
    first = asked[1].partition(".")[0] if asked else ""
    modules = (module for python in run.pythons for module in python.modules)
    return any(module.name == first and bool(module_of_file(module.file)) for module in modules)

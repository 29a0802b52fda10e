"""Whether an exception came about between installed packages, so that the user's own program is not at fault.

That is so where his line only imports a package; where a package calls a function of another with a keyword that the
function does not know, or asks it for something by a name that stands in its own code and that the other refuses; and
where an object lacks what a package asks it for, and none of his code takes part. What it was only handed, by him or
for a function of his, says nothing.
"""

from __future__ import annotations

import re

from checks.analysis.failures.owners import module_of_file, packages_of_frames
from checks.analysis.failures.tracebacks import raised_in, raised_in_tests
from checks.facts import Frame, ProgramRun, Raised

_KEYWORD = re.compile(r"(?:[\w.<>]+\.)?(\w+)\(\) got an unexpected keyword argument '(\w+)'")
_PARENT = re.compile(r"super\(.*\)\.__init__\(.*\*\*\w+")
_NO_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '\w+'")
_ARGUMENTS = re.compile(r"(?:[\w.<>]+\.)?(\w+)\(\) (?:missing \d+ required|takes .{1,40} arguments? but)")
_LACKS = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_QUOTED = re.compile(r"'([A-Za-z_][\w.]{3,100})'")
# What programs hand to packages: that one lacks something tells of what was handed.
_OF_DATA = frozenset(
    {"NoneType", "str", "bytes", "int", "float", "bool", "list", "tuple", "dict", "set", "function", "method", "module",
     "generator", "type", "ndarray", "Tensor", "DataFrame", "Series", "Namespace"}
)  # fmt: skip
_IMPORT = re.compile(r"\s*(?:import|from)\s+\w")


def failed_package(run: ProgramRun) -> str:
    """The first part of the import in whose code it failed; "" where the user's program may be at fault."""
    raised = _ended_with(run)
    if raised is None or not raised.frames:
        return ""
    misfit = _misfit(raised)
    if misfit is not None:
        return misfit[0]
    module = next(iter(packages_of_frames(raised.frames)), "")
    return module if module and _only_imports(raised) else ""


def misfit_call(run: ProgramRun) -> str:
    """What a package asks of another that does not know it: "__init__(proxies=)", "FixtureDef.unittest"; "" else."""
    raised = _ended_with(run)
    misfit = _misfit(raised) if raised is not None and raised.frames else None
    return misfit[1] if misfit is not None else ""


def misfit_words(run: ProgramRun) -> str:
    """The exception that ended it, as its last line has it."""
    raised = _ended_with(run)
    return f"{raised.type}: {raised.message}" if raised is not None else ""


def _ended_with(run: ProgramRun) -> Raised | None:
    """The exception that ended it, seen from its inside or as its text tells it."""
    return run.raised or next(reversed(raised_in(run.errors)), None) or raised_in_tests(run.output)


def _misfit(raised: Raised) -> tuple[str, str] | None:
    """Of a package and what it asks another for, which that one does not know: (its module, what); None: no such."""
    found = _KEYWORD.search(raised.message)
    innermost = raised.frames[-1]
    if found is not None and _is_misfit(raised):
        return module_of_file(innermost.file), f"{found[1]}({found[2]}=)"
    call = _ARGUMENTS.match(raised.message) if raised.type == "TypeError" else None
    if call is not None and module_of_file(innermost.file) and module_of_file(raised.about):
        names_it = re.search(rf"\b{call[1]}\(", innermost.code) is not None
        is_anothers = module_of_file(innermost.file) != module_of_file(raised.about)
        return (module_of_file(innermost.file), f"{call[1]}()") if names_it and is_anothers else None
    lacks = _LACKS.fullmatch(raised.message) if raised.type == "AttributeError" else None
    if lacks is not None and module_of_file(innermost.file) and not _own(raised) and lacks[1] not in _OF_DATA:
        is_its_own = re.search(rf"\.{lacks[2]}\b", innermost.code) is not None
        return (module_of_file(innermost.file), f"{lacks[1]}.{lacks[2]}") if is_its_own else None
    return _refused_name(raised)


def _refused_name(raised: Raised) -> tuple[str, str] | None:
    """A name that the line of one package spells out, and that the code of another refuses with an error of its own.

    An error of Python itself may be about the user's data: "KeyError: 'label'".
    """
    refuser = module_of_file(raised.frames[-1].file)
    if not refuser or module_of_type(raised.type) != refuser:
        return None
    names = _QUOTED.findall(raised.message)
    if any(name in frame.code for frame in _own(raised) for name in names):
        return None
    for frame in reversed(raised.frames):
        asker = module_of_file(frame.file)
        name = next((name for name in names if f"'{name}'" in frame.code or f'"{name}"' in frame.code), "")
        if asker and asker != refuser and name:
            return asker, f"'{name}'"
    return None


def module_of_type(name: str) -> str:
    """The first part of the import that an exception's type belongs to; "" for one of Python itself."""
    return name.partition(".")[0] if "." in name else ""


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

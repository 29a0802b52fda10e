"""Whether an exception came about between installed packages, so that the user's own program is not at fault.

That is so where his line only imports a package, and where a package calls a function with other arguments than the
function takes: what the traceback ends in is then the caller.
"""

from __future__ import annotations

import re

from checks.analysis.failures.owners import module_of_file, packages_of_frames
from checks.facts import ProgramRun, Raised

_SIGNATURE = re.compile(
    r"got an unexpected keyword argument|takes (?:from )?\d+ (?:to \d+ )?positional arguments? but|"
    r"missing \d+ required (?:positional|keyword-only) arguments?|got multiple values for (?:keyword )?argument"
)
_NO_ATTRIBUTE = re.compile(r"module '([\w.]+)' has no attribute '\w+'")
_IMPORT = re.compile(r"\s*(?:import|from)\s+\w")


def failed_package(run: ProgramRun) -> str:
    """The first part of the import in whose code it failed; "" where the user's program may be at fault."""
    raised = run.raised
    if raised is None or not raised.frames:
        return ""
    module = next(iter(packages_of_frames(raised.frames)), "")
    return module if module and (_is_misfit(raised) or _only_imports(raised)) else ""


def _is_misfit(raised: Raised) -> bool:
    is_of_signature = raised.type == "TypeError" and _SIGNATURE.search(raised.message) is not None
    return is_of_signature and bool(module_of_file(raised.frames[-1].file))


def _only_imports(raised: Raised) -> bool:
    """Whether the innermost line outside of packages is an import. Of several statements on it, the first."""
    own = [frame for frame in raised.frames if not module_of_file(frame.file) and not frame.file.startswith("<")]
    lines = [frame for frame in own if packages_of_frames((frame,)) == ("",)]
    return bool(lines) and _IMPORT.match(lines[-1].code) is not None


def lacks_name_of_package(run: ProgramRun) -> bool:
    """Whether the user's own line asks an installed package for a name that it does not have."""
    raised = run.raised
    asked = _NO_ATTRIBUTE.match(raised.message) if raised and raised.type == "AttributeError" else None
    first = asked[1].partition(".")[0] if asked else ""
    modules = (module for python in run.pythons for module in python.modules)
    return any(module.name == first and bool(module_of_file(module.file)) for module in modules)

"""There is no build of the framework for this Python version or platform, or the installed one is for another.

Detects:      a framework whose wheel tags or Requires-Python do not fit the interpreter that holds it; a Python without
              a framework for which none is published: too old, too new, 32 bit, musl, PyPy, x86 on a Mac. A module or
              name of Python's own library that this release no longer has, or not yet (distutils, typing.Self). A
              module that is there only as compiled by another release (.pyc).
Why it bites: compiled packages are made per Python version and platform: pip says "from versions: none", and a copied
              one ends with "No module named 'torch._C'" or "not a valid Win32 application".
Blind spots:  where no framework is installed, PyTorch stands for all of them.
Knowledge:    resources/knowledge/frameworks/torch.toml, import_errors.toml, packages/names.toml, moved_names.toml,
              bytecode.toml
"""

import ast
import datetime as dt
import re
from collections.abc import Iterator

import msgspec
from packaging.specifiers import SpecifierSet

from checks.analysis.failures.absent import Kind, absences
from checks.analysis.failures.at_import import recognised
from checks.analysis.packages.fitting_build import fitting_torch, python_tag, wheel_platform
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts, Package, ProgramRuns
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.facts.quotation import quotation
from checks.facts.versions import release
from checks.knowledge.errors.import_errors import ImportErrors
from checks.knowledge.frameworks.torch import TorchTable, newest_release, pythons_for
from checks.knowledge.packages.ai_packages import framework_of_package, frameworks_among, needs_no_framework
from checks.knowledge.packages.bytecode import python_of_magic
from checks.knowledge.packages.moved_names import MovedNames
from checks.knowledge.packages.names import PYTHON, Wanted, releases_with

CAUSE = "python-version-unsupported"
LEFT_BEHIND = dt.timedelta(days=3 * 365)  # releases so far behind the newest run hardly any program of today

_CPYTHON_TAG = re.compile(r"cp(\d)(\d+)$")
# Words in platform tags (PyPA's specification) -> the architectures, as Python spells them, that they are for.
_PLATFORM_WORDS = {
    "x86_64": {"x86_64", "AMD64", "universal2"},
    "amd64": {"x86_64", "AMD64"},
    "aarch64": {"aarch64", "arm64"},
    "arm64": {"arm64", "aarch64", "ARM64", "universal2"},
    "i686": {"i686", "i386", "x86"},
    "win32": {"x86"},
    "armv6l": {"armv6l", "armv7l", "arm"},
    "armv7l": {"armv7l", "arm"},
}


@check(CAUSE, from_whole=True)
def python_version_unsupported(
    interpreter: InterpreterFacts,
    machine: MachineFacts,
    frameworks: Frameworks | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per framework that does not fit, or one for PyTorch where none is installed."""
    if interpreter.problem:  # interpreter-not-usable
        return
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    blamed = set()
    for package in interpreter.packages:
        if package.name in framework_of_package() and (misfit := _misfit(package, interpreter)):
            blamed.add(framework_of_package()[package.name])
            yield _finding(interpreter, f"{package.name} {package.version}", *misfit, machine)
    for trouble, found in recognised(CAUSE, frameworks, runs=runs):
        if trouble.package not in blamed:
            clue = Evidence("clue", quotation(found.line), ImportErrors.read().title, found.row.sources[0])
            severity = Severity.BLOCKING if trouble.is_fatal else Severity.WARNING
            label = found.groups.get("module", trouble.label)
            finding = _finding(interpreter, label, clue, severity, found.row.certainty, machine)
            written_by = python_of_magic(_bytes_of(found.groups.get("magic", "")))
            wanted = {"python_fit": written_by} if written_by else {}
            yield msgspec.structs.replace(finding, values={**finding.values, **wanted, **trouble.failed_run})
    yield from _outside_the_library(interpreter, machine, frameworks, runs)
    names = [package.name for package in interpreter.packages]
    if not frameworks_among(names) and not needs_no_framework(names):
        yield from _nothing_to_install(interpreter, machine)


def _bytes_of(literal: str) -> bytes:
    """The bytes that an error shows as Python writes them."""
    try:
        value = ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return b""
    return value if isinstance(value, bytes) else b""


def _outside_the_library(
    interpreter: InterpreterFacts, machine: MachineFacts, frameworks: Frameworks | None, runs: ProgramRuns | None
) -> Iterator[Finding]:
    """What was asked of Python's own library that this release has not: distutils, collections.Mapping, typing.Self."""
    for absent in absences(interpreter, frameworks, None, runs):
        here = absent.interpreter or interpreter
        wanted = releases_with(PYTHON, absent.module, absent.name) if absent.kind is not Kind.PACKAGE else None
        if wanted is None or not here.version or not wanted.lacks(here.version):
            continue
        what = ".".join(part for part in (absent.module, absent.name) if part)
        clue = Evidence("clue", f"{what}: {wanted.requirement}", MovedNames.read().title, wanted.source)
        finding = _finding(here, absent.asker_label, clue, Severity.BLOCKING, 0.9, machine)
        bring_back = {"requirement": wanted.backport, "import_statement": absent.statement} if wanted.backport else {}
        yield msgspec.structs.replace(
            finding,
            severity=Severity.BLOCKING if absent.trouble.is_fatal else Severity.WARNING,
            evidence=(*finding.evidence, Evidence("error_text", absent.line, absent.trouble.origin)),
            values={
                "python_fit": _nearest(wanted),
                **absent.trouble.failed_run,
                **({"package_name": absent.asker.name} if absent.asker else {}),
                **bring_back,
            },
            remedies=(
                *(("install-fitting-release",) if wanted.backport else ()),
                *(("update-package",) if absent.asker else ()),
                "make-environment-with-python",
            ),
        )


def _nearest(wanted: Wanted) -> str:
    """The release of Python nearest to this one that has it: "3.11"."""
    if wanted.gone:
        major, last = release(wanted.gone)[:2]
        return f"{major}.{last - 1}"
    return wanted.first


def _misfit(package: Package, interpreter: InterpreterFacts) -> tuple[Evidence, Severity, float] | None:
    """What shows that an installed package was made for another interpreter."""
    if package.tags and not any(_fits(tag, interpreter) for tag in package.tags):
        return Evidence("wheel_tag", ", ".join(package.tags), package.location or "WHEEL"), Severity.BLOCKING, 0.9
    try:
        wanted = SpecifierSet(package.requires_python or "")
        is_served = not interpreter.version or wanted.contains(interpreter.version, prereleases=True)
    except ValueError:  # no specifier or version, or a number longer than Python converts
        return None
    if not is_served:
        return Evidence("wheel_tag", f"Python {wanted}", package.location or "METADATA"), Severity.WARNING, 0.8
    return None


def _fits(tag: str, interpreter: InterpreterFacts) -> bool:
    """Whether a wheel tag ("cp311-cp311-manylinux_2_28_x86_64") fits; what is not known of either side fits."""
    python, _, rest = tag.partition("-")
    abi, _, platform = rest.partition("-")
    return _fits_python(python, abi, interpreter) and _fits_platform(platform, interpreter)


def _fits_python(python: str, abi: str, interpreter: InterpreterFacts) -> bool:
    found = _CPYTHON_TAG.match(python)
    if found is None or not interpreter.version or (interpreter.implementation or "cpython") != "cpython":
        return found is None or not interpreter.version
    made_for, here = (int(found[1]), int(found[2])), (*release(interpreter.version), 0)[:2]
    if abi in {"abi3", "none"}:
        return here >= made_for and not (abi == "abi3" and interpreter.free_threaded)
    return here == made_for and (interpreter.free_threaded is None or abi.endswith("t") == interpreter.free_threaded)


def _fits_platform(platform: str, interpreter: InterpreterFacts) -> bool:
    if platform == "any" or "universal2" in platform or not interpreter.architecture:
        return True
    word = next((word for word in _PLATFORM_WORDS if platform.endswith(word)), None)
    return word is None or interpreter.architecture in _PLATFORM_WORDS[word]


def _nothing_to_install(interpreter: InterpreterFacts, machine: MachineFacts) -> Iterator[Finding]:
    """PyTorch for an interpreter that has no framework yet."""
    os, python, platform = machine.os, python_tag(interpreter), wheel_platform(machine, interpreter)
    if os is None or os.system is None or python is None or not interpreter.architecture_on(os):
        raise Unread("wheel_platform", "")
    if (os.system, interpreter.architecture_on(os)) == ("Windows", "ARM64"):
        # There are builds for some Python versions, which the table does not list (pytorch/pytorch#195033).
        raise NotInTable(TorchTable.read().title, "Windows ARM64")
    newest = newest_release(platform) if platform else None
    if platform is None or newest is None or (interpreter.implementation or "cpython") != "cpython":
        table = TorchTable.read()
        offered = Evidence("offered_platforms", ", ".join(table.release[-1].python), table.title)
        yield _finding(interpreter, "torch", offered, Severity.BLOCKING, 0.9, machine)
        return
    offered = Evidence("offered_pythons", ", ".join(newest.python[platform]), TorchTable.read().title)
    label = f"torch {newest.version}"
    for_this = newest_release(platform, python)
    with_any = fitting_torch(machine, interpreter, python=None)
    is_left_behind = for_this is None or newest.date - for_this.date > LEFT_BEHIND
    if is_left_behind or (with_any and not fitting_torch(machine, interpreter, python=python)):
        yield _finding(interpreter, label, offered, Severity.BLOCKING, 0.9, machine)
    elif python not in newest.python[platform]:  # an older release is still there for it
        yield _finding(interpreter, label, offered, Severity.NOTE, 0.9, machine)


def _finding(
    interpreter: InterpreterFacts,
    package: str,
    shown: Evidence,
    severity: Severity,
    confidence: float,
    machine: MachineFacts,
) -> Finding:
    os = machine.os
    system = f"{os.system or ''} {os.libc if os.libc == 'musl' else ''}".strip() if os else ""
    described = f"{system} {interpreter.architecture or ''} {_implementation(interpreter)}".strip()
    platform = wheel_platform(machine, interpreter) or "linux_x86_64"
    newest = newest_release(platform)
    pythons = pythons_for(newest.version, platform) if newest else ()
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=package,
        evidence=(
            Evidence("wheel_package", package, shown.origin),
            Evidence("python_version", python_tag(interpreter) or "?", interpreter.path),
            Evidence("wheel_platform", described, interpreter.path),
            shown,
        ),
        # The last but one: the companions and extensions of the newest Python often follow months later.
        values={"python_fit": pythons[-2:][0]} if pythons else {},
        remedies=_remedies(interpreter, machine),
    )


def _remedies(interpreter: InterpreterFacts, machine: MachineFacts) -> tuple[str, ...]:
    if machine.os and machine.os.libc == "musl":
        return ("use-glibc-image",)
    if machine.apple and machine.apple.is_apple_silicon and interpreter.architecture == "x86_64":
        return ("install-arm64-python",)
    if interpreter.architecture in {"x86", "i386", "i686", "arm", "armv7l"}:
        return ("install-64-bit-python",)
    return ("make-environment-with-python",)


def _implementation(interpreter: InterpreterFacts) -> str:
    name = interpreter.implementation or "cpython"
    return name if name != "cpython" else ""

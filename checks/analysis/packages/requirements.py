"""What installed packages ask of each other, and where the wish is not met: pip's own check, for another interpreter.

The markers of a requirement ("; sys_platform == 'win32'") are evaluated for the target, never for our own Python.
"""

import functools
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from checks.facts import InterpreterFacts, OsFacts, Package
from checks.facts.finding import Unread

SYS_PLATFORM = {"Linux": "linux", "Windows": "win32", "Darwin": "darwin"}


@dataclass(frozen=True)
class Broken:
    """A requirement that is not met. ``found`` is None where the package that is asked for is not installed."""

    package: Package
    requirement: Requirement
    found: Package | None

    @property
    def needed(self) -> str:
        """The requirement without its marker: "huggingface-hub>=0.30,<1.0"."""
        return f"{self.requirement.name}{self.requirement.specifier}"


def broken_if_read(interpreter: InterpreterFacts, os: OsFacts | None, *, needed: bool) -> tuple[Broken, ...]:
    """All broken requirements; () where they cannot be read and another proof makes them unnecessary.

    Raises:
        Unread: as :func:`broken_requirements`, if they are ``needed``.
    """
    try:
        return tuple(broken_requirements(interpreter, os))
    except Unread:
        if needed:
            raise
        return ()


def broken_requirements(interpreter: InterpreterFacts, os: OsFacts | None) -> Iterator[Broken]:
    """Every requirement of a package whose metadata were read that the installed packages do not meet.

    Raises:
        Unread: the list of packages, or what the markers ask of the interpreter, was not read.
    """
    if interpreter.packages is None:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    environment = marker_environment(interpreter, os)
    installed = {package.name: package for package in reversed(interpreter.packages)}
    for package in interpreter.packages:
        for line in package.requires or ():
            requirement = parsed(line)
            if requirement is None or not _applies(requirement, environment):
                continue
            found = installed.get(canonicalize_name(requirement.name))
            if found is None or not _meets(found, requirement):
                yield Broken(package, requirement, found)


def asks_for_another(package: Package, neighbour: Package) -> bool:
    """Whether a package's requirements name this neighbour in another version than the one that is installed."""
    wishes = (parsed(line) for line in package.requires or ())
    return any(
        wish and canonicalize_name(wish.name) == neighbour.name and not _meets(neighbour, wish) for wish in wishes
    )


def marker_environment(interpreter: InterpreterFacts, os: OsFacts | None) -> dict[str, str]:
    """The variables of environment markers (PEP 508) as the target interpreter has them.

    Raises:
        Unread: the interpreter's version or the kind of system is not known.
    """
    if not interpreter.version:
        raise Unread("python_version", interpreter.unread.get("version", ""))
    if os is None or not os.system:
        raise Unread("os", os.unread.get("system", "") if os else "")
    implementation = interpreter.implementation or "cpython"
    return {
        "implementation_name": implementation,
        "implementation_version": interpreter.version,
        "os_name": "nt" if os.system == "Windows" else "posix",
        "platform_machine": interpreter.architecture_on(os) or "",
        "platform_python_implementation": {"cpython": "CPython", "pypy": "PyPy"}.get(implementation, implementation),
        "platform_release": os.kernel or "",
        "platform_system": os.system,
        "platform_version": "",
        "python_full_version": interpreter.version,
        "python_version": ".".join(interpreter.version.split(".")[:2]),
        "sys_platform": SYS_PLATFORM.get(os.system, os.system.lower()),
        "extra": "",  # what an extra asks for is a wish of whoever installed it, and nobody tells which were wished
    }


@functools.lru_cache(maxsize=8192)  # several checks ask for the same lines, and parsing is what takes the time
def parsed(line: str) -> Requirement | None:
    """A requirement; None where the line is none (old packages carry lines that no tool reads any more)."""
    try:
        return Requirement(line)
    except InvalidRequirement:
        return None


def _applies(requirement: Requirement, environment: dict[str, str]) -> bool:
    if requirement.marker is None:
        return True
    try:
        return requirement.marker.evaluate(environment)
    except (UndefinedComparison, UndefinedEnvironmentName, ValueError):
        return False


def _meets(found: Package, requirement: Requirement) -> bool:
    try:
        return requirement.specifier.contains(Version(found.version), prereleases=True)
    except ValueError:  # a version that is none (a conda or vendor build) is not held against the package
        return True

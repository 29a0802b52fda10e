"""The compiled modules of an installed package are for another Python, system or processor.

Detects:      modules whose names ("cpython-310", "darwin") or headers (ELF, PE, Mach-O) are not of this interpreter,
              where none beside them is.
Why it bites: Python passes over a module of another name and says that it does not exist; one of another processor ends
              with "wrong ELF class" or "not a valid Win32 application".
Blind spots:  libraries that are no modules; packages that carry those of several systems on purpose.
Knowledge:    none: the interpreter's own modules and program show what it loads
"""

from collections.abc import Iterator

from checks.analysis.packages.reinstalled import reinstalling
from checks.analysis.packages.taking_part import Part, part_of
from checks.causes.registry import check
from checks.facts import Facts, InstalledFiles, InterpreterFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread


@check("wheel-for-another-platform")
def wheel_for_another_platform(
    installed: InstalledFiles, interpreter: InterpreterFacts, facts: Facts
) -> Iterator[Finding]:
    """One finding per package."""
    for package in installed.packages:
        if not package.foreign or package.on_pythonpath:  # library-path-conflict: its remedy is the variable
            continue
        part = part_of(package.modules, facts)
        first = package.foreign[0]
        yield Finding(
            severity=Severity.NOTE if part is Part.ASIDE else Severity.BLOCKING,
            confidence=0.96 if part is Part.IN_FAILURE else 0.92,
            subject=package.name,
            evidence=(
                Evidence("package", f"{package.name} {package.version}", package.location),
                Evidence("foreign_modules", ", ".join(module.path for module in package.foreign[:3]), package.location),
                Evidence("built_for", first.built_for, package.location),
                Evidence(
                    "python_version",
                    f"{interpreter.version or ''} {interpreter.architecture or ''}".strip(),
                    interpreter.path,
                ),
            ),
            values=reinstalling(package, facts),
        )
    if not installed.examined:
        raise Unread("installed", installed.unread.get("installed", ""))

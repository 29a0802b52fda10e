"""The system's C library, or its C++ runtime, is older than a package needs.

Detects:      wheels whose tag asks for a newer glibc than the system's, wheels for glibc on a musl system (Alpine),
              and imports that fail with "version `GLIBC_2.32' not found".
Why it bites: the loader refuses the package's libraries. pip would not have installed such a wheel here; it came from
              another machine, or the system below it was changed.
Blind spots:  a package compiled on another machine carries no tag that tells.
Knowledge:    resources/knowledge/packages/glibc.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

import msgspec

from checks.analysis.failures.at_import import finding_of_text, recognised
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, OsFacts, Package, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity, Unread, only_on
from checks.facts.versions import release
from checks.knowledge.packages.glibc import Glibc, first_systems_with, glibc_of_tags

CAUSE = "glibc-too-old"
UNKNOWN = "–"
# Of glibc itself there is no second copy to take; of the C++ runtime there is.
REMEDIES = ("update-system", "install-older-package")


@check(CAUSE)
def glibc_too_old(
    os: OsFacts,
    interpreter: InterpreterFacts,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per package that asks for more than the system has."""
    only_on("Linux", os)
    seen = set()
    for trouble, found in recognised(CAUSE, frameworks, probes, runs):
        seen.add(trouble.package)
        symbol = found.groups.get("needed", "GLIBC")
        finding = finding_of_text(trouble, found, *_side_by_side(symbol, os))
        yield msgspec.structs.replace(finding, remedies=REMEDIES if symbol.startswith("GLIBC_") else ())
    if interpreter.packages is None and not seen:
        raise Unread("packages", interpreter.unread.get("packages", ""))
    for package in interpreter.packages or ():
        needed = glibc_of_tags(package.tags or ())
        if needed is not None and package.name not in seen and _is_missing(needed, os):
            yield _of_tag(package, needed, os)


def _is_missing(needed: str, os: OsFacts) -> bool:
    if os.libc == "musl":
        return True
    if not os.libc_version:
        raise Unread("libc_version", os.unread.get("libc_version", ""))
    return release(os.libc_version) < release(needed)


def _of_tag(package: Package, needed: str, os: OsFacts) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        confidence=0.9,
        subject=package.name,
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location or ""),
            *_side_by_side(f"GLIBC_{needed}", os),
            Evidence("clue", ", ".join(package.tags or ()), package.location or ""),
        ),
        values={"package_name": package.name},
        remedies=REMEDIES,
    )


def _side_by_side(needed: str, os: OsFacts) -> tuple[Evidence, ...]:
    """What is asked for, what this system is, and the first systems that would do."""
    library = f"{os.libc or 'libc'} {os.libc_version or ''}".strip()
    system = f"{os.name}, {library}" if os.name else library
    return (
        Evidence("needed", needed),
        Evidence("system", system, os.origin),
        Evidence("fitting", ", ".join(first_systems_with(needed)) or UNKNOWN, Glibc.read().title, Glibc.read().source),
    )

"""A package asks for a version of another package that is not the one installed.

Detects:      a requirement in the metadata of an installed AI package that the installed packages do not meet, and
              imports that fail with the words of such a conflict.
Why it bites: the package calls what its neighbour no longer has, or does not have yet.
Blind spots:  an upper limit that was set out of caution; such a pair often works.
Knowledge:    resources/knowledge/errors/import_errors.toml; the packages' own metadata
"""

import re
from collections.abc import Iterator

from packaging.utils import canonicalize_name

from checks.analysis.failures.at_import import finding_of_text, recognised
from checks.analysis.failures.seen_to_work import imported_packages
from checks.analysis.packages.requirements import Broken, broken_if_read
from checks.causes.environment.framework_companion_mismatch import companion_pairs
from checks.causes.environment.numpy_abi_mismatch import is_other_generation
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, OsFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Value
from checks.knowledge.errors.import_errors import Recognised
from checks.knowledge.phrases import phrase

CAUSE = "dependency-version-conflict"
ABSENT = "–"

# Neighbours that have a cause of their own, which knows more than "the versions do not fit".
OWN_CAUSE = frozenset({"protobuf", "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"})


@check(CAUSE)
def dependency_version_conflict(
    interpreter: InterpreterFacts,
    os: OsFacts,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
) -> Iterator[Finding]:
    """One finding per package, with all that does not fit it: no more than a note where it was seen to load."""
    texts = tuple(recognised(CAUSE, frameworks, probes)) if frameworks is not None else ()
    conflicts: dict[str, list[Broken]] = {}
    for broken in broken_if_read(interpreter, os, needed=not texts):
        if not _is_of_another_cause(broken):
            conflicts.setdefault(broken.package.name, []).append(broken)
    for trouble, found in texts:
        known = conflicts.pop(trouble.package, [])
        needed, here = (_needed(known), _found(known)) if known else _of_text(found, interpreter)
        yield finding_of_text(
            trouble,
            found,
            Evidence("needed", needed),
            Evidence("found", here),
            **(_shown(known) if known else {"found": (here,) if here != ABSENT else ()}),
            requirement=_wishes(known) or found.row.requirement or found.groups.get("needed", ""),
        )
    loaded = imported_packages(frameworks, runs)
    for package_conflicts in conflicts.values():
        yield _of_metadata(package_conflicts, loads=package_conflicts[0].package.name in loaded)


def _is_of_another_cause(broken: Broken) -> bool:
    if broken.found is None:  # what is missing has no other cause
        return False
    name = canonicalize_name(broken.requirement.name)
    is_companion = (broken.package.name, name) in companion_pairs()
    return name in OWN_CAUSE or is_companion or is_other_generation(broken)


def _of_text(found: Recognised, interpreter: InterpreterFacts) -> tuple[str, str]:
    """What is asked for and what is there instead, as far as an error text tells."""
    groups = found.groups
    module = groups.get("module", "")
    symbol = ".".join(part for part in (module, groups.get("symbol", "")) if part)
    needed = found.row.requirement or groups.get("needed") or symbol
    neighbour = canonicalize_name(re.split(r"[<>=!~.\[]", found.row.requirement or module)[0])
    package = interpreter.package(neighbour)
    return needed, f"{package.name} {package.version}" if package else groups.get("found") or module or ABSENT


def _of_metadata(conflicts: list[Broken], *, loads: bool) -> Finding:
    package = conflicts[0].package
    return Finding(
        severity=Severity.NOTE if loads else Severity.WARNING,
        confidence=0.7,
        subject=package.name,
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location or ""),
            Evidence("needed", _needed(conflicts), package.location or ""),
            Evidence("found", _found(conflicts), package.location or ""),
        ),
        values={"package_name": package.name, "requirement": _wishes(conflicts)} | _shown(conflicts),
    )


def _needed(conflicts: list[Broken]) -> str:
    return ", ".join(broken.needed for broken in conflicts)


def _found(conflicts: list[Broken]) -> str:
    """What is there instead, in the same order."""
    here = (broken.found for broken in conflicts)
    return ", ".join(f"{found.name} {found.version}" if found else ABSENT for found in here)


def _shown(conflicts: list[Broken]) -> dict[str, Value]:
    """The same in words: what is not there is named."""
    here = (
        f"{conflict.found.name} {conflict.found.version}"
        if conflict.found
        else phrase("not-there", module=conflict.requirement.name)
        for conflict in conflicts
    )
    return {"found": tuple(here)}


def _wishes(conflicts: list[Broken]) -> str:
    """All of it as words of one command."""
    return " ".join(broken.needed for broken in conflicts)

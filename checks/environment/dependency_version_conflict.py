"""A package asks for a version of another package that is not the one installed.

Detects:      a requirement in the metadata of an installed AI package that the installed packages do not meet, and
              imports that fail with the words of such a conflict.
Why it bites: the package calls what its neighbour no longer has, or does not have yet.
Blind spots:  an upper limit that was set out of caution; such a pair often works.
Knowledge:    resources/knowledge/import_errors.toml; the packages' own metadata
"""

from collections.abc import Iterator

from packaging.utils import canonicalize_name

from checks.environment.framework_companion_mismatch import OTHER_PAIRS
from checks.environment.numpy_abi_mismatch import is_other_generation
from checks.facts import Frameworks, InterpreterFacts, OsFacts, ProbeRuns
from checks.finding import Evidence, Finding, Severity
from checks.import_trouble import finding_of_text, recognised
from checks.knowledge.torch_companions import companion_names
from checks.registry import check
from checks.requirements import Broken, broken_requirements

CAUSE = "dependency-version-conflict"
ABSENT = "–"

# Neighbours that have a cause of their own, which knows more than "the versions do not fit".
OWN_CAUSE = frozenset({"protobuf", "nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"})
# Pairs that framework-companion-mismatch judges: (package, what it asks for).
COMPANIONS = OTHER_PAIRS | {(name, "torch") for name in companion_names()}


@check(CAUSE)
def dependency_version_conflict(
    interpreter: InterpreterFacts, os: OsFacts, frameworks: Frameworks | None, probes: ProbeRuns | None
) -> Iterator[Finding]:
    """One finding per package and neighbour that do not fit."""
    for broken in broken_requirements(interpreter, os):
        if not _is_of_another_cause(broken):
            yield _of_metadata(broken)
    if frameworks is not None:
        for trouble, found in recognised(CAUSE, frameworks, probes):
            groups = found.groups
            needed = groups.get("needed", "")
            yield finding_of_text(
                CAUSE,
                trouble,
                found,
                Evidence("needed", needed or groups.get("symbol", ABSENT)),
                Evidence("found", groups.get("found") or groups.get("module", ABSENT)),
                requirement=needed,
            )


def _is_of_another_cause(broken: Broken) -> bool:
    name = canonicalize_name(broken.requirement.name)
    return name in OWN_CAUSE or (broken.package.name, name) in COMPANIONS or is_other_generation(broken)


def _of_metadata(broken: Broken) -> Finding:
    package, found = broken.package, broken.found
    return Finding(
        cause=CAUSE,
        severity=Severity.WARNING,
        confidence=0.7,
        subject=f"{package.name} {broken.requirement.name}",
        evidence=(
            Evidence("package", f"{package.name} {package.version}", package.location or ""),
            Evidence("needed", broken.needed, package.location or ""),
            Evidence("found", f"{found.name} {found.version}" if found else ABSENT, (found and found.location) or ""),
        ),
        values={"package_name": package.name, "requirement": broken.needed},
    )

"""An interrupted installation or removal left something behind.

Detects:      pip's renamed folders ("~orch"), metadata folders without metadata, two releases of one package.
Why it bites: mostly not at all: pip warns of an "invalid distribution"; with two releases, tools name the wrong one.
Blind spots:  leftovers outside the folders of packages.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.causes.registry import check
from checks.facts import InstalledFiles
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.phrases import phrase

SHOWN = 5


@check("installation-leftovers")
def installation_leftovers(installed: InstalledFiles) -> Iterator[Finding]:
    """One note for all leftovers, and one per package that is there twice."""
    left = [leftover for leftover in installed.leftovers if leftover.kind in ("renamed", "no-metadata")]
    if left:
        paths = ", ".join(leftover.path for leftover in left[:SHOWN])
        yield Finding(
            severity=Severity.NOTE,
            confidence=0.95,
            evidence=(Evidence("leftover_paths", paths, installed.origin),),
            values={"leftover": phrase("leftover-paths", paths=paths)},
            remedies=("remove-leftovers",),
        )
    for twice in installed.twice:
        is_mixed = not twice.version_of_files
        versions = ", ".join(twice.versions)
        key = "leftover-twice-mixed" if is_mixed else "leftover-twice"
        yield Finding(
            severity=Severity.WARNING if is_mixed else Severity.NOTE,
            confidence=0.8,
            subject=twice.name,
            evidence=(
                Evidence("package", twice.name, twice.location),
                Evidence("leftover_paths", f"{twice.name}: {versions}", twice.location),
            ),
            values={
                "leftover": phrase(key, package=twice.name, versions=versions, version=twice.version_of_files),
                "package_name": twice.name,
                "import_names": twice.name.replace("-", "_"),
            },
            remedies=("remove-and-reinstall-package",),
        )
    if not installed.examined:
        raise Unread("installed", installed.unread.get("installed", ""))

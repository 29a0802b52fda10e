"""An interrupted installation or removal left something behind.

Detects:      pip's renamed folders ("~orch"), metadata folders without metadata, two releases of one package; and a
              failure that names the release whose files are not there.
Why it bites: mostly not at all: pip warns of an "invalid distribution"; with two releases, tools name the wrong one,
              and packages refuse a neighbour that is too old on paper alone.
Blind spots:  leftovers outside the folders of packages.
Knowledge:    none
"""

import re
from collections.abc import Iterator

from checks.analysis.packages.taking_part import failed_run_saying
from checks.causes.registry import check
from checks.facts import Facts, InstalledFiles, InstalledTwice
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity, Unread
from checks.facts.phrase import Value
from checks.knowledge.phrases import phrase

SHOWN = 5


@check("installation-leftovers")
def installation_leftovers(installed: InstalledFiles, facts: Facts) -> Iterator[Finding]:
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
        yield _of_twice(twice, facts)
    if not installed.examined:
        raise Unread("installed", installed.unread.get("installed", ""))


def _of_twice(twice: InstalledTwice, facts: Facts) -> Finding:
    is_mixed = not twice.version_of_files
    versions = ", ".join(twice.versions)
    key = "leftover-twice-mixed" if is_mixed else "leftover-twice"
    failed = _failed_run(twice, facts)
    paths = ", ".join(twice.stale[:SHOWN]) or f"{twice.name}: {versions}"
    stale = {"stale_metadata": twice.stale[0], "metadata_aside": f"{twice.stale[0]}.removed"} if twice.stale else {}
    return Finding(
        severity=_severity(failed, facts) if failed else Severity.WARNING if is_mixed else Severity.NOTE,
        confidence=0.96 if failed else 0.8,
        subject=twice.name,
        evidence=(
            Evidence("package", twice.name, twice.location),
            Evidence("leftover_paths", paths, twice.location),
        ),
        values={
            "leftover": phrase(key, package=twice.name, versions=versions, version=twice.version_of_files),
            "package_name": twice.name,
            "import_names": twice.name.replace("-", "_"),
            **stale,
            **failed,
        },
        remedies=("move-stale-metadata" if twice.stale else "remove-and-reinstall-package",),
    )


def _failed_run(twice: InstalledTwice, facts: Facts) -> dict[str, Value]:
    """The value that ties it to the failed run that names a release whose files are not there."""
    name = r"[-_.]".join(map(re.escape, twice.name.split("-")))
    for version in twice.versions:
        if twice.version_of_files not in ("", version):
            told = re.compile(rf"\b{name}\W{{0,3}}(?:version\W{{1,3}})?{re.escape(version)}(?![\w.]*\d)", re.IGNORECASE)
            failed = failed_run_saying(told, facts)
            if failed:
                return failed
    return {}


def _severity(failed: dict[str, Value], facts: Facts) -> Severity:
    is_unasked = any(run.is_unasked and run.label == failed[FAILED_RUN] for run in facts.runs)
    return Severity.WARNING if is_unasked else Severity.BLOCKING

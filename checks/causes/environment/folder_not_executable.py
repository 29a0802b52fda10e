"""The environment lies on a file system from which nothing may be run or loaded.

Detects:      a mount with "noexec" under the environment whose compiled packages did not load.
Why it bites: Python's own files are only read, but compiled packages are mapped as programs, which the system refuses.
Blind spots:  a noexec folder that packages unpack or compile into and that no variable names.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.texts import told
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.facts.quotation import quotation

CAUSE = "folder-not-executable"


@check(CAUSE)
def folder_not_executable(
    environment: EnvironmentVariables,
    frameworks: Frameworks | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None,
) -> Iterator[Finding]:
    """One finding: the first such folder."""
    places = [place for place in environment.places or () if place.is_noexec is not None]
    if not places:
        raise NotHere("places")
    words = told(CAUSE, frameworks, probes, runs)
    if words is None:
        return
    found, origin, _ = words
    for place in places:
        if place.is_noexec and (place.name == "environment" or place.path in found.line):
            yield Finding(
                severity=Severity.BLOCKING,
                confidence=0.97,
                subject=place.path,
                evidence=(
                    Evidence("place", place.path, environment.origin),
                    Evidence("mount_option", "noexec", environment.origin),
                    Evidence("clue", quotation(found.line), origin, found.row.sources[0]),
                ),
                values={"place_path": place.path},
            )
            return

"""A library finds no room in the block of thread-local storage that was set aside when the process started.

Detects:      imports that fail with "cannot allocate memory in static TLS block", mostly libgomp on ARM machines.
Why it bites: the block cannot grow; what is loaded late and needs a place in it is refused.
Blind spots:  it depends on what the user's program has loaded before.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from checks.analysis.failures.at_import import findings_of_texts
from checks.causes.registry import check
from checks.facts import Frameworks, OsFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Finding

CAUSE = "static-tls-exhausted"


@check(CAUSE)
def static_tls_exhausted(
    frameworks: Frameworks | None, probes: ProbeRuns | None, os: OsFacts | None, runs: ProgramRuns | None = None
) -> tuple[Finding, ...]:
    """One finding per package whose library came too late."""
    return findings_of_texts(CAUSE, "Linux", frameworks, probes, os, runs)

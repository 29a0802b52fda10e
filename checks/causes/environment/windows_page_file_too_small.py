"""Windows cannot promise the memory that a framework's libraries ask for when they are loaded.

Detects:      imports that fail with WinError 1455.
Why it bites: Windows reserves memory for every loaded DLL; CUDA's are gigabytes, and each worker process
              loads them again.
Blind spots:  a program with many workers can fail where our single import does not.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from checks.analysis.failures.at_import import findings_of_texts
from checks.causes.registry import check
from checks.facts import Frameworks, OsFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Finding

CAUSE = "windows-page-file-too-small"


@check(CAUSE)
def windows_page_file_too_small(
    frameworks: Frameworks | None, probes: ProbeRuns | None, os: OsFacts | None, runs: ProgramRuns | None = None
) -> tuple[Finding, ...]:
    """One finding per package that could not be loaded."""
    return findings_of_texts(CAUSE, "Windows", frameworks, probes, os, runs)

"""A library of the operating system that a package needs is not installed.

Detects:      imports that fail with "libGL.so.1: cannot open shared object file" and the like.
Why it bites: such libraries do not come with Python packages; small container images leave them out.
Blind spots:  CUDA's own libraries have a cause of their own (cuda-library-missing); so has the driver's libcuda.
Knowledge:    resources/knowledge/packages/system_libraries.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

import msgspec

from checks.analysis.failures.at_import import finding_of_text, must_have_imported, recognised
from checks.causes.registry import check
from checks.facts import Frameworks, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding
from checks.knowledge.packages.system_libraries import SystemLibraries, package_of_library

CAUSE = "system-library-missing"
# Libraries that OpenCV's ordinary build needs to open windows.
OF_WINDOWS = ("libGL.", "libEGL.", "libgthread", "libglib", "libSM.", "libXext.", "libXrender.", "libxcb.")


@check(CAUSE)
def system_library_missing(
    frameworks: Frameworks | None, probes: ProbeRuns | None, runs: ProgramRuns | None = None
) -> Iterator[Finding]:
    """One finding per package that misses a library."""
    found = tuple(recognised(CAUSE, frameworks, probes, runs))
    if not found:
        must_have_imported(frameworks, probes)
    for trouble, match in found:
        library = match.groups["library"]
        row = package_of_library(library)
        values = {"apt_package": row.apt, "dnf_package": row.dnf} if row else {}
        evidence = Evidence("library", library, SystemLibraries.read().title, row.source if row else "")
        finding = finding_of_text(trouble, match, evidence, **values)
        remedies = ["install-system-library" if row else "find-system-library"]
        if library.startswith(OF_WINDOWS):
            remedies.append("use-headless-opencv")
        yield msgspec.structs.replace(finding, remedies=tuple(remedies))

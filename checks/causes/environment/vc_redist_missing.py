"""Windows lacks the Visual C++ runtime that a package needs, or has one that is too old.

Detects:      imports that fail with WinError 126 or 1114 on the framework's own DLLs, "DLL load failed ...
              initialization routine failed", and the frameworks' own words for it.
Why it bites: the package's DLLs call into msvcp140.dll and vcruntime140.dll, which do not come with Windows.
Blind spots:  WinError 1114 also has other reasons: PyTorch 2.9 and later after PyQt in one process, an old processor.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

import msgspec

from checks.analysis.failures.at_import import findings_of_texts
from checks.causes.registry import check
from checks.facts import Frameworks, OsFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Finding

CAUSE = "vc-redist-missing"
REMEDIES = ("install-vc-redist", "make-fresh-environment")  # that some releases lack a DLL is known of torch alone


@check(CAUSE)
def vc_redist_missing(
    frameworks: Frameworks | None, probes: ProbeRuns | None, os: OsFacts | None, runs: ProgramRuns | None = None
) -> tuple[Finding, ...]:
    """One finding per package whose DLLs find no Visual C++ runtime."""
    return tuple(
        msgspec.structs.replace(finding, remedies=() if finding.subject == "torch" else REMEDIES)
        for finding in findings_of_texts(CAUSE, "Windows", frameworks, probes, os, runs)
    )

"""The system refuses a library that asks for an executable stack.

Detects:      imports that fail with "cannot enable executable stack as shared object requires".
Why it bites: glibc 2.41 and later, and hardened kernels before it, no longer make the stack executable for a library.
Blind spots:  libraries that a framework loads later (TensorRT's builder) fail only when they are used.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from checks.analysis.failures.at_import import findings_of_texts
from checks.causes.registry import check
from checks.facts import Frameworks, OsFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Finding

CAUSE = "executable-stack-refused"


@check(CAUSE)
def executable_stack_refused(
    frameworks: Frameworks | None, probes: ProbeRuns | None, os: OsFacts | None, runs: ProgramRuns | None = None
) -> tuple[Finding, ...]:
    """One finding per package whose library is refused."""
    return findings_of_texts(CAUSE, "Linux", frameworks, probes, os, runs)

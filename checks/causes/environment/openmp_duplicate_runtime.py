"""Two OpenMP runtimes in one process.

Detects:      two copies of Intel's or LLVM's runtime among the loaded libraries, a process that died of
              "OMP: Error #15", and KMP_DUPLICATE_LIB_OK, which hides that death.
Why it bites: both start their own threads and keep their own locks; the process aborts, hangs, or computes wrongly.
Blind spots:  a second runtime that only the user's own program loads (faiss, PyQt, MATLAB).
Knowledge:    resources/knowledge/packages/openmp.toml, resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator
from pathlib import PurePosixPath, PureWindowsPath

from checks.analysis.failures.at_import import finding_of_text, must_have_imported, recognised
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, FrameworkFacts, Frameworks, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.packages.openmp import OpenMp, is_exclusive_runtime

CAUSE = "openmp-duplicate-runtime"
SWITCH = "KMP_DUPLICATE_LIB_OK"
TRUE = ("1", "true", "yes", "on", ".true.", "t", "y")  # kmp_settings.cpp, __kmp_str_match_true


@check(CAUSE)
def openmp_duplicate_runtime(
    frameworks: Frameworks | None,
    environment: EnvironmentVariables | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per framework with two runtimes; a note where only the switch that hides them is set."""
    seen = tuple(frameworks.each()) if frameworks else ()
    found = [finding_of_text(*match) for match in recognised(CAUSE, frameworks, probes, runs)]
    found += [finding for name, framework in seen for finding in _of_libraries(name, framework)]
    hidden = environment.values.get(SWITCH, "") if environment else ""
    if not found and hidden.lower() in TRUE:
        found.append(_of_switch(hidden, environment))
    if not found and not seen:
        must_have_imported(frameworks, probes)
    if not found and all(framework.loaded_libraries is None for _, framework in seen):
        raise Unread("loaded_libraries")
    yield from found


def _of_libraries(name: str, framework: FrameworkFacts) -> Iterator[Finding]:
    copies = {
        loaded_library.real_path or loaded_library.path
        for loaded_library in framework.loaded_libraries or ()
        if _is_runtime(loaded_library.path)
    }
    if len(copies) > 1:
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.8,
            subject=name,
            evidence=(
                Evidence("package", f"{name} {framework.version or ''}".strip(), framework.origin),
                Evidence("clue", " + ".join(sorted(copies)), OpenMp.read().title, OpenMp.read().source),
            ),
            values={"package_name": name},
        )


def _of_switch(value: str, environment: EnvironmentVariables | None) -> Finding:
    origin = environment.origin if environment else ""
    return Finding(
        severity=Severity.NOTE,
        confidence=0.5,
        evidence=(Evidence("package", "Python", origin), Evidence("clue", f"{SWITCH}={value}", origin)),
    )


def _is_runtime(path: str) -> bool:
    return is_exclusive_runtime((PureWindowsPath(path) if "\\" in path else PurePosixPath(path)).name)

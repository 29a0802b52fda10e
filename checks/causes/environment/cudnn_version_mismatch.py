"""The cuDNN that is loaded is not the one that the framework needs, or its parts are of several versions.

Detects:      the frameworks' own words; cuDNN libraries loaded from several folders; two cuDNN packages that overwrite
              each other; a cuDNN package other than the one that a framework pins.
Why it bites: cuDNN is one library in many files, which refuse to work with files of another version; and a framework
              accepts its own major version and its own or a newer minor one.
Blind spots:  a cuDNN that is loaded only by the first convolution shows after a kernel has run.
Knowledge:    resources/knowledge/errors/import_errors.toml, cuda_libraries.toml; the packages' own metadata
"""

from collections.abc import Iterator
from pathlib import PurePath, PurePosixPath, PureWindowsPath

import msgspec

from checks.analysis.failures.on_gpu import recognised_on_gpu
from checks.analysis.packages.requirements import Broken, broken_requirements
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, LibraryFile, OsFacts, Package, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.quotation import quotation
from checks.facts.versions import release
from checks.knowledge.errors.import_errors import ImportErrors
from checks.knowledge.gpu.cuda_libraries import CudaLibraries, cuda_major_of

CAUSE = "cudnn-version-mismatch"


@check(CAUSE)
def cudnn_version_mismatch(
    frameworks: Frameworks,
    interpreter: InterpreterFacts | None,
    os: OsFacts | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per framework that says so; else per way in which the copies here do not fit."""
    is_said_by_framework = False
    for trouble, found in recognised_on_gpu(CAUSE, frameworks, probes, runs):
        is_said_by_framework = True
        clue = Evidence("clue", quotation(found.line), ImportErrors.read().title, found.row.sources[0])
        needed, there = found.groups.get("needed", "cuDNN"), found.groups.get("found", "cuDNN")
        package = trouble.package or trouble.program
        finding = _finding(package, Severity.BLOCKING, found.row.certainty, needed, there, clue, interpreter)
        yield msgspec.structs.replace(finding, values={**finding.values, **trouble.failed_run})
    if is_said_by_framework:
        return
    for name, framework in frameworks.each():
        folders = _folders(framework.loaded_libraries or ())
        if len(folders) > 1:
            origin = framework.origin
            clue = Evidence("clue", ", ".join(folders), origin)
            yield _finding(name, Severity.WARNING, 0.75, folders[0], ", ".join(folders[1:]), clue, interpreter)
    if interpreter is not None and interpreter.packages is not None:
        yield from _packages(interpreter, os)


def _packages(interpreter: InterpreterFacts, os: OsFacts | None) -> Iterator[Finding]:
    copies = _cudnn_packages(interpreter)
    generations = {release(package.version)[:1] for package in copies}
    if len(copies) > 1 and len(generations) < len(copies):
        named = ", ".join(f"{package.name} {package.version}" for package in copies)
        clue = Evidence("clue", named, CudaLibraries.read().title)
        yield _finding("packages", Severity.WARNING, 0.8, copies[0].name, copies[1].name, clue, interpreter)
    for broken in broken_requirements(interpreter, os):
        if broken.requirement.name.startswith("nvidia-cudnn") and broken.found is not None:
            is_older = _is_older(broken)
            yield _finding(
                broken.package.name,
                Severity.WARNING if is_older else Severity.NOTE,
                0.85 if is_older else 0.6,
                broken.needed,
                f"{broken.found.name} {broken.found.version}",
                Evidence("clue", f"{broken.package.name} {broken.package.version}", broken.package.location or ""),
                interpreter,
                broken.needed,
            )


def _finding(
    subject: str,
    severity: Severity,
    confidence: float,
    needed: str,
    found: str,
    clue: Evidence,
    interpreter: InterpreterFacts | None,
    requirement: str = "",
) -> Finding:
    copies = _cudnn_packages(interpreter) if interpreter else ()
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=subject,
        evidence=(Evidence("cudnn_wanted", needed, clue.origin), Evidence("cudnn_found", found, clue.origin), clue),
        values={
            **({"requirement": requirement} if requirement else {}),
            **({"cudnn_packages": " ".join(package.name for package in copies)} if len(copies) > 1 else {}),
        },
    )


def _cudnn_packages(interpreter: InterpreterFacts) -> tuple[Package, ...]:
    """The packages that bring cuDNN, for whichever CUDA."""
    return tuple(
        package
        for package in interpreter.packages or ()
        if (brought := cuda_major_of(package.name)) and brought[0].stem == "cudnn"
    )


def _folders(libraries: tuple[LibraryFile, ...]) -> tuple[str, ...]:
    """The folders from which parts of cuDNN were loaded, each once."""
    parts = [library.real_path or library.path for library in libraries if "cudnn" in _name(library.path)]
    return tuple(dict.fromkeys(str(_path(part).parent) for part in parts))


def _name(path: str) -> str:
    return _path(path).name.lower().removeprefix("lib")[:5]


def _path(path: str) -> PurePath:
    """The path as the target's system reads it, which need not be ours."""
    return PureWindowsPath(path) if "\\" in path else PurePosixPath(path)


def _is_older(broken: Broken) -> bool:
    """Whether what is there is older than what is asked for: frameworks refuse that, while newer mostly works."""
    asked = (
        release(specifier.version)
        for specifier in broken.requirement.specifier
        if specifier.operator in {"==", ">=", "~=", ">"}
    )
    lowest = max(asked, default=())
    return broken.found is not None and release(broken.found.version)[:2] < lowest[:2]

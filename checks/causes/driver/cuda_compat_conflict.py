"""A forward-compatibility libcuda or a stub is loaded instead of the driver's own.

Detects:      CUDA errors 34, 803 and 804; a stub that stands first for the loader; a libcuda of a compat folder that
              stands first while CUDA does not start.
Why it bites: the forward-compatibility package serves data-centre GPUs on certain drivers only, and a stub serves no
              program at all: it exists for linking.
Blind spots:  a libcuda that a program loads by a path of its own.
Knowledge:    resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterator
from pathlib import PurePosixPath

from checks.analysis.gpu.state import NONE, SeenCudaError, cuda_computes, error_name, first_line, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Frameworks, LibraryFile, NvidiaFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

CAUSE = "cuda-compat-conflict"


@check(CAUSE)
def cuda_compat_conflict(
    nvidia: NvidiaFacts, frameworks: Frameworks | None, environment: EnvironmentVariables | None = None
) -> Iterator[Finding]:
    """One finding for the machine."""
    if cuda_computes(frameworks):  # a compat package that works is in its place
        return
    error = next((error for error in seen_cuda_errors(frameworks) if error.error.cause == CAUSE), None)
    library = _first_foreign(nvidia, frameworks)
    if error is not None:
        severity, confidence = Severity.BLOCKING, 0.95 if library else 0.8
    elif library is None:
        return
    elif "stubs" in _where(library):
        severity, confidence = Severity.BLOCKING, 0.9
    elif frameworks is not None and frameworks.torch is not None and frameworks.torch.cuda_available is False:
        severity, confidence = Severity.WARNING, 0.6
    else:
        return
    path = library.path if library else NONE
    yield Finding(
        severity=severity,
        confidence=confidence,
        evidence=(
            Evidence("libcuda_path", path, (library.origin if library else None) or nvidia.origin),
            Evidence("driver_version", nvidia.driver_version or NONE, nvidia.origin),
            Evidence("cuda_error", first_line(error.message) if error else NONE, error.fact.origin if error else ""),
        ),
        values={"state": _state(library, error)}
        | ({"library_folder": str(PurePosixPath(library.path).parent)} if library else {}),
        remedies=("leave-foreign-libcuda-out",) if _is_named(environment) else (),
    )


def _is_named(environment: EnvironmentVariables | None) -> bool:
    """Whether LD_LIBRARY_PATH itself names a folder of stubs or of a compatibility package."""
    entries = (environment.values.get("LD_LIBRARY_PATH", "") if environment else "").split(":")
    return any({"stubs", "compat"} & {*PurePosixPath(entry).parts} for entry in entries)


def _state(library: LibraryFile | None, error: SeenCudaError | None) -> Phrase:
    if library is None:
        return phrase("compat-error", error=error_name(error.error) if error else NONE)
    if error is None:
        return phrase("compat-path", path=library.path)
    return phrase("compat-path-error", path=library.path, error=error_name(error.error))


def _first_foreign(nvidia: NvidiaFacts, frameworks: Frameworks | None) -> LibraryFile | None:
    """The libcuda that was loaded, or that the loader would take first, if it is not the driver's own."""
    loaded = [
        library
        for _, fact in (frameworks.each() if frameworks else ())
        for library in fact.loaded_libraries or ()
        if PurePosixPath(library.path).name.startswith("libcuda.so")
    ]
    first = next(iter((*loaded, *(nvidia.libcuda or ()))), None)
    return first if first and ("compat" in _where(first) or "stubs" in _where(first)) else None


def _where(library: LibraryFile) -> tuple[str, ...]:
    """The names of all folders above the library and above the file that it stands for."""
    return PurePosixPath(library.path).parts + PurePosixPath(library.real_path or "").parts

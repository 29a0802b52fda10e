"""A library of CUDA, cuDNN, NCCL or TensorRT cannot be found or loaded.

Detects:      imports that fail and GPU parts that do not start with the name of such a library in their words.
Why it bites: a GPU build of a framework without these libraries fails at import, or falls back to the processor.
Blind spots:  ONNX Runtime finds the libraries of torch, or of the NVIDIA packages, only after the program has imported
              torch or called preload_dlls(); whether it does so is not known here. TensorFlow's missing libraries are
              judged by tf-cuda-version-mismatch where its import succeeds.
Knowledge:    resources/knowledge/errors/import_errors.toml, cuda_libraries.toml, onnxruntime.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.at_import import Trouble
from checks.analysis.failures.on_gpu import recognised_on_gpu
from checks.analysis.gpu.cuda import cuda_gpus, cuda_works
from checks.analysis.packages.fitting_build import torch_values
from checks.causes.registry import check
from checks.facts import FrameworkFacts, Frameworks, InterpreterFacts, MachineFacts, ProbeRuns, ProgramRuns
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.quotation import quotation
from checks.facts.versions import major_number, release
from checks.knowledge.errors.import_errors import ImportErrors, Recognised
from checks.knowledge.frameworks.onnxruntime import gpu_release
from checks.knowledge.gpu.cuda_libraries import cuda_major_in, library_of_file, package_of

CAUSE = "cuda-library-missing"


@check(CAUSE)
def cuda_library_missing(
    frameworks: Frameworks,
    machine: MachineFacts | None,
    interpreter: InterpreterFacts | None,
    probes: ProbeRuns | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per package that misses a library."""
    has_gpu = bool(cuda_gpus(machine)) and cuda_works(machine) is not False
    for trouble, found in recognised_on_gpu(CAUSE, frameworks, probes, runs):
        if not trouble.is_fatal and (not has_gpu or trouble.framework == "tensorflow"):
            continue  # without a GPU nothing is missed
        yield _finding(trouble, found, frameworks, machine, interpreter)


def _finding(
    trouble: Trouble,
    found: Recognised,
    frameworks: Frameworks,
    machine: MachineFacts | None,
    interpreter: InterpreterFacts | None,
) -> Finding:
    library = _library(found.groups.get("library", ""), trouble)
    major = _cuda_major(trouble, frameworks) or cuda_major_in(library)
    known = library_of_file(library)
    package = package_of(known, major) if known and major else ""
    is_installed = bool(package and interpreter and interpreter.package(package)) or _torch_brings_it(
        trouble, frameworks, major
    )
    return Finding(
        severity=Severity.BLOCKING if trouble.is_fatal else Severity.WARNING,
        confidence=found.row.certainty,
        subject=trouble.package or trouble.program,
        evidence=(
            Evidence("cuda_library", library, trouble.origin),
            Evidence("library_of", trouble.label, trouble.origin),
            Evidence("clue", quotation(found.line), ImportErrors.read().title, found.row.sources[0]),
        ),
        values={
            **({"library_package": package} if package else {}),
            **(torch_values(machine, interpreter, keep=trouble.version) if trouble.framework == "torch" else {}),
            **({"package_name": trouble.package} if trouble.package else {}),
            **trouble.failed_run,
        },
        remedies=_remedies(trouble, is_installed=is_installed),
    )


def _library(named: str, trouble: Trouble) -> str:
    """The library that is missing. Windows often names only who asked for it: then what it asks for first."""
    if named and "onnxruntime_providers" not in named:
        return named
    row = gpu_release(trouble.version) if trouble.framework == "onnxruntime" else None
    return row.libraries[0] if row else "CUDA"


def _cuda_major(trouble: Trouble, frameworks: Frameworks) -> int | None:
    """The CUDA major version that the package was built for."""
    facts: FrameworkFacts | None = getattr(frameworks, trouble.framework, None)
    row = gpu_release(trouble.version) if trouble.framework == "onnxruntime" else None
    cuda = (facts.cuda_version if facts else None) or (row.cuda if row else None)
    return major_number(cuda) if cuda else None


def _torch_brings_it(trouble: Trouble, frameworks: Frameworks, major: int | None) -> bool:
    """Whether torch, installed beside ONNX Runtime, has the libraries of the same CUDA major version with it."""
    torch = frameworks.torch
    return (
        trouble.framework == "onnxruntime"
        and torch is not None
        and bool(torch.cuda_version)
        and release(torch.cuda_version or "")[:1] == (major,)
    )


def _remedies(trouble: Trouble, *, is_installed: bool) -> tuple[str, ...]:
    if trouble.framework == "onnxruntime":
        return (
            ("preload-onnxruntime-libraries",) if is_installed else ("install-cuda-library", "install-cuda-libraries")
        )
    if trouble.package == "torch":
        return ("install-fitting-torch-build", "reinstall-framework")
    return ("install-cuda-library", "reinstall-framework")

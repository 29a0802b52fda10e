"""A framework's CUDA major version and that of the CUDA libraries or packages beside it differ.

Detects:      an onnxruntime-gpu that does not start and is built for another CUDA than torch and the NVIDIA packages
              here; a CuPy for another CUDA; packages for two CUDA versions that overwrite each other's files.
Why it bites: the libraries' names hold the major version, so that those of another one are not found at all.
Blind spots:  CUDA toolkits in the system are not listed; that a part did not start decides.
Knowledge:    resources/knowledge/frameworks/onnxruntime.toml, cuda_libraries.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus, cuda_works
from checks.analysis.packages.fitting_build import onnxruntime_values
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts, OnnxRuntimeFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.versions import major_number
from checks.knowledge.frameworks.onnxruntime import OnnxRuntimeTable, gpu_release
from checks.knowledge.gpu.cuda_libraries import CudaLibraries, cuda_major_of

_CUPY = re.compile(r"cupy-cuda(\d\d)x$")


@check("cuda-runtime-mismatch")
def cuda_runtime_mismatch(
    frameworks: Frameworks, interpreter: InterpreterFacts | None, machine: MachineFacts | None
) -> Iterator[Finding]:
    """One finding per pair that does not fit."""
    here = _majors_here(frameworks, interpreter)
    runtime = frameworks.onnxruntime
    if runtime is not None and _did_not_start(runtime) and cuda_gpus(machine) and cuda_works(machine) is not False:
        row = gpu_release(runtime.version or "")
        cuda = runtime.cuda_version or (row.cuda if row else None)
        if cuda and here and major_number(cuda) not in here:
            torch = frameworks.torch
            shared = major_number(torch.cuda_version) if torch and torch.cuda_version else None
            yield _finding(
                f"onnxruntime {runtime.version}",
                cuda,
                here,
                OnnxRuntimeTable.read().title,
                Severity.WARNING,
                0.85,
                onnxruntime_values(machine, interpreter, cuda_major=shared),
            )
    yield from _cupy(frameworks, interpreter)
    yield from _overwritten(interpreter)


def _cupy(frameworks: Frameworks, interpreter: InterpreterFacts | None) -> Iterator[Finding]:
    torch = frameworks.torch
    if torch is None or not torch.cuda_version or interpreter is None:
        return
    major = major_number(torch.cuda_version)
    for package in interpreter.packages or ():
        found = _CUPY.match(package.name)
        if found and int(found[1]) != major:
            yield _finding(
                f"{package.name} {package.version}",
                found[1],
                {major: f"torch {torch.version}"},
                package.location or "",
                Severity.NOTE,
                0.6,
                {"wrong_package": package.name, "right_package": f"cupy-cuda{major}x"},
            )


def _overwritten(interpreter: InterpreterFacts | None) -> Iterator[Finding]:
    """Packages for two CUDA versions that share a folder; cuDNN has a cause of its own."""
    brought: dict[str, dict[int, str]] = {}
    for package in (interpreter.packages or ()) if interpreter else ():
        found = cuda_major_of(package.name)
        if found and found[0].shared_folder and found[0].stem != "cudnn":
            brought.setdefault(found[0].stem, {})[found[1]] = f"{package.name} {package.version}"
    for copies in brought.values():
        if len(copies) > 1:
            (major, name), *others = sorted(copies.items())
            yield _finding(name, str(major), dict(others), CudaLibraries.read().title, Severity.WARNING, 0.75, {})


def _finding(
    package: str,
    cuda: str,
    others: dict[int, str],
    origin: str,
    severity: Severity,
    confidence: float,
    values: dict[str, str],
) -> Finding:
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=package.split(maxsplit=1)[0],
        evidence=(
            Evidence("framework", package, origin),
            Evidence("cuda_version", cuda, origin),
            Evidence("cuda_found", ", ".join(str(major) for major in sorted(others)), "metadata"),
            Evidence("cuda_packages", ", ".join(others[major] for major in sorted(others)), "metadata"),
        ),
        values=values,
    )


def _majors_here(frameworks: Frameworks, interpreter: InterpreterFacts | None) -> dict[int, str]:
    """CUDA major version -> who has it: torch, else the NVIDIA packages beside it."""
    found: dict[int, str] = {}
    for package in (interpreter.packages or ()) if interpreter else ():
        brought = cuda_major_of(package.name)
        if brought and brought[0].stem in {"cudart", "cublas"}:
            found.setdefault(brought[1], f"{package.name} {package.version}")
    torch = frameworks.torch
    if torch is not None and torch.cuda_version:
        found[major_number(torch.cuda_version)] = f"torch {torch.version}"
    return found


def _did_not_start(runtime: OnnxRuntimeFacts) -> bool:
    return any(
        provider.name == "CUDAExecutionProvider" and provider.started is False for provider in runtime.providers or ()
    )

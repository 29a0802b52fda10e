"""The NVIDIA driver is older than a framework's CUDA needs.

Detects:      a CUDA build of any framework on a driver below the minimum of its CUDA version.
Why it bites: the CUDA runtime refuses to start, so the framework sees no GPU.
Blind spots:  PTX that a newer toolkit made fails on a driver of an older minor version; only the failing kernel shows
              that. A cuda-compat package lifts the minimum on data-centre GPUs: where the framework really computed
              on the GPU, its answer decides.
Knowledge:    resources/knowledge/gpu/cuda_driver.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import ran_on_cuda
from checks.analysis.packages.fitting_build import torch_values
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts, NvidiaFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.facts.versions import release
from checks.knowledge.gpu.cuda_driver import CudaDriver, driver_minimum, driver_number

# Without a driver there is none that could be too old: driver-not-loaded, cuda-build-without-nvidia-gpu.
_NO_DRIVER = ("library-not-found", "NVML_ERROR_LIBRARY_NOT_FOUND", "NVML_ERROR_DRIVER_NOT_LOADED")


@check("driver-too-old-for-cuda")
def driver_too_old_for_cuda(
    nvidia: NvidiaFacts, frameworks: Frameworks, machine: MachineFacts | None, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per framework whose CUDA asks for a newer driver."""
    torch = frameworks.torch
    builds = [cuda_build for cuda_build in frameworks.cuda_builds() if not ran_on_cuda(cuda_build[1])]
    builds = [build for build in builds if build[1] is not torch or not torch.cuda_available]  # it answers: new enough
    if not builds:  # a CPU-only build is another check's cause
        return
    if not nvidia.driver_version:
        if nvidia.driver_version == "" or nvidia.nvml in _NO_DRIVER:
            return
        raise Unread("driver_version", nvidia.unread.get("driver_version", ""))

    driver = driver_number(nvidia.driver_version)
    unknown, is_found = "", False
    for name, framework, cuda_version in builds:
        row = driver_minimum(cuda_version)
        if row is None:
            unknown = f"CUDA {cuda_version}"
            continue
        is_windows = machine is not None and machine.os is not None and machine.os.system == "Windows"
        minimum = row.windows if is_windows else row.linux
        if release(driver) < release(minimum):
            is_found = True
            yield Finding(
                severity=Severity.BLOCKING,
                confidence=0.95,
                subject=name,
                evidence=(
                    Evidence("driver_version", driver, nvidia.origin),
                    Evidence("framework", f"{name} {framework.version or ''}".strip(), framework.origin),
                    Evidence("cuda_version", cuda_version, framework.origin),
                    Evidence("driver_min", minimum, CudaDriver.read().title, row.source),
                ),
                values=torch_values(machine, interpreter, keep=framework.version) if name == "torch" else {},
            )
    if unknown and not is_found:
        raise NotInTable(CudaDriver.read().title, unknown)

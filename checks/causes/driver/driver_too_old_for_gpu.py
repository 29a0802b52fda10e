"""The NVIDIA driver is older than the GPU.

Detects:      a GPU whose architecture came after the driver's branch.
Why it bites: the driver does not claim a chip that it does not know; nvidia-smi shows no device.
Blind spots:  chips that came late within an architecture; chips that the tables do not know yet.
Knowledge:    resources/knowledge/gpu/cuda_driver.toml, gpu_architectures.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import cuda_computes, gpu_name, installed_driver, left_alone, nvidia_architecture
from checks.causes.registry import check
from checks.facts import Frameworks, Gpus, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.knowledge.gpu.cuda_driver import CudaDriver, Fit, driver_fit, driver_number, first_branch
from checks.knowledge.gpu.gpu_architectures import GpuArchitectures


@check("driver-too-old-for-gpu")
def driver_too_old_for_gpu(
    gpus: Gpus, nvidia: NvidiaFacts, os: OsFacts | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding per GPU that the driver is too old for."""
    unseen = left_alone(gpus, nvidia)
    if not unseen or (os and os.wsl):
        return
    version = installed_driver(nvidia)
    if version is None:
        raise Unread("driver_version", nvidia.unread.get("driver_version", ""))
    if not version:  # driver-not-loaded
        return
    unknown, is_found = "", False
    for gpu in unseen:
        architecture = nvidia_architecture(gpu)
        if architecture is None:
            unknown = gpu_name(gpu)
            continue
        if driver_fit(architecture, version) is not Fit.TOO_OLD:
            continue
        is_found = True
        yield Finding(
            severity=Severity.WARNING if nvidia.devices or cuda_computes(frameworks) else Severity.BLOCKING,
            confidence=0.95,
            subject=gpu.address or gpu_name(gpu),
            evidence=(
                Evidence("gpu", gpu_name(gpu), gpu.origin),
                Evidence("architecture", architecture.architecture, GpuArchitectures.read().title),
                Evidence("driver_version", driver_number(version), nvidia.origin),
                Evidence(
                    "driver_min", str(first_branch(architecture)), CudaDriver.read().title, CudaDriver.read().source
                ),
            ),
        )
    if unknown and not is_found:
        raise NotInTable(GpuArchitectures.read().title, unknown)

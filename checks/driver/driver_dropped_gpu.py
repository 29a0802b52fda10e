"""The NVIDIA driver no longer serves this older GPU, or its open kernel module never did.

Detects:      a GPU whose architecture ended with an older driver branch, and the open kernel module (Turing and newer
              only) on a GPU from before Turing.
Why it bites: the driver leaves the GPU alone; nvidia-smi says "No devices were found".
Blind spots:  a driver that was removed again leaves no version to judge by.
Knowledge:    resources/knowledge/gpu_architectures.toml (last branch), cuda_driver.toml
"""

from collections.abc import Iterator

from checks.facts import Frameworks, Gpus, NvidiaFacts, OsFacts
from checks.finding import Evidence, Finding, Severity, Unread
from checks.gpus import NONE, cuda_computes, gpu_name, in_nvml, is_given_away, nvidia_architecture
from checks.knowledge.cuda_driver import Fit, driver_fit, driver_number
from checks.knowledge.gpu_architectures import gpu_architectures
from checks.registry import check
from checks.versions import release

CAUSE = "driver-dropped-gpu"

_FIRST_WITH_OPEN_MODULE = (7, 5)  # Turing: github.com/NVIDIA/open-gpu-kernel-modules, README


@check(CAUSE)
def driver_dropped_gpu(
    gpus: Gpus, nvidia: NvidiaFacts, os: OsFacts | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding per GPU that the driver leaves alone."""
    unseen = [gpu for gpu in gpus.nvidia if not is_given_away(gpu) and in_nvml(gpu, nvidia) is None]
    older = [(gpu, row) for gpu in unseen if (row := nvidia_architecture(gpu)) and row.last_driver_branch]
    if not older or (os and os.wsl):
        return
    libraries = (each.version for each in nvidia.libcuda or () if each.version)
    version = nvidia.driver_version or next(libraries, None)
    if not version:
        if version == "" or nvidia.libcuda == ():  # no driver at all: driver-not-loaded
            return
        raise Unread("driver_version", nvidia.unread.get("driver_version", ""))
    for gpu, architecture in older:
        is_dropped = driver_fit(architecture, version) is Fit.DROPPED
        is_before_open = release(architecture.compute_capability) < _FIRST_WITH_OPEN_MODULE
        if not is_dropped and not (nvidia.kernel_module_flavour == "open" and is_before_open):
            continue
        yield Finding(
            cause=CAUSE,
            severity=Severity.WARNING if cuda_computes(frameworks) else Severity.BLOCKING,
            confidence=0.95,
            subject=gpu.address or gpu_name(gpu),
            evidence=(
                Evidence("gpu", gpu_name(gpu), gpu.origin),
                Evidence("architecture", architecture.architecture, gpu_architectures().title),
                Evidence("driver_version", driver_number(version), nvidia.origin),
                Evidence("last_branch", str(architecture.last_driver_branch), gpu_architectures().title),
                Evidence("kernel_module_flavour", nvidia.kernel_module_flavour or NONE, nvidia.origin),
            ),
            remedies=("install-legacy-nvidia-driver",) if is_dropped else ("use-proprietary-kernel-module",),
        )

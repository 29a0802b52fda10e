"""The NVIDIA driver no longer serves this older GPU, or the flavour of its kernel module does not.

Detects:      a GPU whose architecture ended with an older driver branch; the open kernel module on a GPU from before
              Turing; the proprietary one on Blackwell and newer, which only the open one serves.
Why it bites: the driver leaves the GPU alone; nvidia-smi says "No devices were found".
Blind spots:  a driver that was removed again leaves no version to judge by.
Knowledge:    resources/knowledge/gpu/gpu_architectures.toml (last branch), cuda_driver.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, cuda_computes, gpu_name, installed_driver, left_alone, nvidia_architecture
from checks.causes.registry import check
from checks.facts import Frameworks, Gpus, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.knowledge.gpu.cuda_driver import CudaDriver, Fit, driver_fit, driver_number, right_flavour
from checks.knowledge.gpu.gpu_architectures import GpuArchitectures
from checks.knowledge.phrases import phrase


@check("driver-dropped-gpu")
def driver_dropped_gpu(
    gpus: Gpus, nvidia: NvidiaFacts, os: OsFacts | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding per GPU that the driver leaves alone."""
    known = [(gpu, row) for gpu in left_alone(gpus, nvidia) if (row := nvidia_architecture(gpu)) and not row.integrated]
    if not known or (os and os.wsl):
        return
    version = installed_driver(nvidia)
    if version is None:
        raise Unread("driver_version", nvidia.unread.get("driver_version", ""))
    if not version:  # driver-not-loaded
        return
    for gpu, architecture in known:
        last_branch = str(architecture.last_driver_branch or NONE)
        flavour = right_flavour(architecture, nvidia.kernel_module_flavour)
        if driver_fit(architecture, version) is Fit.DROPPED:
            need, remedy = phrase("need-older-branch", branch=last_branch), "install-legacy-nvidia-driver"
        elif flavour == "proprietary":
            need, remedy = phrase("need-proprietary-module"), "use-proprietary-kernel-module"
        elif flavour == "open":
            need, remedy = phrase("need-open-module"), "use-open-kernel-module"
        else:
            continue
        yield Finding(
            # An old card for the screen beside one that the driver serves stops nobody.
            severity=Severity.WARNING if nvidia.devices or cuda_computes(frameworks) else Severity.BLOCKING,
            confidence=0.95,
            subject=gpu.address or gpu_name(gpu),
            evidence=(
                Evidence("gpu", gpu_name(gpu), gpu.origin),
                Evidence("architecture", architecture.architecture, GpuArchitectures.read().title),
                Evidence("driver_version", driver_number(version), nvidia.origin),
                Evidence("last_branch", last_branch, GpuArchitectures.read().title),
                Evidence("kernel_module_flavour", nvidia.kernel_module_flavour or NONE, CudaDriver.read().title),
            ),
            values={"need": need},
            remedies=(remedy,),
        )

"""The container was started without access to the GPU.

Detects:      inside a container, an NVIDIA kernel driver that is loaded, without its device files, without NVML or
              without libcuda; the same for AMD's /dev/kfd.
Why it bites: a container shares the kernel, not the devices: they must be handed in when it is started.
Blind spots:  a container inside WSL, and sandboxes that hide the host's bus and kernel modules.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, cuda_computes, gpu_name, needs_cuda, ran_on
from checks.causes.registry import check
from checks.facts import AmdFacts, Frameworks, Gpus, NvidiaFacts, OsFacts, Symptom
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread

_NO_LIBRARY = ("library-not-found", "NVML_ERROR_LIBRARY_NOT_FOUND")


@check("container-gpu-unavailable", from_whole=True)
def container_gpu_unavailable(
    os: OsFacts,
    nvidia: NvidiaFacts | None,
    amd: AmdFacts | None,
    gpus: Gpus | None,
    frameworks: Frameworks | None,
    symptom: Symptom | None,
) -> Iterator[Finding]:
    """One finding per vendor whose GPU the host has and the container has not."""
    if os.container is None:
        raise Unread("container", os.unread.get("container", ""))
    if not os.container:
        raise NotHere("container")
    if os.container == "lxc":  # an LXC container gets its devices by the host's configuration
        return
    if nvidia is not None and not cuda_computes(frameworks):
        # A container with builds for the processor alone is likely meant for it, whatever the host has.
        severity = Severity.BLOCKING if needs_cuda(frameworks, symptom) else Severity.NOTE
        yield from _nvidia(os, nvidia, gpus, severity)
    if amd is not None and gpus is not None and gpus.amd and frameworks is not None:
        yield from _amd(os, amd, gpus, frameworks)


def _nvidia(os: OsFacts, nvidia: NvidiaFacts, gpus: Gpus | None, severity: Severity) -> Iterator[Finding]:
    is_bound = any(gpu.driver == "nvidia" for gpu in (gpus.nvidia if gpus else ()))
    if not nvidia.kernel_module_version and not is_bound:
        return
    nodes = nvidia.device_nodes
    names = [node.path for node in nodes or ()]
    lacks_nodes = nodes is not None and not any(path.startswith("/dev/nvidiactl") for path in names)
    lacks_nvml = nvidia.nvml in _NO_LIBRARY
    lacks_libcuda = nvidia.libcuda == ()
    if not lacks_nodes and not lacks_nvml and not lacks_libcuda:
        return
    yield Finding(
        severity=severity,
        confidence=0.95 if lacks_nodes else 0.8,
        subject="nvidia",
        evidence=(
            Evidence("container", os.container or NONE, os.origin),
            Evidence("gpu", ", ".join(gpu_name(gpu) for gpu in (gpus.nvidia if gpus else ())) or "NVIDIA", "sysfs"),
            Evidence("device_nodes", ", ".join(names) or NONE, "/dev"),
            Evidence("nvml", nvidia.nvml or NONE, nvidia.origin),
            Evidence("libcuda_path", nvidia.libcuda[0].path if nvidia.libcuda else NONE, nvidia.origin),
        ),
        values={"device_nodes": tuple(names)},
        remedies=(
            ("start-container-with-nvidia-gpu", "install-nvidia-container-toolkit")
            if lacks_nodes or lacks_nvml
            else ("ask-container-for-compute-libraries", "start-container-with-nvidia-gpu")
        ),
    )


def _amd(os: OsFacts, amd: AmdFacts, gpus: Gpus, frameworks: Frameworks) -> Iterator[Finding]:
    torch = frameworks.torch
    if torch is None or torch.build != "rocm" or ran_on(torch, "cuda") or amd.device_nodes is None:
        return
    names = [node.path for node in amd.device_nodes]
    if "/dev/kfd" in names or not any(gpu.driver == "amdgpu" for gpu in gpus.amd):
        return
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.95,
        subject="amd",
        evidence=(
            Evidence("container", os.container or NONE, os.origin),
            Evidence("gpu", ", ".join(gpu_name(gpu) for gpu in gpus.amd), "sysfs"),
            Evidence("device_nodes", ", ".join(names) or NONE, "/dev"),
        ),
        values={"device_nodes": tuple(names)},
        remedies=("start-container-with-amd-gpu",),
    )

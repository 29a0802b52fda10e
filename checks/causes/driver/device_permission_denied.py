"""The user may not open the device files of the GPU or NPU.

Detects:      device files of NVIDIA; of AMD (/dev/kfd, /dev/dri/render*) beside a ROCm build; of Intel GPUs and NPUs
              beside an XPU build or OpenVINO; that exist and may not be read or written.
Why it bites: frameworks open these files themselves; refused, they behave as if there were no device.
Blind spots:  rights that a sandbox (AppArmor, SELinux, a snap) takes away without changing the file's own.
Knowledge:    none
"""

from collections.abc import Iterable, Iterator

from checks.analysis.gpu.state import NONE, cuda_computes, ran_on
from checks.causes.registry import check
from checks.facts import AmdFacts, DeviceNode, Frameworks, IntelFacts, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity

# Files of the NVIDIA driver that CUDA does without: display, MIG administration, NVLink administration.
_NOT_FOR_CUDA = ("/dev/nvidia-modeset", "/dev/nvidia-caps", "/dev/nvidia-nvlink", "/dev/nvidia-nvswitch")


@check("device-permission-denied")
def device_permission_denied(
    os: OsFacts | None,
    nvidia: NvidiaFacts | None,
    amd: AmdFacts | None,
    intel: IntelFacts | None,
    frameworks: Frameworks | None,
) -> Iterator[Finding]:
    """One finding per vendor, naming the first file that may not be opened."""
    if nvidia is None and amd is None and intel is None:
        raise NotHere("gpu_driver")
    torch = frameworks.torch if frameworks else None
    if nvidia is not None and not cuda_computes(frameworks):
        nodes = [node for node in nvidia.device_nodes or () if not node.path.startswith(_NOT_FOR_CUDA)]
        yield from _denied("nvidia", nodes, os)
    if amd is not None and torch is not None and torch.build == "rocm" and not ran_on(torch, "cuda"):
        yield from _denied("amd", amd.device_nodes or (), os)
    if intel is not None and torch is not None and torch.build == "xpu" and not ran_on(torch, "xpu"):
        yield from _denied("intel", intel.device_nodes or (), os)
    elif intel is not None and frameworks is not None and frameworks.openvino is not None:
        # OpenVINO goes on with the CPU, so this is no more than a warning.
        yield from _denied("intel", intel.device_nodes or (), os, Severity.WARNING)


def _denied(
    vendor: str, nodes: Iterable[DeviceNode], os: OsFacts | None, severity: Severity = Severity.BLOCKING
) -> Iterator[Finding]:
    denied = [node for node in nodes if node.readable is False or node.writable is False]
    if not denied:
        return
    node = denied[0]
    group = node.group or ""
    groups = os.groups if os else None
    is_in_group = groups is not None and group in groups
    needs = {"node_group": group} if group and group != "root" and not is_in_group else {}
    yield Finding(
        severity=severity,
        confidence=0.95,
        subject=vendor,
        evidence=(
            Evidence("device_node", ", ".join(refused.path for refused in denied), "/dev"),
            Evidence("owner_group", group or NONE, "/dev"),
            Evidence("user_groups", ", ".join(groups) or NONE if groups is not None else NONE, os.origin if os else ""),
        ),
        values=needs | {"device_node": tuple(node.path for node in denied), "user_groups": tuple(groups or ())},
    )

"""When device-permission-denied speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.device_permission_denied import device_permission_denied
from checks.facts import (
    AmdFacts,
    DeviceNode,
    FrameworkDevice,
    Frameworks,
    IntelFacts,
    KernelLaunch,
    NvidiaFacts,
    OpenVinoFacts,
    OsFacts,
    TorchFacts,
)

CUDA = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="12.8", build="cuda"))
CPU_ONLY = Frameworks(torch=TorchFacts(version="2.9.0+cpu", cuda_version="", build="cpu"))
ROCM = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="", build="rocm"))
XPU = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="", build="xpu"))
RAN = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True)),)


def refused(path: str, group: str = "render") -> tuple[DeviceNode, ...]:
    return (DeviceNode(path=path, readable=False, writable=False, group=group),)


USER = OsFacts(system="Linux", groups=("user", "sudo"))


@pytest.mark.parametrize(
    ("nvidia", "amd", "intel", "frameworks", "severity", "group"),
    [
        pytest.param(
            NvidiaFacts(device_nodes=refused("/dev/nvidia0", "video")),
            None,
            None,
            CUDA,
            "blocking",
            "video",
            id="nvidia",
        ),
        pytest.param(
            NvidiaFacts(device_nodes=refused("/dev/nvidiactl", "root")),
            None,
            None,
            None,
            "blocking",
            None,
            id="root-only",
        ),
        pytest.param(None, AmdFacts(device_nodes=refused("/dev/kfd")), None, ROCM, "blocking", "render", id="kfd"),
        pytest.param(
            None, None, IntelFacts(device_nodes=refused("/dev/dri/renderD128")), XPU, "blocking", "render", id="xpu"
        ),
        pytest.param(  # intel/linux-npu-driver#74
            None,
            None,
            IntelFacts(device_nodes=refused("/dev/accel/accel0")),
            Frameworks(openvino=OpenVinoFacts()),
            "warning",
            "render",
            id="npu",
        ),
    ],
)
def test_speaks(
    nvidia: NvidiaFacts | None,
    amd: AmdFacts | None,
    intel: IntelFacts | None,
    frameworks: Frameworks | None,
    severity: str,
    group: str | None,
) -> None:
    (finding,) = device_permission_denied(USER, nvidia, amd, intel, frameworks)
    assert finding.severity == severity
    assert finding.placeholders().get("node_group") == group


@pytest.mark.parametrize(
    ("nvidia", "amd", "intel", "frameworks"),
    [
        pytest.param(
            NvidiaFacts(device_nodes=(DeviceNode(path="/dev/nvidia0", readable=True, writable=True),)),
            None,
            None,
            CUDA,
            id="may-be-opened",
        ),
        pytest.param(
            NvidiaFacts(device_nodes=refused("/dev/nvidia-caps/nvidia-cap1")), None, None, CUDA, id="mig-administration"
        ),
        pytest.param(None, AmdFacts(device_nodes=refused("/dev/kfd")), None, CPU_ONLY, id="nothing-asks-for-amd"),
        pytest.param(
            None, None, IntelFacts(device_nodes=refused("/dev/dri/renderD128")), CUDA, id="nothing-asks-for-intel"
        ),
        pytest.param(
            NvidiaFacts(device_nodes=refused("/dev/nvidia3")),
            None,
            None,
            Frameworks(torch=TorchFacts(cuda_version="12.8", devices=RAN)),
            id="another-gpu-computed",
        ),
    ],
)
def test_silent(
    nvidia: NvidiaFacts | None, amd: AmdFacts | None, intel: IntelFacts | None, frameworks: Frameworks
) -> None:
    assert list(device_permission_denied(USER, nvidia, amd, intel, frameworks)) == []


def test_who_is_in_the_group_already_is_not_sent_there() -> None:
    nvidia = NvidiaFacts(device_nodes=refused("/dev/nvidia0", "video"))
    (finding,) = device_permission_denied(OsFacts(groups=("video",)), nvidia, None, None, CUDA)
    assert "node_group" not in finding.placeholders()

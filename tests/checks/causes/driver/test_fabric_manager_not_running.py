"""When fabric-manager-not-running speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.fabric_manager_not_running import fabric_manager_not_running
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    KernelLaunch,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    TorchFacts,
)

LINUX = OsFacts(system="Linux", container="", virtual_machine="")
STARTED = (
    "Unexpected error from cudaGetDeviceCount(). "
    "Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? "
)
RAN = Frameworks(
    torch=TorchFacts(cuda_version="12.8", devices=(FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True)),))
)


def torch(message: str = "", *, available: bool | None = False) -> Frameworks:
    error = ErrorText(type="RuntimeError", message=message) if message else None
    return Frameworks(
        torch=TorchFacts(version="2.6.0", cuda_version="12.4", cuda_available=available, cuda_error=error)
    )


@pytest.mark.parametrize(
    ("nvidia", "frameworks", "os", "remedies"),
    [
        pytest.param(  # huggingface/huggingface_hub#4134: a rented H200
            NvidiaFacts(nvml="ok", devices=(NvidiaGpu(index=0, name="NVIDIA H200"),)),
            torch(STARTED + "Error 802: system not yet initialized"),
            OsFacts(container="docker"),
            ("ask-host-for-fabric-manager",),
            id="error-802-in-a-container",
        ),
        pytest.param(NvidiaFacts(nvswitches=4, fabric_manager="stopped"), None, LINUX, (), id="service-stopped"),
        pytest.param(
            NvidiaFacts(devices=(NvidiaGpu(index=0, fabric_state="in-progress"),)),
            None,
            LINUX,
            (),
            id="state-in-progress",
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, frameworks: Frameworks | None, os: OsFacts, remedies: tuple[str, ...]) -> None:
    (finding,) = fabric_manager_not_running(nvidia, frameworks, os)
    assert finding.remedies == remedies


@pytest.mark.parametrize(
    ("nvidia", "frameworks"),
    [
        pytest.param(NvidiaFacts(nvswitches=4, fabric_manager="running"), None, id="running"),
        pytest.param(NvidiaFacts(nvswitches=0, fabric_manager="not-installed"), None, id="no-switches"),
        pytest.param(NvidiaFacts(devices=(NvidiaGpu(index=0, fabric_state="not-supported"),)), None, id="pcie-card"),
        pytest.param(NvidiaFacts(devices=(NvidiaGpu(index=0, fabric_state="completed"),)), None, id="completed"),
        pytest.param(NvidiaFacts(nvswitches=4, fabric_manager="not-installed"), RAN, id="torch-computed"),
    ],
)
def test_silent(nvidia: NvidiaFacts, frameworks: Frameworks | None) -> None:
    assert list(fabric_manager_not_running(nvidia, frameworks, LINUX)) == []

"""When driver-state-lost speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_state_lost import driver_state_lost
from checks.facts import (
    DeviceNode,
    ErrorText,
    Frameworks,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    TorchFacts,
)

LINUX = OsFacts(system="Linux", container="", virtual_machine="")


def torch(message: str = "", *, available: bool | None = False) -> Frameworks:
    error = ErrorText(type="RuntimeError", message=message) if message else None
    return Frameworks(
        torch=TorchFacts(version="2.6.0", cuda_version="12.4", cuda_available=available, cuda_error=error)
    )


UNKNOWN = (
    "CUDA unknown error - this may be due to an incorrectly set up environment, "
    "e.g. changing env variable CUDA_VISIBLE_DEVICES after program start."
)
HERE = (NvidiaGpu(index=0, name="NVIDIA GeForce GTX 1660 Ti"),)


@pytest.mark.parametrize(
    ("nvidia", "confidence"),
    [
        pytest.param(
            NvidiaFacts(nvml="ok", devices=HERE, suspended_once=True), 0.9, id="after-standby"
        ),  # pytorch#88639
        pytest.param(NvidiaFacts(nvml="ok", devices=HERE, modules_loaded=("nvidia",)), 0.9, id="uvm-not-loaded"),
        pytest.param(NvidiaFacts(nvml="ok", devices=HERE), 0.7, id="only-the-error"),
    ],
)
def test_speaks(nvidia: NvidiaFacts, confidence: float) -> None:
    (finding,) = driver_state_lost(nvidia, torch(UNKNOWN), LINUX)
    assert finding.confidence == confidence


@pytest.mark.parametrize(
    ("nvidia", "frameworks", "os"),
    [
        pytest.param(
            NvidiaFacts(nvml="ok", devices=HERE, suspended_once=True), torch(available=True), LINUX, id="no-error"
        ),
        pytest.param(NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED"), torch(UNKNOWN), LINUX, id="no-driver"),
        pytest.param(NvidiaFacts(nvml="ok", devices=()), torch(UNKNOWN), LINUX, id="no-gpu-in-nvml"),
        pytest.param(
            NvidiaFacts(nvml="ok", devices=HERE, device_nodes=(DeviceNode(path="/dev/nvidia-uvm", writable=False),)),
            torch(UNKNOWN),
            LINUX,
            id="not-permitted",
        ),
        pytest.param(
            NvidiaFacts(nvml="ok", devices=HERE, device_nodes=(DeviceNode(path="/dev/nvidiactl", writable=True),)),
            torch(UNKNOWN),
            OsFacts(container="docker"),
            id="container-without-the-file",
        ),
    ],
)
def test_silent(nvidia: NvidiaFacts, frameworks: Frameworks, os: OsFacts) -> None:
    assert list(driver_state_lost(nvidia, frameworks, os)) == []

"""When driver-too-old-for-cuda speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_too_old_for_cuda import driver_too_old_for_cuda
from checks.facts import (
    FrameworkDevice,
    Frameworks,
    InterpreterFacts,
    KernelLaunch,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Inconclusive, NotInTable, Severity, Unread

LINUX = OsFacts(system="Linux")
WINDOWS = OsFacts(system="Windows")


def findings(driver: str | None, cuda: str | None, os: OsFacts | None = LINUX) -> list[Finding]:
    frameworks = Frameworks(torch=TorchFacts(version="2.6.0", cuda_version=cuda))
    nvidia = NvidiaFacts(driver_version=driver)
    return list(driver_too_old_for_cuda(nvidia, frameworks, MachineFacts(os=os, nvidia=nvidia), None))


@pytest.mark.parametrize(
    ("driver", "cuda", "os"),
    [
        pytest.param("525.60.11", "12.1", LINUX, id="just-below"),
        pytest.param("470.256.02", "12.4", LINUX, id="driver-470-cuda-12"),
        pytest.param("526.98", "12.4", WINDOWS, id="windows-just-below"),
        pytest.param("570.211.01", "13.0", LINUX, id="cuda-13-on-r570"),
    ],
)
def test_speaks(driver: str, cuda: str, os: OsFacts) -> None:
    (finding,) = findings(driver, cuda, os)
    assert finding.cause == "driver-too-old-for-cuda"
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["driver_version"] == driver
    assert finding.placeholders()["framework"] == "torch 2.6.0"


@pytest.mark.parametrize(
    ("driver", "cuda", "os"),
    [
        pytest.param("525.60.13", "12.8", LINUX, id="first-that-fits"),
        pytest.param("580.65.06", "13.0", LINUX, id="cuda-13-on-r580"),
        pytest.param("470.256.02", "", LINUX, id="cpu-only-build"),
        pytest.param("470.256.02", "11.8", None, id="old-cuda-fits-old-driver"),
    ],
)
def test_silent(driver: str, cuda: str, os: OsFacts | None) -> None:
    assert findings(driver, cuda, os) == []


@pytest.mark.parametrize(
    ("driver", "cuda", "reason"),
    [
        pytest.param(None, "12.4", Unread, id="driver-unread-is-not-healthy"),
        pytest.param("580.65.06", "14.1", NotInTable, id="cuda-unknown-to-the-table"),
    ],
)
def test_open(driver: str | None, cuda: str, reason: type[Inconclusive]) -> None:
    with pytest.raises(reason):
        findings(driver, cuda)


def test_what_computed_on_the_gpu_overrules_the_table() -> None:
    """A cuda-compat package on a data-centre GPU: the driver is too old by the table, and torch runs."""
    ran = (FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True, correct=True)),)
    frameworks = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="13.0", devices=ran))
    assert list(driver_too_old_for_cuda(NvidiaFacts(driver_version="535.104.05"), frameworks, None, None)) == []


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(NvidiaFacts(nvml="library-not-found"), id="no-driver-library"),
        pytest.param(NvidiaFacts(driver_version=""), id="looked-for-and-absent"),
    ],
)
def test_without_a_driver_none_is_too_old(nvidia: NvidiaFacts) -> None:
    frameworks = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="12.8"))
    assert list(driver_too_old_for_cuda(nvidia, frameworks, None, None)) == []


def test_names_the_build_that_the_driver_serves() -> None:
    nvidia = NvidiaFacts(
        driver_version="570.86.10", nvml="ok", devices=(NvidiaGpu(index=0, name="NVIDIA L4", compute_capability="8.9"),)
    )
    machine = MachineFacts(os=OsFacts(system="Linux", architecture="x86_64", libc="glibc"), nvidia=nvidia)
    interpreter = InterpreterFacts(path="/usr/bin/python3", version="3.12.3", architecture="x86_64")
    frameworks = Frameworks(torch=TorchFacts(version="2.9.0+cu130", cuda_version="13.0"))
    (finding,) = driver_too_old_for_cuda(nvidia, frameworks, machine, interpreter)
    assert finding.placeholders()["torch_variant"].startswith("cu12")


def test_before_cuda_11_every_minor_version_counts() -> None:
    assert findings("418.39", "10.1") == []
    assert len(findings("418.39", "10.2")) == 1

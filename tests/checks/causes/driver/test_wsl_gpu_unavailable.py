"""When wsl-gpu-unavailable speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.wsl_gpu_unavailable import wsl_gpu_unavailable
from checks.facts import (
    Frameworks,
    LibraryFile,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    TorchFacts,
)
from checks.facts.finding import NotHere, Severity, Unread

CUDA = Frameworks(torch=TorchFacts(version="2.9.0", cuda_version="12.8", build="cuda"))
CPU_ONLY = Frameworks(torch=TorchFacts(version="2.9.0+cpu", cuda_version="", build="cpu"))
WINDOWS_LIBCUDA = (LibraryFile(path="/usr/lib/wsl/lib/libcuda.so.1"),)
LINUX_LIBCUDA = (LibraryFile(path="/usr/lib/x86_64-linux-gnu/libcuda.so.1"),)


@pytest.mark.parametrize(
    ("os", "nvidia", "severity", "remedy"),
    [
        pytest.param(  # microsoft/WSL#3847: Windows 10.0.17763, GeForce 930MX
            OsFacts(wsl=1),
            NvidiaFacts(nvml="library-not-found", libcuda=()),
            Severity.BLOCKING,
            "convert-to-wsl-2",
            id="wsl-1",
        ),
        pytest.param(
            OsFacts(wsl=2),
            NvidiaFacts(nvml="library-not-found", libcuda=()),
            Severity.WARNING,
            "update-windows-driver-for-wsl",
            id="nothing-passed-through",
        ),
        pytest.param(
            OsFacts(wsl=2),
            NvidiaFacts(nvml="NVML_ERROR_DRIVER_NOT_LOADED", libcuda=LINUX_LIBCUDA + WINDOWS_LIBCUDA),
            Severity.BLOCKING,
            "remove-linux-driver-from-wsl",
            id="linux-driver-inside",
        ),
        pytest.param(
            OsFacts(wsl=2),
            NvidiaFacts(nvml="NVML_ERROR_OPERATING_SYSTEM", libcuda=WINDOWS_LIBCUDA),
            Severity.BLOCKING,
            "update-windows-driver-for-wsl",
            id="blocked-by-the-operating-system",
        ),
    ],
)
def test_speaks(os: OsFacts, nvidia: NvidiaFacts, severity: Severity, remedy: str) -> None:
    (finding,) = wsl_gpu_unavailable(os, nvidia, CUDA)
    assert (finding.severity, finding.remedies) == (severity, (remedy,))


@pytest.mark.parametrize(
    ("os", "nvidia", "frameworks"),
    [
        pytest.param(
            OsFacts(wsl=2),
            NvidiaFacts(nvml="ok", devices=(NvidiaGpu(index=0),), libcuda=WINDOWS_LIBCUDA),
            CUDA,
            id="works",
        ),
        pytest.param(
            OsFacts(wsl=2), NvidiaFacts(nvml="library-not-found", libcuda=()), CPU_ONLY, id="nothing-asks-for-cuda"
        ),
        pytest.param(OsFacts(wsl=2, container="docker"), NvidiaFacts(libcuda=()), CUDA, id="container-inside-wsl"),
    ],
)
def test_silent(os: OsFacts, nvidia: NvidiaFacts, frameworks: Frameworks) -> None:
    assert list(wsl_gpu_unavailable(os, nvidia, frameworks)) == []


def test_nothing_to_check_outside_wsl() -> None:
    with pytest.raises(NotHere):
        list(wsl_gpu_unavailable(OsFacts(wsl=0), NvidiaFacts(nvml="library-not-found", libcuda=()), CUDA))


def test_unread() -> None:
    with pytest.raises(Unread):
        list(wsl_gpu_unavailable(OsFacts(), NvidiaFacts(), CUDA))
    with pytest.raises(Unread):
        list(wsl_gpu_unavailable(OsFacts(wsl=2), NvidiaFacts(), CUDA))


def test_no_trace_of_nvidia_in_wsl() -> None:
    (finding,) = wsl_gpu_unavailable(OsFacts(wsl=2), None, CUDA)
    assert finding.severity is Severity.WARNING

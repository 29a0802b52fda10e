"""When cuda-compat-conflict speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.cuda_compat_conflict import cuda_compat_conflict
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    KernelLaunch,
    LibraryFile,
    NvidiaFacts,
    TorchFacts,
)
from checks.facts.finding import Severity

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


def libcuda(path: str) -> tuple[LibraryFile, ...]:
    return (LibraryFile(path=path), LibraryFile(path="/usr/lib/x86_64-linux-gnu/libcuda.so.1"))


@pytest.mark.parametrize(
    ("nvidia", "frameworks", "severity"),
    [
        pytest.param(  # ggml-org/llama.cpp#17542: cuda-compat-12.9 in the path, RTX 3090 and 4090
            NvidiaFacts(libcuda=libcuda("/usr/local/cuda-12.9/compat/libcuda.so.1"), driver_version="550.54.15"),
            torch(STARTED + "Error 803: system has unsupported display driver / cuda driver combination"),
            Severity.BLOCKING,
            id="error-803",
        ),
        pytest.param(
            NvidiaFacts(),
            torch(STARTED + "Error 804: forward compatibility was attempted on non supported HW"),
            Severity.BLOCKING,
            id="error-804-path-unknown",
        ),
        pytest.param(  # NVIDIA/warp#219
            NvidiaFacts(libcuda=libcuda("/usr/local/cuda/lib64/stubs/libcuda.so.1")),
            None,
            Severity.BLOCKING,
            id="stub-first",
        ),
        pytest.param(
            NvidiaFacts(libcuda=libcuda("/usr/local/cuda/compat/libcuda.so.1")),
            torch(),
            Severity.WARNING,
            id="compat-first",
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, frameworks: Frameworks | None, severity: Severity) -> None:
    (finding,) = cuda_compat_conflict(nvidia, frameworks)
    assert finding.severity is severity


@pytest.mark.parametrize(
    ("nvidia", "frameworks"),
    [
        pytest.param(NvidiaFacts(libcuda=libcuda("/usr/local/cuda/compat/libcuda.so.1")), RAN, id="compat-that-works"),
        pytest.param(
            NvidiaFacts(libcuda=libcuda("/usr/local/cuda/compat/libcuda.so.1")), None, id="compat-nothing-tried"
        ),
        pytest.param(NvidiaFacts(libcuda=libcuda("/usr/lib/libcuda.so.1")), torch(), id="the-drivers-own"),
        pytest.param(NvidiaFacts(libcuda=libcuda("/home/compatible/libcuda.so.1")), torch(), id="only-a-similar-name"),
        pytest.param(NvidiaFacts(), torch(STARTED + "Error 802: system not yet initialized"), id="another-error"),
    ],
)
def test_silent(nvidia: NvidiaFacts, frameworks: Frameworks | None) -> None:
    assert list(cuda_compat_conflict(nvidia, frameworks)) == []

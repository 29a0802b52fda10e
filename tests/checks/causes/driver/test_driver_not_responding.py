"""When driver-not-responding speaks, and when it keeps silent."""

import pytest

from checks.causes.driver.driver_not_responding import driver_not_responding
from checks.facts import Frameworks, Gpu, Gpus, NvidiaFacts, NvidiaGpu, ProbeRun, ProbeRuns, StageRun, TorchFacts
from checks.facts.finding import NotHere

NVIDIA = Gpus(devices=(Gpu(vendor_id="10de"),))


def runs(status: str, signal: str | None = None) -> ProbeRuns:
    return ProbeRuns(runs=(ProbeRun(probe="nvidia", status=status, signal=signal, stages=(StageRun(name="nvml"),)),))


@pytest.mark.parametrize(
    ("probes", "nvidia", "status"),
    [
        pytest.param(runs("timed-out"), None, "timed-out", id="hangs"),
        pytest.param(runs("crashed", "SIGSEGV"), None, "SIGSEGV", id="crashes"),
        pytest.param(runs("ok"), NvidiaFacts(nvml="NVML_ERROR_TIMEOUT"), "-", id="nvml-timeout"),
    ],
)
def test_speaks(probes: ProbeRuns, nvidia: NvidiaFacts | None, status: str) -> None:
    (finding,) = driver_not_responding(probes, NVIDIA, nvidia, None)
    assert finding.placeholders()["probe_status"] == status


@pytest.mark.parametrize(
    ("probes", "gpus"),
    [
        pytest.param(runs("ok"), NVIDIA, id="answered"),
        pytest.param(runs("cancelled"), NVIDIA, id="cancelled"),
        pytest.param(ProbeRuns(), NVIDIA, id="not-asked"),
    ],
)
def test_silent(probes: ProbeRuns, gpus: Gpus) -> None:
    assert list(driver_not_responding(probes, gpus, None, None)) == []


def test_without_an_nvidia_gpu_there_is_nothing_that_could_hang() -> None:
    with pytest.raises(NotHere):
        list(driver_not_responding(runs("timed-out"), Gpus(), None, None))


HEALTHY = NvidiaFacts(nvml="ok", devices=(NvidiaGpu(index=0),))
CUDA = Frameworks(torch=TorchFacts(cuda_version="12.8"))


@pytest.mark.parametrize(
    ("stage", "status", "frameworks", "found"),
    [
        pytest.param("cuda_kernels", "timed-out", CUDA, 1, id="first-kernel-hangs"),
        pytest.param("imported", "timed-out", CUDA, 0, id="import-hangs-is-another-cause"),
        pytest.param("cuda_kernels", "crashed", CUDA, 0, id="crash-of-a-program"),
        pytest.param("cuda_kernels", "timed-out", Frameworks(torch=TorchFacts(cuda_version="")), 0, id="no-cuda-build"),
    ],
)
def test_a_framework_that_hangs_at_the_gpu(stage: str, status: str, frameworks: Frameworks, found: int) -> None:
    run = ProbeRun(probe="torch", status=status, stages=(StageRun(name=stage),))
    findings = list(driver_not_responding(ProbeRuns(runs=(run,)), NVIDIA, HEALTHY, frameworks))
    assert len(findings) == found
    assert all(finding.confidence == 0.5 for finding in findings)

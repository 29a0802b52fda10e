"""When driver-not-responding speaks, and when it keeps silent."""

import pytest

from checks.driver.driver_not_responding import driver_not_responding
from checks.facts import (
    Gpu,
    Gpus,
    NvidiaFacts,
    ProbeRun,
    ProbeRuns,
    StageRun,
)

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
    (finding,) = driver_not_responding(probes, NVIDIA, nvidia)
    assert finding.placeholders()["probe_status"] == status


@pytest.mark.parametrize(
    ("probes", "gpus"),
    [
        pytest.param(runs("ok"), NVIDIA, id="answered"),
        pytest.param(runs("cancelled"), NVIDIA, id="cancelled"),
        pytest.param(ProbeRuns(), NVIDIA, id="not-asked"),
        pytest.param(runs("timed-out"), Gpus(), id="no-nvidia-gpu"),
    ],
)
def test_silent(probes: ProbeRuns, gpus: Gpus) -> None:
    assert list(driver_not_responding(probes, gpus, None)) == []

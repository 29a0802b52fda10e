"""When gpu-out-of-memory speaks, and when it keeps silent."""

import pytest
from support.evidence import evidence_of

from checks.causes.hardware.gpu_out_of_memory import gpu_out_of_memory
from checks.facts import (
    ErrorText,
    FrameworkDevice,
    Frameworks,
    GpuProcess,
    KernelLaunch,
    NvidiaFacts,
    NvidiaGpu,
    TorchFacts,
)
from checks.facts.finding import Severity

GIB = 2**30
FAILED = Frameworks(
    torch=TorchFacts(
        devices=(
            FrameworkDevice(
                device="cuda:0",
                kernel=KernelLaunch(
                    ran=False,
                    error=ErrorText(
                        type="OutOfMemoryError", message="CUDA out of memory. Tried to allocate 2.00 MiB. GPU 0 has ..."
                    ),
                ),
            ),
        )
    )
)


def card(free: float | None, total: float | None = 24, **more: object) -> NvidiaFacts:
    sizes = {
        "memory_free": None if free is None else int(free * GIB),
        "memory_total": None if total is None else int(total * GIB),
    }
    return NvidiaFacts(devices=(NvidiaGpu(index=0, name="NVIDIA GeForce RTX 3090", **sizes, **more),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nvidia", "severity"),
    [
        pytest.param(card(2.3), Severity.WARNING, id="less-than-a-tenth"),
        pytest.param(card(3.9, 80), Severity.WARNING, id="less-than-4-gib-of-80"),
        pytest.param(card(0.3, 4), Severity.WARNING, id="small-card"),
    ],
)
def test_speaks(nvidia: NvidiaFacts, severity: Severity) -> None:
    (finding,) = gpu_out_of_memory(nvidia, None)
    assert finding.severity is severity


def test_names_who_holds_the_memory_the_largest_first() -> None:
    held = (
        GpuProcess(pid=7, name="Xorg", used_memory=GIB // 2),
        GpuProcess(pid=4711, name="python", used_memory=21 * GIB),
        GpuProcess(pid=9),
    )
    (finding,) = gpu_out_of_memory(card(1.0, processes=held), FAILED)
    assert finding.severity is Severity.BLOCKING
    assert evidence_of(finding)["gpu_processes"] == "python 21.0 GiB (4711), Xorg 0.5 GiB (7), PID (9)"


def test_only_the_error_tells() -> None:
    (finding,) = gpu_out_of_memory(card(20.0), FAILED)
    assert finding.severity is Severity.BLOCKING
    assert finding.placeholders()["cuda_error"].startswith("CUDA out of memory")


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(card(2.5), id="a-little-more-than-a-tenth"),
        pytest.param(card(4.1, 80), id="a-little-more-than-4-gib"),
        pytest.param(card(None), id="unread"),
        pytest.param(card(1.0, None), id="total-unread-as-on-shared-memory"),
        pytest.param(card(0.1, 80, mig_enabled=True), id="with-mig-every-instance-has-its-own"),
        pytest.param(NvidiaFacts(devices=()), id="no-gpu"),
    ],
)
def test_silent(nvidia: NvidiaFacts) -> None:
    assert list(gpu_out_of_memory(nvidia, None)) == []

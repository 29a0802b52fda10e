"""When gpu-busy-or-exclusive speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_busy_or_exclusive import gpu_busy_or_exclusive
from checks.facts import (
    ErrorText,
    Experiment,
    FrameworkDevice,
    Frameworks,
    GpuProcess,
    KernelLaunch,
    Measurements,
    NvidiaFacts,
    NvidiaGpu,
    TorchFacts,
)
from checks.facts.finding import Severity
from checks.knowledge.phrases import in_language

JOB = (GpuProcess(pid=4711, name="python"),)
RAN = Frameworks(
    torch=TorchFacts(cuda_version="12.8", devices=(FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=True)),))
)
BUSY = Frameworks(
    torch=TorchFacts(
        cuda_version="12.8",
        cuda_error=ErrorText(
            type="RuntimeError", message="CUDA error: all CUDA-capable devices are busy or unavailable"
        ),
    )
)


def card(mode: str | None, processes: tuple[GpuProcess, ...] | None = ()) -> NvidiaFacts:
    return NvidiaFacts(devices=(NvidiaGpu(index=0, name="GeForce GTX TITAN", compute_mode=mode, processes=processes),))


@pytest.mark.parametrize(
    ("nvidia", "frameworks", "severity", "remedy"),
    [
        pytest.param(card("prohibited"), None, Severity.BLOCKING, None, id="prohibited"),
        pytest.param(
            card("exclusive-thread", JOB), BUSY, Severity.BLOCKING, None, id="exclusive-and-taken"
        ),  # cbio-cluster#144
        pytest.param(card("exclusive-process"), BUSY, Severity.BLOCKING, None, id="exclusive-holder-unseen"),
        pytest.param(card("default"), BUSY, Severity.BLOCKING, "free-gpu-memory", id="only-the-error-tells"),
        pytest.param(card("prohibited"), RAN, Severity.WARNING, None, id="prohibited-but-another-works"),
    ],
)
def test_speaks(nvidia: NvidiaFacts, frameworks: Frameworks | None, severity: Severity, remedy: str | None) -> None:
    (finding,) = gpu_busy_or_exclusive(nvidia, frameworks, None)
    assert finding.severity is severity
    assert (finding.remedies or (None,))[0] == remedy


def refused(reason: str) -> Measurements:
    """As told where the process for another variable of cuBLAS is turned away."""
    error = ErrorText(type="RuntimeError", message="CUDA error: CUDA-capable device(s) is/are busy or unavailable")
    made = Experiment(origin="compute_torch_probe.py", device="cuda:0", reason=reason, error=error)
    return Measurements(all=(Experiment(device="cuda:0"), made))


def test_a_second_process_that_is_turned_away_is_a_note() -> None:
    """The GPU computes: nothing is broken, but something was left out."""
    (finding,) = gpu_busy_or_exclusive(card("exclusive-process", JOB), RAN, refused("device-busy"))
    assert finding.severity is Severity.NOTE
    assert "exclusive-process" in in_language(finding.values["state"], "en")
    assert [each.value for each in finding.evidence if each.name == "cuda_error"] == [
        "CUDA error: CUDA-capable device(s) is/are busy or unavailable"
    ]
    assert list(gpu_busy_or_exclusive(card("exclusive-process", JOB), RAN, refused("no-time"))) == []
    (finding,) = gpu_busy_or_exclusive(card("prohibited"), RAN, refused("device-busy"))  # told once
    assert finding.severity is Severity.WARNING


def test_a_gpu_kept_for_itself_beside_an_open_one_stops_nobody() -> None:
    kept = NvidiaGpu(index=0, name="NVIDIA T400", compute_mode="prohibited")
    free = NvidiaGpu(index=1, name="NVIDIA RTX A6000", compute_mode="default")
    (finding,) = gpu_busy_or_exclusive(NvidiaFacts(devices=(kept, free)), None, None)
    assert finding.severity is Severity.WARNING
    (finding,) = gpu_busy_or_exclusive(NvidiaFacts(devices=(kept, free)), BUSY, None)
    assert finding.severity is Severity.BLOCKING


@pytest.mark.parametrize(
    ("nvidia", "frameworks"),
    [
        pytest.param(card("default", JOB), None, id="default-lets-many-in"),
        pytest.param(card("exclusive-process", ()), None, id="exclusive-and-free"),
        pytest.param(card("exclusive-process", JOB), RAN, id="exclusive-and-computed"),
        pytest.param(
            card("exclusive-process", (GpuProcess(pid=7, name="nvidia-cuda-mps-server"),)),
            None,
            id="shared-through-mps",
        ),
        pytest.param(card(None), None, id="unread"),
    ],
)
def test_silent(nvidia: NvidiaFacts, frameworks: Frameworks | None) -> None:
    assert list(gpu_busy_or_exclusive(nvidia, frameworks, None)) == []

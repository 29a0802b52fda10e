"""When unknown speaks, and when it keeps silent or gives way."""

import pytest

from checks.causes.other.unknown import unknown
from checks.facts import (
    ErrorText,
    Facts,
    FrameworkDevice,
    Frameworks,
    Gpu,
    Gpus,
    KernelLaunch,
    MachineFacts,
    NvidiaFacts,
    ProbeRun,
    ProbeRuns,
    TorchFacts,
)
from checks.facts.finding import Inconclusive, Unread
from checks.judgement.judge import judge_each
from checks.judgement.ranking import rank

NVIDIA = Gpus(devices=(Gpu(vendor_id="10de", device_id="2684"),))
NONE = Gpus()
ERROR = ErrorText(type="RuntimeError", message="CUDA error: unspecified launch failure")


def torch(**fields: object) -> Frameworks:
    return Frameworks(torch=TorchFacts(version="2.6.0", **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("frameworks", "gpus", "failed_at"),
    [
        pytest.param(torch(imported=False, error=ERROR), NONE, "import", id="does-not-import"),
        pytest.param(torch(build="cuda", cuda_available=False), NVIDIA, "cuda", id="sees-no-gpu"),
        pytest.param(
            torch(devices=(FrameworkDevice(device="cuda:0", kernel=KernelLaunch(ran=False, error=ERROR)),)),
            None,
            "cuda:0",
            id="kernel-fails",
        ),
        pytest.param(
            torch(devices=(FrameworkDevice(device="cpu", kernel=KernelLaunch(ran=True, correct=False)),)),
            None,
            "cpu",
            id="kernel-computes-wrongly",
        ),
    ],
)
def test_speaks(frameworks: Frameworks, gpus: Gpus | None, failed_at: str) -> None:
    (finding,) = unknown(frameworks, gpus)
    assert finding.placeholders()["failed_at"] == failed_at


@pytest.mark.parametrize(
    ("frameworks", "gpus"),
    [
        pytest.param(torch(imported=True, build="cuda", cuda_available=False), NONE, id="no-gpu-to-see"),
        pytest.param(torch(imported=True, build="cpu", cuda_available=False), NVIDIA, id="cpu-build"),
        pytest.param(torch(imported=True, build="cuda", cuda_available=False), None, id="bus-unread"),
        pytest.param(
            torch(imported=True, devices=(FrameworkDevice(device="cpu", kernel=KernelLaunch(ran=True, correct=True)),)),
            NVIDIA,
            id="computes",
        ),
    ],
)
def test_silent(frameworks: Frameworks, gpus: Gpus | None) -> None:
    assert list(unknown(frameworks, gpus)) == []


def test_a_process_that_died_in_the_import_proves_nothing_to_be_fine() -> None:
    with pytest.raises(Unread):
        list(unknown(torch(), NONE))


def test_where_no_framework_was_tried_none_is_said_to_work() -> None:
    with pytest.raises(Inconclusive, match="not-installed"):
        list(unknown(Frameworks(), NVIDIA))
    died = ProbeRuns(runs=(ProbeRun(probe="torch", status="crashed", exit_code=1),))
    with pytest.raises(Unread):
        list(unknown(Frameworks(), NVIDIA, died))


def test_gives_way_to_a_cause_that_is_known() -> None:
    frameworks = torch(imported=True, build="cuda", cuda_version="12.4", cuda_available=False)
    facts = Facts(
        machine=MachineFacts(gpus=NVIDIA, nvidia=NvidiaFacts(driver_version="470.256.02")), frameworks=frameworks
    )
    causes = {finding.cause for finding in rank(judge_each(facts))}
    assert "driver-too-old-for-cuda" in causes
    assert "unknown" not in causes

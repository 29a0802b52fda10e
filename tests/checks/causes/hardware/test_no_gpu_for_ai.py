"""When no-gpu-for-ai speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.no_gpu_for_ai import no_gpu_for_ai
from checks.facts import (
    AppleFacts,
    Facts,
    Gpu,
    Gpus,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    Symptom,
)
from checks.facts.finding import Finding, Severity, Status
from checks.judgement.one_check import judge_one

LINUX = OsFacts(system="Linux", virtual_machine="", wsl=0)
MISSED = Symptom(name="not-on-gpu")
NOTHING = Gpus()
UHD = Gpus(devices=(Gpu(vendor_id="8086", device_id="9bc4", vendor="Intel", product="UHD Graphics"),))


def findings(gpus: Gpus, symptom: Symptom = MISSED, os: OsFacts = LINUX, **others: object) -> list[Finding]:
    given = {"nvidia": None, "jetson": None, "apple": None, **others}
    return list(no_gpu_for_ai(symptom, gpus, os, **given))


@pytest.mark.parametrize(
    ("gpus", "os", "first"),
    [
        pytest.param(NOTHING, LINUX, "compute-on-the-cpu", id="nothing-on-the-bus"),
        pytest.param(UHD, LINUX, "compute-on-the-cpu", id="old-graphics-in-the-processor"),
        pytest.param(
            NOTHING,
            OsFacts(system="Linux", virtual_machine="kvm"),
            "check-gpu-in-virtual-machine",
            id="virtual-machine",
        ),
        pytest.param(
            NOTHING, OsFacts(system="Darwin", virtual_machine=""), "compute-on-the-cpu", id="intel-mac-without-a-card"
        ),
    ],
)
def test_speaks(gpus: Gpus, os: OsFacts, first: str) -> None:
    (finding,) = findings(gpus, os=os)
    assert finding.severity is Severity.WARNING
    assert finding.remedies[0] == first


@pytest.mark.parametrize(
    ("gpus", "others"),
    [
        pytest.param(NOTHING, {"symptom": Symptom(name="everything")}, id="nobody-misses-it"),
        pytest.param(Gpus(devices=(Gpu(vendor_id="10de"),)), {}, id="nvidia"),
        pytest.param(Gpus(devices=(Gpu(vendor_id="1002"),)), {}, id="amd"),
        pytest.param(Gpus(devices=(Gpu(vendor_id="8086", device_id="56a0"),)), {}, id="arc-a770"),
        pytest.param(NOTHING, {"os": OsFacts(system="Linux", wsl=2)}, id="wsl-hides-the-bus"),
        pytest.param(NOTHING, {"jetson": JetsonFacts(model="Jetson")}, id="jetson"),
        pytest.param(NOTHING, {"apple": AppleFacts(is_apple_silicon=True)}, id="apple-silicon"),
        pytest.param(NOTHING, {"nvidia": NvidiaFacts(devices=(NvidiaGpu(index=0),))}, id="nvml-sees-one"),
    ],
)
def test_silent(gpus: Gpus, others: dict[str, object]) -> None:
    assert findings(gpus, **others) == []  # type: ignore[arg-type]


def test_an_unread_bus_is_not_called_empty() -> None:
    outcome = judge_one(no_gpu_for_ai, Facts(symptom=MISSED, machine=MachineFacts(os=LINUX)))
    assert outcome.status is Status.SKIPPED
    assert outcome.values == {"fact": "gpus"}

"""When cuda-build-without-nvidia-gpu speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.cuda_build_without_nvidia_gpu import cuda_build_without_nvidia_gpu
from checks.facts import (
    Facts,
    Frameworks,
    Gpu,
    Gpus,
    JetsonFacts,
    MachineFacts,
    NvidiaFacts,
    NvidiaGpu,
    OnnxRuntimeFacts,
    OsFacts,
    TorchFacts,
)
from checks.facts.finding import Finding, Severity

LINUX = OsFacts(system="Linux", architecture="x86_64", wsl=0)
WINDOWS = OsFacts(system="Windows")
TORCH = Frameworks(torch=TorchFacts(version="2.13.0+cu130", cuda_version="13.0"))
LAPTOP = Gpus(devices=(Gpu(vendor_id="8086", device_id="9a49", product="Iris Xe Graphics", integrated=True),))
# A processor's graphics that the table of AMD's chips does not know: whether it is one was not told.
NEW_CHIP = Gpus(devices=(Gpu(vendor_id="1002", device_id="150e", product="Radeon Graphics"),))
RADEON = Gpus(devices=(Gpu(vendor_id="1002", device_id="744c", product="Radeon RX 7900 XTX", integrated=False),))


def findings(
    frameworks: Frameworks,
    gpus: Gpus,
    os: OsFacts = LINUX,
    nvidia: NvidiaFacts | None = None,
    jetson: JetsonFacts | None = None,
    *,
    reported: bool = False,
) -> list[Finding]:
    machine = MachineFacts(os=os, gpus=gpus, nvidia=nvidia, jetson=jetson)
    facts = Facts(machine=machine, frameworks=frameworks, reported=reported)
    return list(cuda_build_without_nvidia_gpu(facts, frameworks, gpus, machine, nvidia, jetson, None))


@pytest.mark.parametrize(
    ("frameworks", "gpus", "os", "severity"),
    [
        pytest.param(TORCH, LAPTOP, LINUX, Severity.NOTE, id="ordinary-torch-on-a-laptop"),
        pytest.param(TORCH, Gpus(), LINUX, Severity.NOTE, id="server-without-any-gpu"),
        pytest.param(TORCH, NEW_CHIP, LINUX, Severity.NOTE, id="beside-a-chip-of-unknown-kind"),
        pytest.param(TORCH, RADEON, LINUX, Severity.WARNING, id="beside-an-amd-card"),
        pytest.param(TORCH, LAPTOP, WINDOWS, Severity.WARNING, id="on-windows-it-was-asked-for"),
        pytest.param(
            Frameworks(onnxruntime=OnnxRuntimeFacts(version="1.20.1", cuda_version="12.4")),
            LAPTOP,
            LINUX,
            Severity.WARNING,
            id="onnxruntime-gpu-was-asked-for",
        ),
    ],
)
def test_speaks(frameworks: Frameworks, gpus: Gpus, os: OsFacts, severity: Severity) -> None:
    (finding,) = findings(frameworks, gpus, os)
    assert finding.severity is severity


@pytest.mark.parametrize(
    ("frameworks", "gpus", "os", "nvidia", "jetson"),
    [
        pytest.param(TORCH, Gpus(devices=(Gpu(vendor_id="10de"),)), LINUX, None, None, id="nvidia-on-the-bus"),
        pytest.param(TORCH, Gpus(), LINUX, NvidiaFacts(devices=(NvidiaGpu(index=0),)), None, id="nvidia-in-nvml"),
        pytest.param(TORCH, Gpus(), LINUX, None, JetsonFacts(soc="tegra234"), id="jetson"),
        pytest.param(TORCH, Gpus(), OsFacts(system="Linux", wsl=2), None, None, id="wsl-does-not-show-the-bus"),
        pytest.param(Frameworks(torch=TorchFacts(cuda_version="")), LAPTOP, LINUX, None, None, id="cpu-build"),
    ],
)
def test_silent(
    frameworks: Frameworks, gpus: Gpus, os: OsFacts, nvidia: NvidiaFacts | None, jetson: JetsonFacts | None
) -> None:
    assert findings(frameworks, gpus, os, nvidia, jetson) == []


CARD = Gpus(devices=(Gpu(vendor_id="1002", product="AMD Radeon RX 6700 XT"),))  # as a text names it


def test_of_a_text_that_names_a_card_of_another_vendor_it_is_likely() -> None:
    (finding,) = findings(TORCH, CARD, reported=True)
    assert finding.severity is Severity.BLOCKING
    assert finding.confidence < 0.8


@pytest.mark.parametrize("gpus", [Gpus(), LAPTOP, NEW_CHIP])
def test_a_text_need_not_name_every_gpu(gpus: Gpus) -> None:
    assert findings(TORCH, gpus, reported=True) == []

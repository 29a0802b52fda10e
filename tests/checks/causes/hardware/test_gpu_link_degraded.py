"""When gpu-link-degraded speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_link_degraded import gpu_link_degraded
from checks.facts import Gpu, Gpus, NvidiaFacts, NvidiaGpu, PciLink
from checks.facts.finding import Severity


def link(width: int, width_max: int, generation: int = 4, generation_max: int = 4) -> PciLink:
    return PciLink(width=width, width_max=width_max, generation=generation, generation_max=generation_max)


def card(link: PciLink | None, *, nvswitches: int | None = None, **state: object) -> NvidiaFacts:
    return NvidiaFacts(nvswitches=nvswitches, devices=(NvidiaGpu(index=0, name="NVIDIA A100", link=link, **state),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nvidia", "now", "severity"),
    [
        pytest.param(card(link(1, 16), performance_state=8), "x1 Gen4", Severity.WARNING, id="one-lane-even-at-rest"),
        pytest.param(
            card(link(16, 16, 1, 4), performance_state=0, utilization=80),
            "x16 Gen1",
            Severity.WARNING,
            id="slow-at-work",
        ),
        pytest.param(
            card(link(16, 16), nvswitches=6, nvlinks_active=11, nvlinks_inactive=1),
            "x16 Gen4",
            Severity.WARNING,
            id="dead-nvlink",
        ),
        # nvidia-smi -q -x of a healthy HP laptop with a GTX 1050 Mobile (10de:1c8d, 103c:860a), in the tests of the
        # monitoring agent GuanceCloud/datakit: max_link_width 16x, current_link_width 8x.
        pytest.param(
            card(link(8, 16, 3, 3), performance_state=3, utilization=7), "x8 Gen3", Severity.NOTE, id="laptop"
        ),
        pytest.param(card(link(4, 16)), "x4 Gen4", Severity.NOTE, id="thunderbolt-or-a-slot-of-four-lanes"),
    ],
)
def test_speaks(nvidia: NvidiaFacts, now: str, severity: Severity) -> None:
    (finding,) = gpu_link_degraded(nvidia, None)
    assert finding.severity is severity
    assert finding.placeholders()["link_now"] == now


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(card(link(16, 16), performance_state=0, utilization=80), id="full"),
        pytest.param(card(link(16, 16, 1, 4), performance_state=8, utilization=0), id="saves-power-at-rest"),
        pytest.param(card(link(16, 16, 1, 4), performance_state=0, utilization=0), id="p0-without-work"),
        pytest.param(card(link(16, 16, 1, 4), performance_state=None, utilization=80), id="state-unread"),
        pytest.param(card(link(8, 8)), id="slot-of-eight-lanes"),
        pytest.param(card(PciLink(width_max=16)), id="width-unread"),
        pytest.param(card(None), id="link-unread"),
        pytest.param(card(link(16, 16), nvswitches=0, nvlinks_active=0, nvlinks_inactive=12), id="no-nvlink-bridge"),
    ],
)
def test_silent(nvidia: NvidiaFacts) -> None:
    assert list(gpu_link_degraded(nvidia, None)) == []


@pytest.mark.parametrize(
    ("width", "found"),
    [
        pytest.param(1, 1, id="one-of-sixteen"),  # geerlingguy/raspberry-pi-pcie-devices#480
        pytest.param(2, 1, id="an-eighth"),
        pytest.param(4, 0, id="thunderbolt"),
        pytest.param(8, 0, id="laptop"),
    ],
)
def test_the_bus_alone(width: int, found: int) -> None:
    gpu = Gpu(vendor_id="10de", device_id="1e30", product="Quadro RTX 6000/8000", link=link(width, 16))
    assert len(list(gpu_link_degraded(None, Gpus(devices=(gpu,))))) == found


def test_nvml_goes_before_the_bus() -> None:
    gpu = Gpu(address="0000:01:00.0", vendor_id="10de", link=link(1, 16))
    nvidia = NvidiaFacts(devices=(NvidiaGpu(index=0, pci_address="0000:01:00.0", link=link(1, 1)),))
    assert list(gpu_link_degraded(nvidia, Gpus(devices=(gpu,)))) == []

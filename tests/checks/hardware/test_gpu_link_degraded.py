"""When gpu-link-degraded speaks, and when it keeps silent."""

import pytest

from checks.facts import NvidiaFacts, NvidiaGpu, PciLink
from checks.hardware.gpu_link_degraded import gpu_link_degraded


def link(width: int, width_max: int, generation: int = 4, generation_max: int = 4) -> PciLink:
    return PciLink(width=width, width_max=width_max, generation=generation, generation_max=generation_max)


def card(link: PciLink | None, *, nvswitches: int | None = None, **state: object) -> NvidiaFacts:
    return NvidiaFacts(nvswitches=nvswitches, devices=(NvidiaGpu(index=0, name="NVIDIA A100", link=link, **state),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nvidia", "now"),
    [
        pytest.param(card(link(8, 16), performance_state=8), "x8 Gen4", id="half-the-lanes-even-at-rest"),
        pytest.param(card(link(16, 16, 1, 4), performance_state=0, utilization=80), "x16 Gen1", id="slow-at-work"),
        pytest.param(
            card(link(16, 16), nvswitches=6, nvlinks_active=11, nvlinks_inactive=1), "x16 Gen4", id="dead-nvlink"
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, now: str) -> None:
    (finding,) = gpu_link_degraded(nvidia)
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
    assert list(gpu_link_degraded(nvidia)) == []

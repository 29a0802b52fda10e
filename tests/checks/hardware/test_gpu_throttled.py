"""When gpu-throttled speaks, and when it keeps silent."""

import pytest

from checks.facts import NvidiaFacts, NvidiaGpu
from checks.finding import Severity
from checks.hardware.gpu_throttled import gpu_throttled


def card(**state: object) -> NvidiaFacts:
    return NvidiaFacts(devices=(NvidiaGpu(index=0, name="NVIDIA GeForce RTX 2070", **state),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("nvidia", "severity", "remedy"),
    [
        pytest.param(
            card(throttle_reasons=("HwSlowdown", "HwThermalSlowdown"), temperature=95),
            Severity.WARNING,
            "cool-gpu",
            id="heat",
        ),
        pytest.param(
            card(throttle_reasons=("SwThermalSlowdown",)), Severity.WARNING, "cool-gpu", id="heat-by-software"
        ),
        pytest.param(
            card(throttle_reasons=("HwPowerBrakeSlowdown",)), Severity.WARNING, "check-gpu-power", id="power-brake"
        ),
        pytest.param(
            card(throttle_reasons=(), power_limit=100.0, power_limit_default=175.0),
            Severity.NOTE,
            "restore-power-limit",
            id="limit-was-lowered",
        ),
    ],
)
def test_speaks(nvidia: NvidiaFacts, severity: Severity, remedy: str) -> None:
    (finding,) = gpu_throttled(nvidia)
    assert finding.severity is severity
    assert finding.remedies[0] == remedy


@pytest.mark.parametrize(
    "nvidia",
    [
        pytest.param(card(throttle_reasons=()), id="none"),
        pytest.param(card(throttle_reasons=("GpuIdle",)), id="idle"),
        pytest.param(
            card(throttle_reasons=("SwPowerCap",), power_limit=175.0, power_limit_default=175.0), id="plain-power-cap"
        ),
        pytest.param(card(throttle_reasons=("0x800",)), id="bit-without-a-row"),
        pytest.param(card(), id="unread"),
        pytest.param(card(power_limit=150.0, power_limit_default=175.0), id="limit-a-little-lower"),
        pytest.param(NvidiaFacts(), id="no-device-read"),
    ],
)
def test_silent(nvidia: NvidiaFacts) -> None:
    assert list(gpu_throttled(nvidia)) == []

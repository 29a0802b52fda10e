"""When gpu-throttled speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_throttled import gpu_throttled
from checks.facts import Health, HealthSample, Measurements, NvidiaFacts, NvidiaGpu
from checks.facts.finding import NotHere, Severity


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
            card(throttle_reasons=("HwSlowdown",), utilization=99), Severity.WARNING, "check-gpu-power", id="at-work"
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
    (finding,) = gpu_throttled(nvidia, None, None)
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
        # A change of the clocks shows so, too, and at rest they change all the time.
        pytest.param(card(throttle_reasons=("HwSlowdown",)), id="a-slowdown-of-no-kind"),
        pytest.param(card(throttle_reasons=("HwSlowdown", "GpuIdle"), utilization=0), id="a-slowdown-at-rest"),
        pytest.param(card(throttle_reasons=("BoardLimit",)), id="the-boards-own-limit"),
        pytest.param(card(), id="unread"),
        pytest.param(card(power_limit=150.0, power_limit_default=175.0), id="limit-a-little-lower"),
        pytest.param(NvidiaFacts(), id="no-device-read"),
    ],
)
def test_silent(nvidia: NvidiaFacts) -> None:
    assert list(gpu_throttled(nvidia, None, None)) == []


def load(*masks: int | None, device: str = "cuda:0") -> Measurements:
    samples = tuple(
        HealthSample(second=float(second), throttle_mask=mask, temperature=70 + second, clock_sm=1900 - 10 * second)
        for second, mask in enumerate(masks)
    )
    return Measurements(all=(Health(framework="torch", operation="load", device=device, samples=samples),))


def test_speaks_of_what_happens_under_load() -> None:
    (finding,) = gpu_throttled(None, load(0x4, 0x4, 0x24, 0x64, 0x20), None)
    assert finding.severity is Severity.WARNING
    told = finding.placeholders()
    assert told["throttle_reasons"] == "HwThermalSlowdown, SwThermalSlowdown"
    assert (told["held_down_after"], told["temperature"], told["clock_sm"]) == ("2 s", "74 °C", "1860 / 1900 MHz")
    assert finding.remedies == ("cool-gpu",)


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(load(0x4, 0x4, 0x4, 0x0), id="plain-power-cap"),
        pytest.param(load(0x0, 0x8, 0x0, 0x0), id="a-moment"),
        pytest.param(load(0x200, 0x200, 0x200), id="the-boards-own-limit"),
        pytest.param(load(None, None), id="untold"),
        pytest.param(load(), id="no-sample"),
    ],
)
def test_silent_under_load(measured: Measurements) -> None:
    assert list(gpu_throttled(None, measured, None)) == []


@pytest.mark.parametrize("measured", [None, load(0x40, 0x40, 0x40, device="cpu")], ids=["no-load", "a-processor"])
def test_nothing_to_judge(measured: Measurements | None) -> None:
    """What a processor did under load says nothing of a GPU that is not there."""
    with pytest.raises(NotHere):
        list(gpu_throttled(None, measured, None))

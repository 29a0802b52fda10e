"""The GPU's clocks are held down by heat or power.

Detects:      clock limits that NVML counts as trouble (hardware slowdown, heat, power brake) at the moment of looking,
              or during Naosu's own load; a power limit that was set well below the board's own.
Why it bites: the same work takes longer, mostly after some minutes of load.
Blind spots:  without a load it is a single look: a GPU that is idle now does not show what happens then. The plain
              power cap is left out, since every busy GPU reaches it.
Knowledge:    resources/knowledge/errors/hardware_errors.toml (clock reasons)
"""

from collections.abc import Iterator

from checks.analysis.gpu.load import device_name, held_down, loads
from checks.analysis.gpu.state import NONE
from checks.analysis.numbers.repeats import is_processor
from checks.causes.registry import check
from checks.facts import Frameworks, Health, Measurements, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.errors.hardware_errors import HardwareErrors, clock_reason
from checks.knowledge.phrases import phrase

_LEAST_SAMPLES, _PART = 2, 0.1  # of a load, in which the clocks were held down: a moment of it is usual
_ANY_SLOWDOWN = "HwSlowdown"
_AT_WORK = 10  # percent
_LOWERED = 0.8  # a power limit below this share of the default was set by somebody


@check("gpu-throttled")
def gpu_throttled(
    nvidia: NvidiaFacts | None, measurements: Measurements | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding per GPU, and one per device that was held down under load."""
    of_cards = [load for load in loads(measurements) if not is_processor(load.device)]
    if nvidia is None and not of_cards:
        raise NotHere("nvidia_gpu")
    for health in of_cards:
        yield from _under_load(health, frameworks)
    for gpu in (nvidia.devices if nvidia else None) or ():
        reasons = _at_this_moment(gpu)
        is_lowered = bool(
            gpu.power_limit and gpu.power_limit_default and gpu.power_limit < _LOWERED * gpu.power_limit_default
        )
        if reasons:
            remedies = (
                ("cool-gpu",) if any("Thermal" in reason for reason in reasons) else ("check-gpu-power", "cool-gpu")
            )
            held_by = ", ".join(reasons)
            state = phrase(_kind_of(reasons), reasons=held_by)
            yield _finding(gpu, held_by, state, Severity.WARNING, 0.75, remedies)
        elif is_lowered:
            limits = {"limit": _watts(gpu.power_limit), "default": _watts(gpu.power_limit_default)}
            state = phrase("throttled-by-limit", **limits)
            yield _finding(gpu, NONE, state, Severity.NOTE, 0.9, ("restore-power-limit",))


def _at_this_moment(gpu: NvidiaGpu) -> list[str]:
    """NVML's reasons of a single look. A slowdown of no kind also shows while the clocks change, as they do at rest."""
    reasons = [name for name in gpu.throttle_reasons or () if (row := clock_reason(name)) and row.sign_of_trouble]
    is_at_work = (gpu.utilization or 0) >= _AT_WORK
    return [] if reasons == [_ANY_SLOWDOWN] and not is_at_work else reasons


def _under_load(health: Health, frameworks: Frameworks | None) -> Iterator[Finding]:
    held = tuple(held_down(health))
    if len(held) < _LEAST_SAMPLES or len(held) < _PART * len(health.samples):
        return
    reasons = sorted({row.name for _, rows in held for row in rows})
    samples = [sample for sample, _ in held]
    hottest = max((sample.temperature for sample in samples if sample.temperature is not None), default=None)
    clocks = [sample.clock_sm for sample in health.samples if sample.clock_sm is not None]
    seconds = f"{samples[0].second:.0f}"
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.9,
        subject=f"{health.framework} {health.device}",
        evidence=(
            Evidence("gpu", device_name(health, frameworks, None), health.origin),
            Evidence("throttle_reasons", ", ".join(reasons), health.origin, HardwareErrors.read().source),
            Evidence("held_down_after", f"{seconds} s", health.origin),
            Evidence("temperature", NONE if hottest is None else f"{hottest} °C", health.origin),
            *([Evidence("clock_sm", f"{min(clocks)} / {max(clocks)} MHz", health.origin)] if clocks else ()),
        ),
        values={"state": phrase(_kind_of(reasons), reasons=", ".join(reasons))},
        remedies=("cool-gpu",) if any("Thermal" in reason for reason in reasons) else ("check-gpu-power", "cool-gpu"),
    )


def _kind_of(reasons: list[str]) -> str:
    """The phrase that says what stands behind NVML's names."""
    if any("Thermal" in reason for reason in reasons):
        return "throttled-by-heat"
    return "throttled-by-power" if "HwPowerBrakeSlowdown" in reasons else "throttled-by-hardware"


def _finding(
    gpu: NvidiaGpu, reasons: str, state: Phrase, severity: Severity, confidence: float, remedies: tuple[str, ...]
) -> Finding:
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=gpu.uuid or str(gpu.index),
        evidence=(
            Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
            Evidence("throttle_reasons", reasons, gpu.origin, HardwareErrors.read().source),
            Evidence("temperature", NONE if gpu.temperature is None else f"{gpu.temperature} °C", gpu.origin),
            Evidence("power", _watts(gpu.power), gpu.origin),
            Evidence("power_limit", _watts(gpu.power_limit), gpu.origin),
            Evidence("power_limit_default", _watts(gpu.power_limit_default), gpu.origin),
            Evidence("clock_sm", f"{gpu.clock_sm or NONE} / {gpu.clock_sm_max or NONE} MHz", gpu.origin),
        ),
        values={"state": state}
        | {"gpu_index": str(gpu.index)}
        | ({"watts": f"{gpu.power_limit_default:.0f}"} if gpu.power_limit_default else {}),
        remedies=remedies,
    )


def _watts(power: float | None) -> str:
    return NONE if power is None else f"{power:.0f} W"

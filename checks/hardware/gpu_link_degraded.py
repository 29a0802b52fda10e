"""The PCI Express or NVLink connection of a GPU runs below what it could.

Detects:      fewer lanes than card and slot allow together; a lower generation while the GPU is at work; an NVSwitch
              system with inactive NVLinks.
Why it bites: data reaches the GPU more slowly; a loose card or riser also loses the connection altogether.
Blind spots:  at rest every GPU lowers the generation (not the lanes) to save power, so an idle GPU shows nothing of it.
              The slot's own limit (a chipset slot of 4 lanes, say) counts as allowed, since NVML takes it into account.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.facts import NvidiaFacts, NvidiaGpu
from checks.finding import Evidence, Finding, Severity
from checks.gpus import NONE
from checks.registry import check

CAUSE = "gpu-link-degraded"

_FULL_SPEED = 0  # P0
_AT_WORK = 10  # percent


@check(CAUSE)
def gpu_link_degraded(nvidia: NvidiaFacts) -> Iterator[Finding]:
    """One finding per GPU."""
    for gpu in nvidia.devices or ():
        has_fewer_lanes, is_slower = _compare(gpu)
        has_dead_nvlinks = bool(nvidia.nvswitches) and bool(gpu.nvlinks_inactive)
        if not has_fewer_lanes and not is_slower and not has_dead_nvlinks:
            continue
        link = gpu.link
        now = f"x{link.width} Gen{link.generation}" if link else NONE
        most = f"x{link.width_max} Gen{link.generation_max}" if link else NONE
        yield Finding(
            cause=CAUSE,
            severity=Severity.WARNING,
            confidence=0.8 if has_fewer_lanes or has_dead_nvlinks else 0.6,
            subject=gpu.uuid or str(gpu.index),
            evidence=(
                Evidence("gpu", gpu.name or str(gpu.index), gpu.origin),
                Evidence("link_now", now, gpu.origin),
                Evidence("link_max", most, gpu.origin),
                Evidence("nvlinks", _nvlinks(gpu), gpu.origin),
            ),
        )


def _compare(gpu: NvidiaGpu) -> tuple[bool, bool]:
    """(fewer lanes, a lower generation at work)."""
    link = gpu.link
    if link is None:
        return False, False
    has_fewer_lanes = bool(link.width and link.width_max and link.width < link.width_max)
    is_at_work = gpu.performance_state == _FULL_SPEED and (gpu.utilization or 0) >= _AT_WORK
    is_slower = bool(link.generation and link.generation_max and link.generation < link.generation_max)
    return has_fewer_lanes, is_at_work and is_slower


def _nvlinks(gpu: NvidiaGpu) -> str:
    if gpu.nvlinks_active is None:
        return NONE
    return f"{gpu.nvlinks_active} / {gpu.nvlinks_active + (gpu.nvlinks_inactive or 0)}"

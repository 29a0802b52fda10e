"""The PCI Express or NVLink connection of a GPU runs below what it could.

Detects:      an eighth of the lanes that NVML or the card names as the most, or less; with NVML a note for every other
              smaller number; a lower generation while the GPU is at work; an NVSwitch system with inactive NVLinks.
Why it bites: data reaches the GPU more slowly; a loose card or riser also loses the connection altogether.
Blind spots:  at rest every GPU lowers the generation (not the lanes) to save power, so an idle GPU shows nothing of it.
              How many lanes are wired does not show: laptops and boards with two cards have half of them, Thunderbolt
              and OCuLink a quarter, on purpose. NVML promises to take that into account and does not always: a healthy
              GTX 1050 of an HP laptop has "max 16x, current 8x" (driver 515.65.01).
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name, in_nvml, only_with_a_gpu
from checks.causes.registry import check
from checks.facts import Gpu, Gpus, NvidiaFacts, NvidiaGpu, PciLink
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

_FULL_SPEED = 0  # P0
_AT_WORK = 10  # percent
_SMALL_SHARE = 8  # nobody wires so few of the lanes on purpose


@check("gpu-link-degraded")
def gpu_link_degraded(nvidia: NvidiaFacts | None, gpus: Gpus | None) -> Iterator[Finding]:
    """One finding per GPU."""
    only_with_a_gpu(gpus, nvidia)
    if nvidia is not None:
        yield from _by_nvml(nvidia)
    for gpu in gpus.devices if gpus else ():
        listed = in_nvml(gpu, nvidia) if nvidia else None
        if listed is None or listed.link is None:
            yield from _by_the_bus(gpu)


def _by_nvml(nvidia: NvidiaFacts) -> Iterator[Finding]:
    for gpu in nvidia.devices or ():
        has_fewer_lanes, is_slower = _compare(gpu)
        has_dead_nvlinks = bool(nvidia.nvswitches) and bool(gpu.nvlinks_inactive)
        if not has_fewer_lanes and not is_slower and not has_dead_nvlinks:
            continue
        link = gpu.link
        is_strange = is_slower or has_dead_nvlinks or _is_small_share(link)
        now = f"x{link.width} Gen{link.generation}" if link else NONE
        most = f"x{link.width_max} Gen{link.generation_max}" if link else NONE
        yield Finding(
            severity=Severity.WARNING if is_strange else Severity.NOTE,
            confidence=0.8 if has_dead_nvlinks or _is_small_share(link) else 0.6 if is_slower else 0.4,
            subject=gpu.uuid or str(gpu.index),
            evidence=(
                Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
                Evidence("link_now", now, gpu.origin),
                Evidence("link_max", most, gpu.origin),
                Evidence("nvlinks", _nvlinks(gpu), gpu.origin),
            ),
            values={"state": _state(gpu, has_fewer_lanes=has_fewer_lanes, is_slower=is_slower)},
        )


def _by_the_bus(gpu: Gpu) -> Iterator[Finding]:
    link = gpu.link
    if link is None or not _is_small_share(link):
        return
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.5,
        subject=gpu.address or gpu_name(gpu),
        evidence=(
            Evidence("gpu", gpu_name(gpu), gpu.origin),
            Evidence("link_now", f"x{link.width}", gpu.origin),
            Evidence("link_max", f"x{link.width_max}", gpu.origin),
            Evidence("nvlinks", NONE),
        ),
        values={"state": phrase("link-lanes", now=str(link.width), most=str(link.width_max))},
    )


def _is_small_share(link: PciLink | None) -> bool:
    """Whether so few of the lanes are in use that no board is wired so."""
    return bool(link and link.width and link.width_max and link.width * _SMALL_SHARE <= link.width_max)


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


def _state(gpu: NvidiaGpu, *, has_fewer_lanes: bool, is_slower: bool) -> Phrase:
    link = gpu.link
    if link is not None and has_fewer_lanes:
        return phrase("link-lanes", now=str(link.width), most=str(link.width_max))
    if link is not None and is_slower:
        return phrase("link-generation", now=str(link.generation), most=str(link.generation_max))
    active = gpu.nvlinks_active or 0
    return phrase("link-nvlink", now=str(active), most=str(active + (gpu.nvlinks_inactive or 0)))

"""Two GPUs share a name, but not the chip, the firmware or the board.

Detects:      NVIDIA GPUs of one name whose PCI device ids (and dies), VBIOS versions or board part numbers differ.
Why it bites: another die is another architecture or another number of cores: code built for the one may not run on the
              other, kernels are chosen differently, and results and speed differ between "the same" cards.
Blind spots:  cards of different machines: comparing two reports shows those.
Knowledge:    resources/pci.ids, resources/knowledge/gpu/gpu_architectures.toml
"""

from collections import defaultdict
from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, in_nvml
from checks.causes.registry import check
from checks.facts import Gpu, Gpus, NvidiaFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.knowledge.phrases import phrase


@check("gpu-same-name-different-die", from_whole=True)
def gpu_same_name_different_die(gpus: Gpus, nvidia: NvidiaFacts | None) -> Iterator[Finding]:
    """One finding per name."""
    if len(gpus.nvidia) < 2:
        raise NotHere("several_gpus")
    by_name: defaultdict[str, list[Gpu]] = defaultdict(list)
    for gpu in gpus.nvidia:
        listed = in_nvml(gpu, nvidia) if nvidia else None
        name = (listed.name if listed else None) or gpu.product
        if name:
            by_name[name].append(gpu)
    for name, cards in by_name.items():
        if len(cards) > 1:
            yield from _judge(name, cards, nvidia)


def _judge(name: str, cards: list[Gpu], nvidia: NvidiaFacts | None) -> Iterator[Finding]:
    # A die that the list does not know is not another die: then the device ids differ, which is a note.
    dies = _distinct(gpu.die for gpu in cards) if all(gpu.die for gpu in cards) else []
    ids = _distinct(gpu.device_id for gpu in cards)
    listed = [found for gpu in cards if nvidia and (found := in_nvml(gpu, nvidia))]
    firmware = _distinct(device.vbios for device in listed)
    boards = _distinct(device.board_part_number for device in listed)
    if len(dies) > 1:
        severity, confidence, state = Severity.WARNING, 0.95, phrase("differs-die", dies=", ".join(dies))
    elif len(ids) > 1:
        severity, confidence, state = Severity.NOTE, 0.9, phrase("differs-id", ids=", ".join(ids))
    elif len(firmware) > 1:
        severity, confidence, state = Severity.NOTE, 0.9, phrase("differs-vbios", vbios=", ".join(firmware))
    elif len(boards) > 1:
        severity, confidence, state = Severity.NOTE, 0.9, phrase("differs-board", boards=", ".join(boards))
    else:
        return
    yield Finding(
        severity=severity,
        confidence=confidence,
        subject=name,
        evidence=(
            Evidence("gpu", name, cards[0].origin),
            Evidence("dies", ", ".join(dies) or NONE, "pci.ids"),
            Evidence("pci_ids", ", ".join(ids) or NONE, cards[0].origin),
            Evidence("vbios", ", ".join(firmware) or NONE, nvidia.origin if nvidia else ""),
            Evidence("board_part_numbers", ", ".join(boards) or NONE, nvidia.origin if nvidia else ""),
        ),
        values={"state": state},
    )


def _distinct(values: Iterator[str | None]) -> list[str]:
    """The values that were read, each once, in the order of the cards."""
    return list(dict.fromkeys(value for value in values if value))

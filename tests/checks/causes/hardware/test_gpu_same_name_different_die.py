"""When gpu-same-name-different-die speaks, and when it keeps silent."""

import pytest

from checks.causes.hardware.gpu_same_name_different_die import gpu_same_name_different_die
from checks.facts import Gpu, Gpus, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Finding, NotHere, Severity

NAME = "NVIDIA GeForce GTX 1650"


def on_bus(slot: int, device_id: str, die: str, product: str = "GeForce GTX 1650") -> Gpu:
    return Gpu(address=f"0000:0{slot}:00.0", vendor_id="10de", device_id=device_id, die=die, product=product)


def in_nvml(slot: int, vbios: str | None = None, board: str | None = None, name: str = NAME) -> NvidiaGpu:
    address = f"00000000:0{slot}:00.0"
    return NvidiaGpu(index=slot, name=name, pci_address=address, vbios=vbios, board_part_number=board)


def findings(cards: tuple[Gpu, ...], devices: tuple[NvidiaGpu, ...] | None) -> list[Finding]:
    nvidia = None if devices is None else NvidiaFacts(devices=devices)
    return list(gpu_same_name_different_die(Gpus(devices=cards), nvidia))


TU117, TU106 = on_bus(1, "1f82", "TU117"), on_bus(2, "1f91", "TU106")


def test_a_single_card_has_no_twin() -> None:
    with pytest.raises(NotHere):
        findings((TU117,), (in_nvml(1),))


@pytest.mark.parametrize(
    ("cards", "devices", "severity"),
    [
        pytest.param((TU117, TU106), (in_nvml(1), in_nvml(2)), Severity.WARNING, id="two-gtx-1650-of-different-dies"),
        pytest.param((TU117, TU106), None, Severity.WARNING, id="without-nvml"),
        pytest.param(
            (TU117, on_bus(2, "1f82", "TU117")),
            (in_nvml(1, vbios="90.17.29.00.25"), in_nvml(2, vbios="90.17.3D.00.4E")),
            Severity.NOTE,
            id="other-firmware",
        ),
        pytest.param(
            (TU117, on_bus(2, "1f82", "TU117")),
            (in_nvml(1, board="900-1G161"), in_nvml(2, board="900-2G161")),
            Severity.NOTE,
            id="other-board",
        ),
        pytest.param(
            (TU117, on_bus(2, "1f00", "")), (in_nvml(1), in_nvml(2)), Severity.NOTE, id="die-of-one-not-known"
        ),
        pytest.param(
            (TU117, on_bus(2, "1f9d", "TU117")), (in_nvml(1), in_nvml(2)), Severity.NOTE, id="other-id-same-die"
        ),
    ],
)
def test_speaks(cards: tuple[Gpu, ...], devices: tuple[NvidiaGpu, ...] | None, severity: Severity) -> None:
    (finding,) = findings(cards, devices)
    assert finding.severity is severity


@pytest.mark.parametrize(
    ("cards", "devices"),
    [
        pytest.param(
            (TU117, on_bus(2, "1f82", "TU117")),
            (in_nvml(1, vbios="90.17"), in_nvml(2, vbios="90.17")),
            id="really-the-same",
        ),
        pytest.param(
            (TU117, on_bus(2, "2204", "GA102", "GeForce RTX 3090")),
            (in_nvml(1), in_nvml(2, name="NVIDIA GeForce RTX 3090")),
            id="different-names",
        ),
        pytest.param(
            (TU117, on_bus(2, "1f82", "TU117")), (in_nvml(1, vbios="90.17"), in_nvml(2)), id="firmware-of-one-unread"
        ),
        pytest.param((Gpu(vendor_id="10de"), Gpu(vendor_id="10de")), None, id="names-unread"),
    ],
)
def test_silent(cards: tuple[Gpu, ...], devices: tuple[NvidiaGpu, ...] | None) -> None:
    assert findings(cards, devices) == []

"""GPUs as the PCI bus shows them, with die, architecture and link."""

from __future__ import annotations

import re
from typing import Any

from checks.facts import Gpu, Gpus, PciLink
from checks.knowledge.gpu.gpu_architectures import amd_target_of_device, architecture_of_die, intel_platform
from checks.machine.nodes import Raw
from checks.machine.pci import pci_name

DISPLAY = "03"  # PCI base class: VGA, XGA, 3D and other display controllers
PROCESSING = "12"  # PCI base class: processing accelerators; AMD Instinct cards are of it
MEMORY_BAR_KINDS = 0x1  # flag of a resource line: an I/O range, not memory
# Speed of one lane in GT/s, as sysfs begins its text, and the PCI Express generation that has it.
GENERATIONS = {"2.5": 1, "5.0": 2, "5": 2, "8.0": 3, "8": 3, "16.0": 4, "16": 4, "32.0": 5, "32": 5, "64.0": 6, "64": 6}


def read_gpus(raw: Raw | None) -> Gpus | None:
    """The GPUs of a Linux machine; None where there is no PCI bus."""
    if raw is None or raw.get("pci") is None:
        return None
    devices = tuple(read_gpu(raw_device) for raw_device in raw["pci"] if is_gpu(raw_device))
    return Gpus(origin="/sys/bus/pci/devices", unread=raw.get("unread", {}), devices=devices)


def is_gpu(device: Raw) -> bool:
    """Whether a PCI device is a display controller, or an AMD compute card."""
    base = device.get("class", "")[2:4]
    return base == DISPLAY or (base == PROCESSING and device.get("vendor") == "0x1002")


def read_gpu(device: Raw) -> Gpu:
    """One GPU from its folder in sysfs."""
    gpu = identify(
        hex4(device.get("vendor")),
        hex4(device.get("device")),
        hex4(device.get("subsystem_vendor")),
        hex4(device.get("subsystem_device")),
        integrated_place=device.get("address") == "0000:00:02.0",
    )
    return Gpu(
        origin=f"/sys/bus/pci/devices/{device.get('address')}",
        address=device.get("address"),
        **gpu,
        revision=(device.get("revision") or "").removeprefix("0x") or None,
        driver=device.get("driver"),
        link=read_link(device),
        bar1_size=largest_memory(device.get("resource")),
    )


def identify(
    vendor_id: str | None,
    device_id: str | None,
    subsystem_vendor: str | None,
    subsystem_device: str | None,
    *,
    integrated_place: bool = False,
) -> dict[str, Any]:
    """What follows from the ids alone, as fields of a Gpu. ``integrated_place``: it sits where Intel puts its own."""
    found = pci_name(vendor_id or "", device_id or "", subsystem_vendor or "", subsystem_device or "")
    fields: dict[str, Any] = {
        "vendor_id": vendor_id,
        "device_id": device_id,
        "subsystem_vendor_id": subsystem_vendor,
        "subsystem_device_id": subsystem_device,
        "vendor": found.vendor or None,
        "product": found.product or None,
        "die": found.die,
    }
    if vendor_id == "10de" and found.die:
        architecture = architecture_of_die(found.die)
        if architecture:
            for name in ("architecture", "compute_capability", "integrated"):
                fields[name] = getattr(architecture, name)
    elif vendor_id == "1002":
        target = amd_target_of_device(device_id or "", found.die or found.name)
        if target:
            fields["architecture"] = target.architecture
            fields["gfx_target"] = target.gfx
            fields["integrated"] = target.integrated
    elif vendor_id == "8086":
        platform = intel_platform(device_id or "")
        if platform:
            fields["architecture"] = platform.architecture
        fields["integrated"] = platform.integrated if platform else True if integrated_place else None
    return fields


def hex4(text: str | None) -> str | None:
    """An id in the facts' spelling: "0x10DE" -> "10de"."""
    return text.lower().removeprefix("0x").rjust(4, "0") if text else None


def read_link(device: Raw) -> PciLink | None:
    """The PCI Express link; None where sysfs has none (virtual machines, integrated GPUs)."""
    link = PciLink(
        width=_lanes(device.get("current_link_width")),
        width_max=_lanes(device.get("max_link_width")),
        generation=_generation(device.get("current_link_speed")),
        generation_max=_generation(device.get("max_link_speed")),
    )
    return None if link == PciLink() else link


def _lanes(text: str | None) -> int | None:
    # 255 is what a dead or absent link reads; 0 what a device on the processor itself reads.
    return int(text) if text and text.isdigit() and 0 < int(text) < 255 else None


def _generation(text: str | None) -> int | None:
    return GENERATIONS.get((text or "").split(" ")[0])


def largest_memory(resource: str | None) -> int | None:
    """The size in bytes of the largest memory range in a sysfs "resource" file; its first six lines are the BARs."""
    if not resource:
        return None
    sizes = []
    for line in resource.splitlines()[:6]:
        numbers = re.findall(r"0x[0-9a-f]+", line)
        if len(numbers) == 3:
            start, end, flags = (int(number, 16) for number in numbers)
            if end > start and not flags & MEMORY_BAR_KINDS:
                sizes.append(end - start + 1)
    return max(sizes, default=None)

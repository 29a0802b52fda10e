"""Accelerators other than GPUs: by their PCI or USB ids, or by the camera sensor that the kernel bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checks.facts import Accelerator
from checks.knowledge.gpu.usb_pci_accelerators import AcceleratorDevice, accelerator_of, accelerator_of_sensor
from checks.machine.nodes import Raw, read_nodes


def read(raw: Raw | None, nodes: Iterable[Raw] | None) -> tuple[Accelerator, ...] | None:
    """The accelerators of a Linux machine; None where no bus was read."""
    if raw is None or (raw.get("pci") is None and raw.get("usb") is None):
        return None
    files = None if nodes is None else list(nodes)
    found = []
    for device in raw.get("pci") or ():
        vendor, number = device.get("vendor", "")[2:], device.get("device", "")[2:]
        row = accelerator_of("pci", vendor, number, device.get("revision", "")[2:])
        if row:
            found.append(accelerator(row, f"/sys/bus/pci/devices/{device['address']}", device.get("driver"), files))
    for device in raw.get("usb") or ():
        row = accelerator_of("usb", device.get("idVendor") or "", device.get("idProduct") or "")
        if row:
            found.append(accelerator(row, "/sys/bus/usb/devices", device.get("driver"), files))
    for sensor in dict.fromkeys(raw.get("i2c") or ()):
        camera = accelerator_of_sensor(sensor)
        if camera:
            near, origin = read_nodes(files, *camera.nodes), "/sys/bus/i2c/devices"
            found.append(Accelerator(origin=origin, bus=camera.bus, name=camera.name, kind=camera.kind, nodes=near))
    return tuple(found)


def accelerator(row: AcceleratorDevice, origin: str, driver: str | None, files: list[Raw] | None = None) -> Accelerator:
    """The accelerator of a row, with its device files among ``files``; None: those were not read."""
    fields: dict[str, Any] = {
        "bus": row.bus,
        "vendor_id": row.vendor,
        "device_id": row.device,
        "name": row.name,
        "kind": row.kind,
    }
    return Accelerator(
        origin=origin, driver=driver, nodes=read_nodes(files, *row.nodes) if row.nodes else None, **fields
    )

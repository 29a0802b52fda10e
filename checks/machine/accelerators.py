"""Accelerators other than GPUs: by their PCI or USB ids, or by the camera sensor that the kernel bound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from checks.facts import Accelerator
from checks.knowledge.gpu.usb_pci_accelerators import AcceleratorDevice, accelerator_of, accelerator_of_sensor
from checks.machine.nodes import read_nodes

Raw = dict[str, Any]


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
            found.append(_accelerator(row, files, f"/sys/bus/pci/devices/{device['address']}", device.get("driver")))
    for device in raw.get("usb") or ():
        row = accelerator_of("usb", device.get("idVendor") or "", device.get("idProduct") or "")
        if row:
            found.append(_accelerator(row, files, "/sys/bus/usb/devices", device.get("driver")))
    for sensor in dict.fromkeys(raw.get("i2c") or ()):
        camera = accelerator_of_sensor(sensor)
        if camera:
            found.append(
                Accelerator(
                    origin="/sys/bus/i2c/devices",
                    bus=camera.bus,
                    name=camera.name,
                    kind=camera.kind,
                    nodes=read_nodes(files, *camera.nodes),
                )
            )
    return tuple(found)


def _accelerator(row: AcceleratorDevice, files: list[Raw] | None, origin: str, driver: str | None) -> Accelerator:
    return Accelerator(
        origin=origin,
        bus=row.bus,
        vendor_id=row.vendor,
        device_id=row.device,
        name=row.name,
        kind=row.kind,
        driver=driver,
        nodes=read_nodes(files, *row.nodes) if row.nodes else None,
    )

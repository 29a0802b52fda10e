"""AI accelerators other than GPUs, by USB or PCI id, or by the camera sensor that the kernel bound."""

import functools
from typing import Literal

from checks.knowledge import Row, Table


class AcceleratorDevice(Row):
    """An id and what it is. ``revision`` None means any; ``nodes`` are globs of its device files."""

    bus: Literal["usb", "pci"]
    vendor: str
    device: str
    revision: str | None = None
    vendor_name: str = ""
    name: str
    kind: str
    chip: str = ""
    nodes: tuple[str, ...] = ()
    module: str = ""
    note: str = ""
    source: str


class WithoutBusId(Row):
    """An accelerator that neither lsusb nor lspci shows; ``sensor`` is its name among the i2c devices."""

    name: str
    bus: str
    kind: str
    sensor: str
    nodes: tuple[str, ...]
    note: str
    source: str


class Accelerators(Table):
    device: tuple[AcceleratorDevice, ...]
    no_bus_id: tuple[WithoutBusId, ...]


@functools.cache
def _by_id() -> dict[tuple[str, str, str], tuple[AcceleratorDevice, ...]]:
    rows: dict[tuple[str, str, str], tuple[AcceleratorDevice, ...]] = {}
    for row in Accelerators.read().device:
        key = (row.bus, row.vendor, row.device)
        rows[key] = (*rows.get(key, ()), row)
    return rows


def accelerator_of(bus: str, vendor: str, device: str, revision: str | None = None) -> AcceleratorDevice | None:
    """The accelerator with an id on a bus ("pci" or "usb"); None where it is something else.

    The revision tells chips with a shared PCI id apart; an unknown revision gets the first row of that id,
    because what it is (an NPU) is still true.
    """
    rows = _by_id().get((bus, vendor, device), ())
    return next((row for row in rows if row.revision in (None, revision)), rows[0] if rows else None)


def accelerator_of_sensor(sensor: str) -> WithoutBusId | None:
    """The accelerator whose camera sensor the kernel names so ("imx500")."""
    return next((row for row in Accelerators.read().no_bus_id if row.sensor == sensor), None)

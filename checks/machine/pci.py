"""What a PCI id is called, and which die it is, by the PCI ID Project's list (resources/pci.ids).

A handful of ids is looked up in 43,000 lines, so the file is searched, not parsed: a vendor's block is found by its
line, a device by its line within. Syntax: vendor lines begin at the margin, device lines with one tab, subsystem lines
with two.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

import msgspec

from checks.knowledge.gpu.gpu_architectures import amd_target_of_device
from checks.paths import ROOT

VENDOR_NAMES = {"10de": "NVIDIA", "1002": "AMD", "8086": "Intel"}

# NVIDIA's names are "DIE[suffix] [/ board code] [Product name]"; suffixes: GL workstation, M mobile, B later stepping.
_NVIDIA_DIE = re.compile(
    r"(NV[0-9A-F]{1,2}A?|GT2\d\d[b]?|G\d{2}C?|GF\d{3}|GK\d{3}B?|GK11x|G[MPVRH]\d{3}|TU\d{3}|GA\d{3}|AD\d{3}"
    r"|GB10B|GB20B|GB\d{3}|GB10)(B?)(GL)?(M)?(?![0-9A-Za-z])"
)
_VENDOR_LINE = re.compile(rb"\n(?=[0-9a-fC])")  # "C " begins the list of classes
_DEVICE_LINE = re.compile(rb"\n(?=\t[0-9a-f])")
_ID = re.compile(r"[0-9a-f]{4}")


class PciName(msgspec.Struct, frozen=True, kw_only=True):
    """The names of a device in pci.ids. An empty text: it has none."""

    vendor: str
    name: str = ""  # the whole name: "GB202 [GeForce RTX 5090]"
    product: str = ""  # "GeForce RTX 5090"
    die: str = ""  # "GB202", "Navi 31", "DG2"
    subsystem: str = ""  # the board, where it is listed


@functools.lru_cache(maxsize=256)
def pci_name(vendor_id: str, device_id: str, subsystem_vendor: str = "", subsystem_device: str = "") -> PciName:
    """Look a device up by its ids, lower-case hex of four digits."""
    block = _vendor_block(vendor_id)
    line_end = block.find(b"\n")
    vendor = VENDOR_NAMES.get(vendor_id) or _text(block[6:line_end])
    device = _device_block(block, device_id)
    name = _text(device[8:].partition(b"\n")[0])
    return PciName(
        vendor=vendor,
        name=name,
        product=_product(name),
        die=_die(vendor_id, device_id, name),
        subsystem=_subsystem(device, subsystem_vendor, subsystem_device),
    )


def devices_of(vendor_id: str) -> Iterator[tuple[str, PciName]]:
    """(device id, name) of every device of a vendor, in the list's order."""
    vendor = VENDOR_NAMES.get(vendor_id, "")
    for line in _vendor_block(vendor_id).split(b"\n\t")[1:]:
        if line.startswith(b"\t"):  # a board
            continue
        device_id, name = _text(line[:4]), _text(line[6:].partition(b"\n")[0])
        yield device_id, PciName(vendor=vendor, name=name, product=_product(name), die=_die(vendor_id, device_id, name))


@functools.cache
def _list() -> bytes:
    return (ROOT / "pci.ids").read_bytes()


@functools.lru_cache(maxsize=16)
def _vendor_block(vendor_id: str) -> bytes:
    """The vendor's line and all its devices; empty where the vendor is unknown."""
    if not _ID.fullmatch(vendor_id):
        return b""
    data = _list()
    start = data.find(f"\n{vendor_id}  ".encode())
    if start < 0:
        return b""
    end = _VENDOR_LINE.search(data, start + 1)
    return data[start + 1 : end.start() if end else len(data)]


def _device_block(block: bytes, device_id: str) -> bytes:
    """The device's line (its first byte is a line feed) and its subsystems; empty where the device is unknown."""
    if not _ID.fullmatch(device_id):
        return b""
    start = block.find(f"\n\t{device_id}  ".encode())
    if start < 0:
        return b""
    end = _DEVICE_LINE.search(block, start + 1)
    return block[start : end.start() if end else len(block)]


def _subsystem(device: bytes, vendor: str, subsystem: str) -> str:
    if not (_ID.fullmatch(vendor) and _ID.fullmatch(subsystem)):
        return ""
    _, _, rest = device.partition(f"\n\t\t{vendor} {subsystem}  ".encode())
    return _text(rest.partition(b"\n")[0])


def _product(name: str) -> str:
    """The text in brackets, else the whole name: "TU117M [GeForce GTX 1650 Mobile / Max-Q]"."""
    start, end = name.find("["), name.rfind("]")
    return name[start + 1 : end] if 0 <= start < end else name


def _die(vendor_id: str, device_id: str, name: str) -> str:
    if vendor_id == "10de":
        found = _NVIDIA_DIE.match(name)
        return found.group(1) if found else ""
    if vendor_id not in VENDOR_NAMES:
        return ""
    code_name, bracket, _ = name.partition(" [")
    if bracket:
        return code_name
    return name if vendor_id == "1002" and amd_target_of_device(device_id, name) else ""


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").strip()

"""AMD's compute driver and ROCm."""

from __future__ import annotations

from checks.facts import AmdFacts, AmdNode, Gpus
from checks.machine.nodes import Raw, read_nodes

VIDEO_MEMORY = ("1", "2")  # heap types of the KFD topology: frame buffer public and private


def read(machine: Raw, gpus: Gpus | None) -> AmdFacts | None:
    """AMD's facts; None where there is neither an AMD GPU nor ROCm nor the compute driver."""
    raw, drivers = machine.get("amd"), machine.get("drivers") or {}
    if raw is None or not ((gpus and gpus.amd) or raw.get("nodes") or raw.get("rocm")):
        return None
    nodes = raw.get("nodes")
    return AmdFacts(
        origin="/sys/class/kfd, /opt/rocm",
        unread=raw.get("unread", {}),
        module_loaded="amdgpu" in drivers["modules"] if "modules" in drivers else None,
        nodes=None if nodes is None else tuple(_node(node) for node in nodes if node.get("simd_count", "0") != "0"),
        device_nodes=read_nodes(drivers.get("nodes"), "/dev/kfd", "/dev/dri/renderD*"),
        rocm_version=next((version for version in raw.get("rocm") or () if version), ""),
    )


def _node(raw: Raw) -> AmdNode:
    sizes = [int(size) for heap, size in raw.get("banks", ()) if heap in VIDEO_MEMORY and size]
    return AmdNode(
        gfx_target=gfx_target(raw.get("gfx_target_version")),
        pci_address=_address(raw),
        memory_total=sum(sizes) if sizes else None,
        name=raw.get("name") or None,
    )


def gfx_target(version: str | None) -> str | None:
    """The KFD's number as a target: major * 10000 + minor * 100 + step; the last two in hexadecimal (90010: gfx90a)."""
    if not version or not version.isdigit() or int(version) == 0:
        return None
    number = int(version)
    return f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"


def _address(raw: Raw) -> str | None:
    place = raw.get("location_id", "")
    if not place.isdigit():
        return None
    number, domain = int(place), int(raw.get("domain") or 0)
    return f"{domain:04x}:{number >> 8 & 0xFF:02x}:{number >> 3 & 0x1F:02x}.{number & 7}"

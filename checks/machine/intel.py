"""Intel's GPU and NPU drivers and the Level Zero runtime."""

from __future__ import annotations

from checks.facts import Gpus, IntelFacts
from checks.machine.nodes import Raw, read_libraries, read_nodes

MODULES = ("i915", "xe", "intel_vpu")


def read(machine: Raw, gpus: Gpus | None) -> IntelFacts | None:
    """Intel's facts; None where there is neither an Intel GPU nor one of its drivers."""
    drivers = machine.get("drivers") or {}
    modules = tuple(name for name in drivers.get("modules") or () if name in MODULES)
    if not ((gpus and gpus.intel) or modules):
        return None
    architecture = (machine.get("os") or {}).get("machine")
    level_zero = read_libraries(drivers, architecture, "libze_loader.so.1", "libze_intel_gpu.so.1")
    return IntelFacts(
        origin="/sys/module, /dev/dri",
        modules_loaded=modules if "modules" in drivers else None,
        device_nodes=read_nodes(drivers.get("nodes"), "/dev/dri/renderD*", "/dev/accel/accel*"),
        level_zero=level_zero if "libraries" in drivers else None,
    )

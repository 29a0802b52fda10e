"""NVIDIA's driver: what the kernel shows, joined with what NVML reports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from checks.facts import Gpu, Gpus, NvidiaFacts, NvidiaGpu, OsFacts, XidEvent
from checks.knowledge.errors.hardware_errors import clock_reasons, recovery_action
from checks.knowledge.gpu.gpu_architectures import nvml_architecture
from checks.machine.nodes import Raw, read_libraries, read_nodes
from checks.machine.pci import pci_name
from checks.prepared import prepared

MODULES = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nouveau", "nova_core", "nvgpu")
NODES = ("/dev/nvidia*", "/dev/nvhost-*", "/dev/nvmap", "/dev/dxg")
NO_ANSWER = "no-answer"
NVML_FIELDS = frozenset(NvidiaFacts.__struct_fields__)

_MODULE_VERSION = re.compile(r"NVRM version: (.*?)\s+(\d+\.\d+(?:\.\d+)?)\s")
_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)\): (\d+)(.*)")
# The driver's own words where it gives no Xid, on one line or on three.
_LOST = re.compile(r"NVRM: (?:The NVIDIA GPU|GPU at|GPU) (?:PCI:)?([0-9a-fA-F:.]+[0-9a-fA-F])")
_LOST_END = re.compile(r"fallen off the bus")
_NO_WINDOW = re.compile(r"NVRM: BAR\d is 0M @ 0x0 \(PCI:([0-9a-fA-F:.]+)\)")
FALLEN_OFF = 79  # the Xid that says the same
_SECONDS = re.compile(r"^\[\s*(\d+\.\d+)\]")
_RESUME = re.compile(r"PM: suspend exit|Waking up from system sleep")
# modprobe: "blacklist nvidia", "install nvidia /bin/false" (also true), "alias nvidia off"
_REFUSED = re.compile(
    r"(blacklist|alias)\s+nvidia([-_](drm|uvm|modeset))?(\s+off)?$|install\s+nvidia\s+/\S*bin/(false|true)\b"
)


def read(
    machine: Raw, nvml: Raw | None, on_bus: tuple[Gpu, ...], system: OsFacts | None, *, is_jetson: bool
) -> NvidiaFacts | None:
    """NVIDIA's facts; None where there is neither an NVIDIA GPU nor a trace of a driver, so that nothing is judged."""
    drivers = machine.get("drivers") or {}
    libcuda = read_libraries(drivers, system.architecture if system else None, "libcuda.so.1")
    modules = tuple(name for name in drivers.get("modules") or () if name in MODULES)
    trace = (
        on_bus
        or is_jetson
        or libcuda
        or drivers.get("nvidia_version")
        or any(module.startswith("nvidia") for module in modules)
        or (nvml or {}).get("nvml") not in (None, "library-not-found")
    )
    if not trace:
        return None
    # WSL uses the driver of Windows, a Jetson the one of its own: neither has this module.
    foreign = is_jetson or bool(system and system.wsl) or "modules" not in drivers
    version, flavour = parse_module_version(drivers.get("nvidia_version") or "")
    log = machine.get("kernel_log") or {}
    switches = _switches(machine.get("buses"))
    facts = from_nvml(nvml)
    unread = dict(facts.unread) | _unread(drivers, log)
    return msgspec.structs.replace(
        facts,
        origin=facts.origin or "/proc/driver/nvidia",
        unread=unread,
        driver_version=facts.driver_version or version or drivers.get("nvidia_module_version"),
        kernel_module_version=None if foreign and not version else version,
        kernel_module_flavour=flavour,
        modules_loaded=modules if "modules" in drivers else None,
        modules_installed=_installed(drivers.get("modules_installed")),
        blacklisted=blacklists(drivers.get("modprobe"), drivers.get("command_line")),
        device_nodes=read_nodes(drivers.get("nodes"), *NODES),
        libcuda=libcuda if "libraries" in drivers else None,
        xids=parse_xids(log.get("lines", ())) if log.get("origin") else None,
        nvswitches=len(switches) if (machine.get("buses") or {}).get("pci") is not None else None,
        fabric_manager=_fabric_manager(drivers.get("fabric_manager"), system),
        suspended_once=any(_RESUME.search(line) for line in log.get("lines", ())) if log.get("origin") else None,
    )


def from_nvml_alone(nvml: Raw | None) -> NvidiaFacts | None:
    """What NVML reports, where nothing else of the machine could be read."""
    return from_nvml(nvml) if nvml and nvml.get("nvml") not in (None, "library-not-found") else None


def from_nvml(nvml: Raw | None) -> NvidiaFacts:
    """The answer of the NVML probe: its fields by name, and one ``gpu_<index>`` for each GPU it came to.

    A GPU that the probe did not come to before it was ended is a device error "no-answer".
    """
    if nvml is None:
        return NvidiaFacts(unread={"nvml": "not-collected"})
    devices = [value for key, value in nvml.items() if re.fullmatch(r"gpu_\d+", key)]
    fields = {key: value for key, value in nvml.items() if key in NVML_FIELDS}
    facts = msgspec.convert(fields, prepared(NvidiaFacts))
    count = nvml.get("device_count")
    # A GPU that NVML counts and that never answered: the probe was ended while it asked.
    errors = {str(index): NO_ANSWER for index in range(count or 0) if f"gpu_{index}" not in nvml}
    errors |= {str(device["failed"]): device["error"] for device in devices if "failed" in device}
    return msgspec.structs.replace(
        facts,
        origin="NVML",
        unread=facts.unread | ({} if facts.nvml else {"nvml": NO_ANSWER}),
        devices=None if count is None else tuple(_device(device) for device in devices if "index" in device),
        device_errors=errors,
    )


def _device(raw: Raw) -> NvidiaGpu:
    """One GPU of NVML's answer; NVML's numbers become names, in the fields and in the reasons for missing ones."""
    fields: Raw = {"origin": f"NVML, GPU {raw['index']}"}
    for key, value in raw.items():
        name, named = _NAMED.get(key, (key, _same))
        fields[name] = named(value)
    fields["unread"] = {_NAMED.get(key, (key,))[0]: why for key, why in raw.get("unread", {}).items()}
    return msgspec.convert(fields, prepared(NvidiaGpu))


def _same(value: Any) -> Any:
    return value


def _recovery(number: int) -> str:
    known = recovery_action(number)
    return known.id if known else str(number)


# What the probe reports as a number: the fact that it is, and how it gets its name.
_NAMED: dict[str, tuple[str, Callable[[int], Any]]] = {
    "architecture_number": ("architecture", nvml_architecture),
    "throttle_mask": ("throttle_reasons", clock_reasons),
    "recovery_number": ("recovery_action", _recovery),
}


def parse_module_version(text: str) -> tuple[str, str | None]:
    """("570.86.10", "open") from /proc/driver/nvidia/version; ("", None) where the module is not loaded.

    Example line: "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.10  Release Build  ...".
    """
    found = _MODULE_VERSION.search(text)
    if not found:
        return "", None
    return found.group(2), "open" if "Open Kernel Module" in found.group(1) else "proprietary"


def parse_xids(lines: Iterable[str]) -> tuple[XidEvent, ...]:
    """The Xid events of the kernel log, in its order.

    A GPU that fell off the bus before its driver had started is reported in words only; it becomes the Xid that says
    the same (https://github.com/NVIDIA/NVSentinel/issues/155).
    """
    events = []
    lost: tuple[str, float | None] | None = None
    for line in lines:
        found, named = _XID.search(line), _LOST.search(line)
        if found:
            address, code, text = found.groups()
            events.append(_event(int(code), address, text.strip(" ,"), seconds_of(line)))
            continue
        if named:
            lost = named.group(1), seconds_of(line)
        if lost and _LOST_END.search(line):
            events.append(_event(FALLEN_OFF, lost[0], "fallen off the bus", lost[1]))
            lost = None
    return tuple(events)


def without_window(gpus: Gpus, lines: Iterable[str]) -> Gpus:
    """The GPUs with ``bar1_size`` 0 where the driver found that one had got no memory window.

    The firmware left it out: "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid: NVRM: BAR1 is 0M @
    0x0 (PCI:0000:14:00.0)" (https://github.com/NVIDIA/gpu-operator/issues/492). sysfs shows such a BAR as if there
    were none.
    """
    addresses = {full_address(found.group(1)) for line in lines if (found := _NO_WINDOW.search(line))}
    devices = tuple(
        msgspec.structs.replace(gpu, bar1_size=0) if gpu.address in addresses else gpu for gpu in gpus.devices
    )
    return msgspec.structs.replace(gpus, devices=devices)


def _event(code: int, address: str, text: str, seconds: float | None) -> XidEvent:
    return XidEvent(code=code, pci_address=full_address(address), text=text, seconds=seconds)


def seconds_of(line: str) -> float | None:
    """Seconds since the start of the machine, as a line of the kernel log begins; None where it does not."""
    found = _SECONDS.search(line)
    return float(found.group(1)) if found else None


def full_address(text: str) -> str:
    """A PCI address as sysfs writes it: "00000000:01:00.0" and "0000:01:00" -> "0000:01:00.0"."""
    domain, _, place = text.lower().partition(":")
    if ":" not in place:  # no domain in it: "01:00"
        domain, place = "0", text.lower()
    if "." not in place:
        place += ".0"
    return f"{int(domain, 16):04x}:{place}"


def blacklists(lines: Iterable[tuple[str, str]] | None, command_line: str | None) -> tuple[str, ...] | None:
    """The files (or the kernel's command line) that keep NVIDIA's module from loading."""
    if lines is None:
        return None
    files = [path for path, line in lines if _REFUSED.match(" ".join(line.split()))]
    for word in (command_line or "").split():
        name, _, value = word.partition("=")
        if name in ("modprobe.blacklist", "module_blacklist", "rd.driver.blacklist") and "nvidia" in value.split(","):
            files.append("/proc/cmdline")
    return tuple(dict.fromkeys(files))


def _installed(paths: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if paths is None else tuple(path for path in paths if "nvidia" in path.rpartition("/")[2])


def _switches(buses: Raw | None) -> list[str]:
    bridges = [device for device in (buses or {}).get("pci") or () if device.get("vendor") == "0x10de"]
    names = [pci_name("10de", bridge.get("device", "").removeprefix("0x")).name for bridge in bridges]
    return [name for name in names if "NVSwitch" in name]


def _fabric_manager(raw: tuple[bool, bool] | None, system: OsFacts | None) -> str | None:
    if raw is None or (system is not None and system.container):  # a container does not see the host's services
        return None
    installed, running = raw
    if running:
        return "running"
    return "stopped" if installed else "not-installed"


def _unread(drivers: Raw, log: Raw) -> dict[str, str]:
    why = {}
    if not log.get("origin"):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in log.get("unread", {}).items())
        why["xids"] = why["suspended_once"] = reasons
    if drivers.get("modules_installed") is None:
        why["modules_installed"] = "modules.dep: FileNotFoundError"
    return why

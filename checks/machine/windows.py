"""Windows: the machine as its own management classes describe it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from checks.facts import (
    Accelerator,
    CpuFacts,
    Gpu,
    Gpus,
    IntelFacts,
    LibraryFile,
    MachineFacts,
    MemoryFacts,
    NvidiaFacts,
    OsFacts,
)
from checks.knowledge.gpu.usb_pci_accelerators import accelerator_of
from checks.knowledge.gpu.virtual_machines import machine_of_firmware
from checks.machine import nvidia, system_log
from checks.machine.accelerators import accelerator
from checks.machine.buses import identify
from checks.machine.nodes import Raw

_PCI = re.compile(
    r"PCI\\VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})(?:&SUBSYS_([0-9A-F]{4})([0-9A-F]{4}))?(?:&REV_([0-9A-F]{2}))?",
    re.IGNORECASE,
)
_USB = re.compile(r"USB\\VID_([0-9A-F]{4})&PID_([0-9A-F]{4})", re.IGNORECASE)
NVIDIA_SERVICE = "nvlddmkm"
_DISPLAY_CLASS = re.compile(r"PCI\\(?:VEN_\w+&)?CC_03", re.IGNORECASE)  # names the class, driver or not


def read(machine: Raw, nvml: Raw | None) -> MachineFacts:
    """All facts of a Windows machine."""
    raw = machine.get("windows") or {}
    answer = raw.get("answer") or {}
    gpus = read_gpus(answer) if answer else None
    memory = (machine.get("memory") or {}).get("windows") or (None, None)
    log = machine.get("event_log") or {}
    return MachineFacts(
        unread=raw.get("unread", {}),
        os=_os(machine.get("os") or {}, answer),
        cpu=_cpu(machine.get("cpu") or {}, _each(answer.get("cpu"))),
        memory=MemoryFacts(origin="GlobalMemoryStatusEx", total=memory[0], available=memory[1]),
        gpus=gpus,
        nvidia=_nvidia(answer, gpus, nvml, log),
        intel=IntelFacts(origin="System32", level_zero=_libraries(answer, "ze_loader.dll"))
        if gpus and gpus.intel
        else None,
        accelerators=_accelerators(answer) if answer else None,
        log=system_log.of_windows(log),
    )


def _os(raw: Raw, answer: Raw) -> OsFacts:
    system = answer.get("os") or {}
    caption = str(system.get("Caption") or "").removeprefix("Microsoft ").strip()
    computer = answer.get("computer") or {}
    secure = answer.get("secure_boot")
    return OsFacts(
        origin="Win32_OperatingSystem",
        system="Windows",
        name=" ".join(part for part in (caption, answer.get("release") or "") if part) or None,
        distribution="",
        version=system.get("Version") or raw.get("release"),
        architecture=raw.get("machine"),
        libc="",
        wsl=0,
        container="",
        # HypervisorPresent alone only says that Windows itself runs on Hyper-V (core isolation, WSL).
        virtual_machine=(machine_of_firmware([computer.get("Model") or "", computer.get("Manufacturer") or ""]) or "")
        if computer
        else None,
        secure_boot=None if secure is None else bool(secure),
        package_managers=None if raw.get("managers") is None else tuple(raw["managers"]),
        is_administrator=raw.get("administrator"),
    )


def _cpu(raw: Raw, processors: list[Raw]) -> CpuFacts:
    first = processors[0] if processors else {}
    features = raw.get("features")
    return CpuFacts(
        origin="Win32_Processor",
        name=str(first["Name"]).strip() if first.get("Name") else None,
        vendor=first.get("Manufacturer"),
        instruction_sets=None if features is None else tuple(features),
        physical_cores=sum(processor.get("NumberOfCores") or 0 for processor in processors) or None,
        logical_cores=raw.get("logical"),
        usable_cores=raw.get("affinity") or raw.get("logical"),
    )


def read_gpus(answer: Raw) -> Gpus:
    """Video controllers, and display devices on the bus that have no driver and so are no video controllers."""
    found = {
        str(device.get("PNPDeviceID")).upper(): device
        for device in _each(answer.get("devices"))
        if any(_DISPLAY_CLASS.match(str(name)) for name in _each(device.get("CompatibleID")))
    }
    for controller in _each(answer.get("video")):
        place = str(controller.get("PNPDeviceID")).upper()
        found[place] = found.get(place, {}) | controller  # the service that drives it is known to Win32_PnPEntity only
    devices = [read_gpu(device) for place, device in found.items() if _PCI.match(place)]
    return Gpus(origin="Win32_VideoController, Win32_PnPEntity", devices=tuple(devices))


def read_gpu(device: Raw) -> Gpu:
    """A video controller or a bare device with a PCI id."""
    place = str(device.get("PNPDeviceID"))
    found = _PCI.match(place)
    if found is None:
        raise ValueError(f"no PCI device: {place}")
    vendor, number, board, board_vendor, revision = (group.lower() if group else None for group in found.groups())
    # Where Intel puts its own: bus 0, device 2, function 0, which ends the instance's name as 2 * 8.
    fields = identify(vendor, number, board_vendor, board, integrated_place=place.endswith("&0&10"))
    fields["product"] = fields["product"] or device.get("Name")
    return Gpu(
        origin="Win32_VideoController" if "DriverVersion" in device else "Win32_PnPEntity",
        address=place,
        **fields,
        revision=revision,
        driver=device.get("Service") or "",
        driver_version=device.get("DriverVersion") or None,
        problem_code=device.get("ConfigManagerErrorCode"),
    )


def driver_branch(version: str | None) -> str | None:
    """NVIDIA's own version of a Windows driver: the last five digits: "32.0.15.7283" -> "572.83"."""
    digits = (version or "").replace(".", "")[-5:]
    return f"{int(digits[:3])}.{digits[3:]}" if len(digits) == 5 and digits.isdigit() else None


def _nvidia(answer: Raw, gpus: Gpus | None, nvml: Raw | None, log: Raw) -> NvidiaFacts | None:
    on_bus = gpus.nvidia if gpus else ()
    libcuda = _libraries(answer, "nvcuda.dll") if answer else None
    if not (on_bus or libcuda or (nvml or {}).get("nvml") not in (None, "library-not-found")):
        return None
    facts = nvidia.from_nvml(nvml)
    # The Basic Display Adapter's version shows nothing about NVIDIA's driver.
    own = [gpu.driver_version for gpu in on_bus if gpu.driver == NVIDIA_SERVICE]
    version = next((branch for own_version in own for branch in [driver_branch(own_version)] if branch), None)
    entries = system_log.windows_entries(log)
    xids = None if entries is None else system_log.xids(entries, log.get("started") or "")
    # One alone of its two logs may have been read, which shows nothing about the other.
    why = "" if xids else (log.get("unread") or {}).get("entries")
    return msgspec.structs.replace(
        facts,
        unread=dict(facts.unread) | ({"xids": why} if why else {}),
        driver_version=facts.driver_version or version,
        libcuda=libcuda,
        xids=None if why else xids,
    )


def _libraries(answer: Raw, name: str) -> tuple[LibraryFile, ...]:
    return tuple(
        LibraryFile(path=library["path"], real_path=library["path"], version=library.get("version"), origin="System32")
        for library in _each(answer.get("libraries"))
        if str(library.get("path", "")).lower().endswith(f"\\{name}")
    )


def _accelerators(answer: Raw) -> tuple[Accelerator, ...]:
    found = []
    for device in _each(answer.get("devices")):
        place = str(device.get("PNPDeviceID"))
        pci, usb = _PCI.match(place), _USB.match(place)
        row = None
        if pci:
            row = accelerator_of("pci", pci.group(1).lower(), pci.group(2).lower(), (pci.group(5) or "").lower())
        elif usb:
            row = accelerator_of("usb", usb.group(1).lower(), usb.group(2).lower())
        if row:
            found.append(accelerator(row, "Win32_PnPEntity", device.get("Service") or ""))
    return tuple(found)


def _each(value: Any) -> list[Any]:
    """A list as PowerShell means it: its JSON writes an empty list as null and, in old versions, one element alone."""
    if value is None:
        return []
    return list(value) if isinstance(value, Iterable) and not isinstance(value, (dict, str)) else [value]

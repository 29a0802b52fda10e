"""What this machine is: system, processor, memory, buses, drivers, kernel log. Raw values, as they came; no judgement.

The argument says where to look: ``root`` (default "/") is the folder that holds the machine's /sys, /proc, /etc, so
that a recorded tree can be read; ``recorded`` replaces what no file holds: ``commands`` (argument list joined by
blanks, or its first three words, or the first -> {"code", "stdout", "stderr"}) and ``answers`` of the running process,
by name. In a replay, what was not recorded is not there.
"""

import ctypes
import json
import os
import platform
import re
import shutil

from . import system_log
from .devices import amd, buses, drivers, jetson
from .source import Source, fields

LOG_LINES = 400  # lines of the kernel log that are kept
SYSTEM_LIMIT = 15  # seconds for system_profiler and PowerShell, which are slow on their first start
MANAGERS = ("apt-get", "dnf", "pacman", "zypper", "apk", "brew", "winget")
CONTAINER_VARIABLES = ("KUBERNETES_SERVICE_HOST", "APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "container")
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
DMI = ("sys_vendor", "product_name", "product_version", "board_vendor", "bios_vendor", "chassis_vendor")


def operating_system(argument):
    """The system, and signs of a container, WSL or a virtual machine."""
    source = Source(argument)
    unread = {}
    raw = {
        "system": source.system,
        "machine": source.ask("machine", platform.machine),
        "release": source.ask("release", platform.release),
        "managers": source.ask("managers", lambda: [manager for manager in MANAGERS if shutil.which(manager)]),
        "administrator": source.ask("administrator", _administrator),
        "unread": unread,
    }
    if source.system == "Linux":
        raw.update(_linux_system(source, unread))
    return {"os": raw}


def _linux_system(source, unread):
    return {
        "os_release": source.text("/etc/os-release", unread) or source.text("/usr/lib/os-release", unread),
        "proc_version": source.text("/proc/version", unread),
        "libc": source.ask("libc", lambda: os.confstr("CS_GNU_LIBC_VERSION")),
        "musl": _musl(source),
        "groups": source.ask("groups", _groups),
        "init_cgroup": source.text("/proc/1/cgroup", unread),
        "docker_file": source.exists("/.dockerenv"),
        "podman_file": source.exists("/run/.containerenv"),
        "systemd_container": source.text("/run/systemd/container", unread),
        "container_variables": source.ask(
            "container_variables",
            lambda: {name: os.environ[name] for name in CONTAINER_VARIABLES if os.environ.get(name)},
        ),
        "nvidia_mounts": _nvidia_mounts(source, unread),
        "dmi": {name: text for name in DMI for text in [source.text("/sys/class/dmi/id/" + name)] if text},
        "hypervisor_type": source.text("/sys/hypervisor/type"),
        "efi": source.exists("/sys/firmware/efi/efivars"),
        "secure_boot": source.data(SECURE_BOOT, unread),
    }


def _administrator():
    if platform.system() == "Windows":
        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return os.geteuid() == 0


def _groups():
    import grp

    names = []
    for number in sorted({*os.getgroups(), os.getegid()}):
        try:
            names.append(grp.getgrgid(number).gr_name)
        except KeyError:  # a number without a name, usual in containers
            names.append(str(number))
    return names


def _musl(source):
    """The text of musl's loader; it prints its version on standard error."""
    loaders = source.find("/lib/ld-musl-*.so.1")
    return source.run([loaders[0]]).get("stderr") if loaders else None


def _nvidia_mounts(source, unread):
    """What the container toolkit or CDI mounted into this container: libcuda, nvidia-smi, /proc/driver/nvidia."""
    text = source.text("/proc/self/mountinfo", unread)
    if text is None:
        return None
    targets = [fields[4] for fields in (line.split(" ") for line in text.splitlines()) if len(fields) > 4]
    return [
        target for target in targets if re.search(r"libcuda\.so|nvidia-smi|/proc/driver/nvidia|libnvidia-ml", target)
    ][:20]


# winnt.h, PF_* of IsProcessorFeaturePresent, with the name that Linux gives the same thing.
WINDOWS_FEATURES = {
    6: "sse", 10: "sse2", 13: "pni", 36: "ssse3", 37: "sse4_1", 38: "sse4_2", 39: "avx", 40: "avx2", 41: "avx512f",
    19: "asimd", 30: "aes", 31: "crc32", 34: "atomics", 43: "asimddp", 45: "lrcpc", 46: "sve", 47: "sve2",
}  # fmt: skip


def processor(argument):
    """The processor: the first block of /proc/cpuinfo, the cores, affinity and quotas."""
    source = Source(argument)
    raw = {
        "logical": source.ask("cpu_count", os.cpu_count),
        "affinity": source.ask("affinity", lambda: len(os.sched_getaffinity(0))),
    }
    if source.system == "Linux":
        text = source.text("/proc/cpuinfo") or ""
        blocks = [fields(block, ":") for block in text.split("\n\n")]
        blocks = [block for block in blocks if "processor" in block]
        raw["first"] = blocks[0] if blocks else {}
        raw["places"] = _core_places(source, blocks)
        raw["quotas"] = _control_group(source, "cpu", ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"))
        if blocks and "model name" not in blocks[0]:  # ARM: /proc/cpuinfo has numbers only
            raw["lscpu"] = source.run(["lscpu"]).get("stdout")
    if source.system == "Windows":
        raw["features"] = source.ask("features", _windows_features)
    return {"cpu": raw}


def _core_places(source, blocks):
    """[package, core] of every logical processor, from /proc/cpuinfo, else from sysfs."""
    places = [
        [block["physical id"], block["core id"]] for block in blocks if "core id" in block and "physical id" in block
    ]
    if places:
        return places
    folders = source.find("/sys/devices/system/cpu/cpu[0-9]*/topology")
    texts = [[source.text(folder + "/physical_package_id"), source.text(folder + "/core_id")] for folder in folders]
    return [text for text in texts if None not in text]


def _control_group(source, controller, names):
    """Files of this process's control groups, from its own up to the top: [{name: text}], version 1 and 2."""
    found = []
    for line in (source.text("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and controller not in controllers.split(","):
            continue
        base = "/sys/fs/cgroup/" + controller if controllers else "/sys/fs/cgroup"
        parts = [part for part in path.split("/") if part and part != ".."]
        for depth in range(len(parts), -1, -1):
            folder = "/".join([base, *parts[:depth]])
            texts = {name: source.text(folder + "/" + name) for name in names}
            texts = {name: text for name, text in texts.items() if text is not None}
            if texts:
                found.append(texts)
    return found


def _windows_features():
    present = ctypes.windll.kernel32.IsProcessorFeaturePresent
    return [name for number, name in WINDOWS_FEATURES.items() if present(number)]


def memory(argument):
    """Main memory, its limit, and /dev/shm."""
    source = Source(argument)
    raw = {}
    if source.system == "Linux":
        raw["meminfo"] = fields(source.text("/proc/meminfo") or "", ":")
        raw["limits"] = _control_group(source, "memory", ("memory.max", "memory.limit_in_bytes"))
        raw["shm"] = source.ask("shm", _shared_memory)
    if source.system == "Windows":
        raw["windows"] = source.ask("windows_memory", _windows_memory)
    return {"memory": raw}


SHARED_MEMORY = "/dev/shm"  # noqa: S108 - it is measured, nothing is written there


def _shared_memory():
    """[total, free] of /dev/shm in bytes; [0, 0] where there is none."""
    if not os.path.isdir(SHARED_MEMORY):
        return [0, 0]
    state = os.statvfs(SHARED_MEMORY)
    return [state.f_blocks * state.f_frsize, state.f_bavail * state.f_frsize]


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = [("length", ctypes.c_uint32), ("load", ctypes.c_uint32)] + [
        (name, ctypes.c_uint64)
        for name in ("total", "available", "page_total", "page_free", "virtual_total", "virtual_free", "extended")
    ]


def _windows_memory():
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise OSError("GlobalMemoryStatusEx")
    return [status.total, status.available]


LOG_FILES = ("/var/log/kern.log", "/var/log/syslog", "/var/log/messages")  # of Debian, Ubuntu, and Red Hat and SUSE


def kernel_log(argument):
    """Lines of this boot's kernel log about GPUs and sleep. ``log_origin`` is None where no log could be read."""
    source = Source(argument)
    if source.system != "Linux":
        return {}
    refused = {}
    for name, words in (*system_log.KERNEL_COMMANDS, *((path, None) for path in LOG_FILES)):
        text, why = system_log.output(source.run(words)) if words else _log_file(source, name)
        if text:
            lines = system_log.kernel_lines(text)[-LOG_LINES:]
            return {"kernel_log": {"origin": name, "lines": lines, "unread": refused}}
        refused[name] = why
    return {"kernel_log": {"origin": None, "lines": [], "unread": refused}}


def _log_file(source, path):
    """The kernel's part of a log file since the last boot; other programs write into some of them, too."""
    try:
        with open(source.path(path), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 4000000))
            text = file.read().decode("utf-8", "replace")
    except OSError as error:
        return None, type(error).__name__
    text = text[max(0, text.rfind("Linux version ")) :]
    return "\n".join(line for line in text.splitlines() if " kernel: " in line), ""


SYSTEM_PROFILER = ["/usr/sbin/system_profiler", "-json", "SPDisplaysDataType", "SPHardwareDataType"]
SYSCTL = ["/usr/sbin/sysctl", "hw", "machdep.cpu", "kern.hv_vmm_present", "sysctl.proc_translated"]
SW_VERS = ["/usr/bin/sw_vers"]
# No double quote in it, so that it needs none on the command line either. -Compress: one line.
POWERSHELL_SCRIPT = r"""
$ErrorActionPreference = 'SilentlyContinue'
[Console]::OutputEncoding = [Text.Encoding]::UTF8
$nt = Get-ItemProperty 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
$boot = Get-ItemProperty 'HKLM:\SYSTEM\CurrentControlSet\Control\SecureBoot\State'
$bus = 'PNPDeviceID LIKE ''PCI%'' OR PNPDeviceID LIKE ''USB%'''
[ordered]@{
  os = Get-CimInstance Win32_OperatingSystem | Select-Object Caption, Version, BuildNumber, OSArchitecture
  release = $nt.DisplayVersion
  secure_boot = $boot.UEFISecureBootEnabled
  computer = Get-CimInstance Win32_ComputerSystem | Select-Object Manufacturer, Model, HypervisorPresent
  cpu = @(Get-CimInstance Win32_Processor | Select-Object Name, Manufacturer, NumberOfCores, NumberOfLogicalProcessors)
  video = @(Get-CimInstance Win32_VideoController |
    Select-Object Name, PNPDeviceID, AdapterCompatibility, AdapterRAM, DriverVersion, ConfigManagerErrorCode, Status)
  devices = @(Get-CimInstance Win32_PnPEntity -Filter $bus |
    Select-Object Name, PNPDeviceID, PNPClass, Service, ConfigManagerErrorCode, CompatibleID)
  libraries = @('nvcuda.dll', 'nvml.dll', 'ze_loader.dll' |
    ForEach-Object { Join-Path $env:SystemRoot ('System32\' + $_) } | Where-Object { Test-Path $_ } |
    ForEach-Object { [ordered]@{ path = $_; version = (Get-Item $_).VersionInfo.ProductVersion } })
} | ConvertTo-Json -Depth 4 -Compress
"""
POWERSHELL = ["powershell.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", POWERSHELL_SCRIPT.strip()]


def macos(argument):
    """Apple's own description of the machine."""
    source = Source(argument)
    if source.system != "Darwin":
        return {}
    profile, why = _json_output(source.run(SYSTEM_PROFILER, SYSTEM_LIMIT))
    return {
        "macos": {
            "profile": profile,
            "sysctl": fields(source.run(SYSCTL).get("stdout") or "", ":"),
            "sw_vers": fields(source.run(SW_VERS).get("stdout") or "", ":"),
            "unread": {"profile": why} if why else {},
        }
    }


def windows(argument):
    """Windows' own description of the machine, in one call."""
    source = Source(argument)
    if source.system != "Windows":
        return {}
    answer, why = _json_output(source.run(POWERSHELL, SYSTEM_LIMIT))
    return {"windows": {"answer": answer, "unread": {"answer": why} if why else {}}}


def event_log(argument):
    """What the last days of Windows' event log report about graphics cards and hardware errors."""
    source = Source(argument)
    if source.system != "Windows":
        return {}
    entries, why = system_log.windows_entries(system_log.DAYS * 86400, source.run)
    started = source.ask("started", system_log.windows_started)
    return {"event_log": {"entries": entries, "started": started, "unread": {"entries": why} if why else {}}}


def _json_output(done):
    text, why = system_log.output(done)
    if text is None:
        return None, why
    try:
        return json.loads(text.lstrip("\ufeff")), ""  # Windows may put a byte order mark before UTF-8
    except ValueError:
        return None, "ValueError"


STAGES = (operating_system, processor, memory, buses, drivers, kernel_log, amd, jetson, macos, windows, event_log)
ESSENTIAL = ("operating_system",)

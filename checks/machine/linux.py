"""Linux: the whole machine from what its files say."""

from __future__ import annotations

import math
import re
import shlex

from checks.facts import CpuFacts, MachineFacts, MemoryFacts, OsFacts
from checks.knowledge.gpu.virtual_machines import (
    container_of_cgroup,
    container_of_variables,
    machine_of_firmware,
    machine_of_log,
)
from checks.machine import accelerators, amd, buses, intel, jetson, nvidia, system_log
from checks.machine.nodes import Raw

NO_LIMIT = 1 << 60  # bytes; control groups of version 1 write "no limit" as a number near 2**63


def read(machine: Raw, nvml: Raw | None) -> MachineFacts:
    """All facts of a Linux machine."""
    system = read_os(machine)
    cpu = read_cpu(machine.get("cpu"))
    gpus = buses.read_gpus(machine.get("buses"))
    if gpus is not None:
        gpus = nvidia.without_window(gpus, (machine.get("kernel_log") or {}).get("lines", ()))
    board = jetson.read(machine.get("jetson"))
    return MachineFacts(
        os=system,
        cpu=cpu,
        memory=read_memory(machine.get("memory")),
        gpus=gpus,
        nvidia=nvidia.read(machine, nvml, gpus.nvidia if gpus else (), system, is_jetson=board is not None),
        amd=amd.read(machine, gpus),
        intel=intel.read(machine, gpus),
        jetson=board,
        accelerators=accelerators.read(machine.get("buses"), (machine.get("drivers") or {}).get("nodes")),
        log=system_log.of_linux(machine.get("kernel_log") or {}),
    )


def read_os(machine: Raw) -> OsFacts | None:
    """The system, its container and its virtual machine."""
    raw = machine.get("os")
    if raw is None:
        return None
    release = parse_os_release(raw.get("os_release") or "")
    wsl = wsl_version(raw.get("proc_version") or "")
    container = read_container(raw)
    managers = raw.get("managers")
    libc, libc_version = read_libc(raw)
    return OsFacts(
        origin="/etc/os-release, /proc",
        unread=raw.get("unread", {}),
        system=raw.get("system"),
        name=release.get("PRETTY_NAME") or release.get("NAME"),
        distribution=release.get("ID", "") if raw.get("os_release") else None,
        distribution_like=tuple(release.get("ID_LIKE", "").split()) if raw.get("os_release") else None,
        version=release.get("VERSION_ID"),
        kernel=raw.get("release"),
        architecture=raw.get("machine"),
        libc=libc,
        libc_version=libc_version,
        wsl=wsl,
        container=container,
        container_gpu_hook=bool(raw["nvidia_mounts"]) if container and raw.get("nvidia_mounts") is not None else None,
        virtual_machine=read_virtual_machine(machine, wsl),
        secure_boot=None if wsl else read_secure_boot(raw, container),
        package_managers=None if managers is None else tuple("apt" if name == "apt-get" else name for name in managers),
        groups=None if raw.get("groups") is None else tuple(raw["groups"]),
        is_administrator=raw.get("administrator"),
    )


def parse_os_release(text: str) -> dict[str, str]:
    """os-release as a dict: shell assignments, quoted in any of the shell's ways, comments and blank lines allowed."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, found, value = line.strip().partition("=")
        if not found or name.startswith("#"):
            continue
        try:
            words = shlex.split(value)
        except ValueError:  # an unclosed quote: take it as it stands
            words = [value]
        values[name] = " ".join(words)
    return values


def wsl_version(proc_version: str) -> int:
    """0, 1 or 2. WSL 2 runs a real kernel ("microsoft-standard-WSL2"), WSL 1 imitates one ("4.4.0-19041-Microsoft")."""
    if re.search(r"microsoft-standard|WSL2", proc_version):
        return 2
    return 1 if "Microsoft" in proc_version else 0


def read_container(raw: Raw) -> str:
    """The container around this process; "" none."""
    variables = raw.get("container_variables") or {}
    return (
        container_of_variables(variables)
        or ("podman" if raw.get("podman_file") else None)
        or variables.get("container")
        or raw.get("systemd_container")
        or container_of_cgroup(raw.get("init_cgroup") or "")
        or ("docker" if raw.get("docker_file") else "")
    )


def read_virtual_machine(machine: Raw, wsl: int) -> str | None:
    """The virtual machine around this system; "" bare metal; "other" one whose name is unknown; None unknown."""
    raw = machine.get("os") or {}
    if wsl:
        return "wsl"
    flags = ((machine.get("cpu") or {}).get("first") or {}).get("flags")
    if flags is not None and "hypervisor" not in flags.split():
        return ""  # on x86 the processor itself shows it; firmware texts alone also name makers of real computers
    dmi = raw.get("dmi") or {}
    named = machine_of_firmware(dmi.values())
    if named:
        return named
    if raw.get("hypervisor_type"):
        return str(raw["hypervisor_type"])
    for line in (machine.get("kernel_log") or {}).get("lines", ()):
        _, found, name = line.partition("Hypervisor detected: ")
        if found:
            return machine_of_log(name) or "other"
    if flags is not None:
        return "other"
    return "" if dmi else None


def read_secure_boot(raw: Raw, container: str) -> bool | None:
    """The firmware's switch: four bytes of attributes, then 0 or 1. Without EFI there is none; a container hides it."""
    data = raw.get("secure_boot")
    if data is not None:
        return bool(data[4]) if len(data) > 4 else None
    return None if raw.get("efi") or container else False


def read_libc(raw: Raw) -> tuple[str | None, str | None]:
    """("glibc", "2.35") or ("musl", "1.2.4")."""
    if raw.get("libc"):
        name, _, version = raw["libc"].partition(" ")
        return name, version or None
    if raw.get("musl") is not None:
        found = re.search(r"Version (\S+)", raw["musl"])
        return "musl", found.group(1) if found else None
    return None, None


def read_cpu(raw: Raw | None) -> CpuFacts | None:
    """The processor and the cores that this process may use."""
    if raw is None:
        return None
    first = raw.get("first") or {}
    described = dict(line.split(":", 1) for line in (raw.get("lscpu") or "").splitlines() if ":" in line)
    flags = first.get("flags", first.get("Features"))
    logical, affinity = raw.get("logical"), raw.get("affinity")
    quotas = [quota for quota_text in raw.get("quotas", ()) for quota in [_cores(quota_text)] if quota]
    usable = min([count for count in (affinity or logical, *quotas) if count], default=None)
    places = {tuple(place) for place in raw.get("places", ())}
    return CpuFacts(
        origin="/proc/cpuinfo",
        name=first.get("model name") or described.get("Model name", "").strip() or None,
        vendor=first.get("vendor_id") or described.get("Vendor ID", "").strip() or None,
        instruction_sets=None if flags is None else tuple(flags.split()),
        physical_cores=len(places) or None,
        logical_cores=logical,
        usable_cores=usable,
    )


def _cores(group: dict[str, str]) -> int | None:
    """The cores that a control group grants, rounded up; None without a limit."""
    quota, period = group.get("cpu.cfs_quota_us", ""), group.get("cpu.cfs_period_us", "")
    if "cpu.max" in group:
        quota, _, period = group["cpu.max"].partition(" ")
    if not (quota.isdigit() and period.isdigit() and int(period)):  # "max", or -1
        return None
    return max(1, math.ceil(int(quota) / int(period)))


def read_memory(raw: Raw | None) -> MemoryFacts | None:
    """Main memory in bytes."""
    if raw is None:
        return None
    info = raw.get("meminfo") or {}
    limits = [int(text) for group in raw.get("limits", ()) for text in group.values() if text.isdigit()]
    limit = min((size for size in limits if size < NO_LIMIT), default=None)
    shm = raw.get("shm") or (None, None)
    return MemoryFacts(
        origin="/proc/meminfo",
        total=_kilobytes(info.get("MemTotal")),
        available=_kilobytes(info.get("MemAvailable")),
        limit=limit,
        shm_total=shm[0],
        shm_free=shm[1],
    )


def _kilobytes(text: str | None) -> int | None:
    number = (text or "").split(" ")[0]
    return int(number) * 1024 if number.isdigit() else None

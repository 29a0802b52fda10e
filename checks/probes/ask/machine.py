"""What this machine is: system, processor, memory, buses, drivers, kernel log. Raw values, as they came; no judgement.

The argument says where to look: ``root`` (default "/") is the folder that holds the machine's /sys, /proc, /etc, so
that a recorded tree can be read; ``recorded`` replaces what no file tells: ``commands`` (argument list joined by
blanks, or its first three words, or the first -> {"code", "stdout", "stderr"}) and ``answers`` of the running process,
by name. In a replay, what was not recorded is not there.

Standard library only, Python 3.8 and later.
"""

import ctypes
import glob
import json
import os
import platform
import re
import shutil
import stat

from . import system_log

TEXT_LIMIT = 200000  # characters read of one file; every file read here is far smaller on a sane machine
LOG_LINES = 400  # lines of the kernel log that are kept
SYSTEM_LIMIT = 15  # seconds for system_profiler and PowerShell, which are slow on their first start


class Source:
    """The machine as it is read: files below a root, commands, and what the running process knows of itself."""

    def __init__(self, argument):
        self.root = argument.get("root") or "/"
        self.recorded = argument.get("recorded")
        self.system = self.ask("system", platform.system)

    def path(self, path):
        """Where an absolute path of the machine lies here."""
        return path if self.root == "/" else os.path.join(self.root, path.lstrip("/"))

    def text(self, path, unread=None):
        """The text of a file, stripped; None where it is absent (not noted) or unreadable (noted in ``unread``)."""
        try:
            with open(self.path(path), encoding="utf-8", errors="replace") as file:
                return file.read(TEXT_LIMIT).strip("\0\n\t ")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if unread is not None:
                unread[path] = type(error).__name__
            return None

    def data(self, path, unread=None):
        """The first bytes of a file as numbers; None as in :meth:`text`."""
        try:
            with open(self.path(path), "rb") as file:
                return list(file.read(64))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if unread is not None:
                unread[path] = type(error).__name__
            return None

    def names(self, path):
        """The sorted names in a folder; none where it is not there."""
        try:
            return sorted(os.listdir(self.path(path)))
        except OSError:
            return []

    def exists(self, path):
        """Whether a path is there."""
        return os.path.exists(self.path(path))

    def find(self, pattern):
        """Paths of the machine that match a pattern."""
        found = sorted(glob.glob(self.path(pattern)))
        return found if self.root == "/" else ["/" + os.path.relpath(each, self.root) for each in found]

    def link(self, path):
        """The last part of a link's target ("nvidia" of a driver link); "" where there is none."""
        try:
            return os.path.basename(os.readlink(self.path(path)))
        except OSError:
            return ""

    def real(self, path):
        """A path with all links followed, as the machine names it."""
        if self.root == "/":
            return os.path.realpath(path)
        real = os.path.realpath(self.path(path))
        inside = os.path.relpath(real, os.path.realpath(self.root))
        return path if inside.startswith("..") else "/" + inside

    def ask(self, name, function):
        """What the process knows of itself; None where that fails."""
        if self.recorded is not None:
            return self.recorded.get("answers", {}).get(name)
        try:
            return function()
        except Exception:
            return None

    def run(self, arguments, limit=system_log.LIMIT):
        """Run a command: {"code", "stdout", "stderr"}, or {"error"} where it could not be run or took too long."""
        if self.recorded is not None:
            commands = self.recorded.get("commands", {})
            names = (" ".join(arguments[:count]) for count in (len(arguments), 3, 1))
            return next((commands[name] for name in names if name in commands), {"error": "FileNotFoundError"})
        return system_log.run(arguments, limit)


# --- the system ------------------------------------------------------------------------------------------------------

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
    """What musl's loader says of itself; it prints its version on standard error."""
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


# --- processor and memory --------------------------------------------------------------------------------------------

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
        blocks = [_fields(block, ":") for block in text.split("\n\n")]
        blocks = [block for block in blocks if "processor" in block]
        raw["first"] = blocks[0] if blocks else {}
        raw["places"] = _core_places(source, blocks)
        raw["quotas"] = _control_group(source, "cpu", ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us"))
        if blocks and "model name" not in blocks[0]:  # ARM: /proc/cpuinfo has numbers only
            raw["lscpu"] = source.run(["lscpu"]).get("stdout")
    if source.system == "Windows":
        raw["features"] = source.ask("features", _windows_features)
    return {"cpu": raw}


def _fields(text, separator):
    """Lines of "name : value" as a dict; the first of a name counts."""
    fields = {}
    for line in text.splitlines():
        name, found, value = line.partition(separator)
        if found:
            fields.setdefault(name.strip(), value.strip())
    return fields


def _core_places(source, blocks):
    """[package, core] of every logical processor, from /proc/cpuinfo, else from sysfs."""
    places = [
        [block["physical id"], block["core id"]] for block in blocks if "core id" in block and "physical id" in block
    ]
    if places:
        return places
    folders = source.find("/sys/devices/system/cpu/cpu[0-9]*/topology")
    texts = [[source.text(folder + "/physical_package_id"), source.text(folder + "/core_id")] for folder in folders]
    return [each for each in texts if None not in each]


def _control_group(source, controller, names):
    """Files of this process's control groups, from its own up to the top: [{name: text}], version 1 and 2."""
    found = []
    for line in (source.text("/proc/self/cgroup") or "").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if controllers and controller not in controllers.split(","):
            continue
        base = "/sys/fs/cgroup/" + controller if controllers else "/sys/fs/cgroup"
        parts = [each for each in path.split("/") if each and each != ".."]
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
        raw["meminfo"] = _fields(source.text("/proc/meminfo") or "", ":")
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
    """[total, available] in bytes."""
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    if not ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        raise OSError("GlobalMemoryStatusEx")
    return [status.total, status.available]


# --- the buses -------------------------------------------------------------------------------------------------------

PCI_ALWAYS = ("class", "vendor", "device", "revision")
PCI_OF_GPUS = ("subsystem_vendor", "subsystem_device", "resource")
PCI_OF_LINKS = ("current_link_width", "max_link_width", "current_link_speed", "max_link_speed")
USB_FILES = ("idVendor", "idProduct", "product")


def buses(argument):
    """Every PCI device by its ids (of display controllers and accelerators more), USB ids, camera sensors."""
    source = Source(argument)
    if source.system != "Linux":
        return {}
    unread = {}
    raw = {"pci": None, "usb": None, "i2c": [], "unread": unread}
    if source.exists("/sys/bus"):  # a kernel without PCI has no folder for it, and no device on it
        raw["pci"] = [_pci_device(source, name, unread) for name in source.names("/sys/bus/pci/devices")]
        raw["usb"] = [
            each for name in source.names("/sys/bus/usb/devices") for each in [_usb_device(source, name)] if each
        ]
    for name in source.names("/sys/bus/i2c/devices"):
        chip = source.text("/sys/bus/i2c/devices/%s/name" % name)
        if chip:
            raw["i2c"].append(chip)
    return {"buses": raw}


def _pci_device(source, name, unread):
    folder = "/sys/bus/pci/devices/" + name
    device = {each: source.text(folder + "/" + each, unread) for each in PCI_ALWAYS}
    device["address"] = name
    device["driver"] = source.link(folder + "/driver")
    if (device["class"] or "")[2:4] in ("03", "12"):  # display controllers; processing accelerators
        device.update({gpu: source.text(folder + "/" + gpu, unread) for gpu in PCI_OF_GPUS})
        place = _slot_end(source, folder, device["vendor"])
        device.update({each: source.text(place + "/" + each, unread) for each in PCI_OF_LINKS})
    return {key: value for key, value in device.items() if value is not None}


def _slot_end(source, folder, vendor):
    """The folder of the card's end of the slot.

    AMD's and Intel's cards carry a PCI Express switch: the GPU behind it reports the link inside the card (Arc: one
    lane of the first generation), its upstream port the one to the slot. Both ports have the GPU's vendor.
    """
    path = source.real(folder)
    above = os.path.dirname(path)
    # The root port, of the processor's vendor, hangs on a bridge that is no PCI device ("/sys/devices/pci0000:00").
    while source.text(above + "/vendor") == vendor and source.text(os.path.dirname(above) + "/vendor") is not None:
        path, above = above, os.path.dirname(above)
    return path


def _usb_device(source, name):
    folder = "/sys/bus/usb/devices/" + name
    device = {usb_file: source.text(folder + "/" + usb_file) for usb_file in USB_FILES}
    if device["idVendor"] is None:  # an interface, not a device
        return None
    device["driver"] = source.link("%s/%s:1.0/driver" % (folder, name))
    return device


# --- drivers ---------------------------------------------------------------------------------------------------------

MODULES = (
    "nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset", "nouveau", "nova_core", "nvgpu", "amdgpu", "radeon", "i915",
    "xe", "intel_vpu", "amdxdna", "gasket", "apex", "hailo_pci", "vfio_pci",
)  # fmt: skip
NODES = (
    "/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/nvhost-*", "/dev/nvmap", "/dev/nvgpu/*", "/dev/dxg", "/dev/kfd",
    "/dev/dri/card*", "/dev/dri/renderD*", "/dev/accel/accel*", "/dev/apex_*", "/dev/hailo*", "/dev/neuron*",
    "/dev/video*", "/dev/media*",
)  # fmt: skip
LIBRARIES = ("libcuda.so.1", "libnvidia-ml.so.1", "libze_loader.so.1", "libze_intel_gpu.so.1")
# Folders that systems use beside the loader's cache: WSL, NixOS, Jetson, container images.
LIBRARY_FOLDERS = (
    "/usr/lib/wsl/lib", "/run/opengl-driver/lib", "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/lib/aarch64-linux-gnu/nvidia", "/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
)  # fmt: skip
MODPROBE_FOLDERS = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d")
# Words of the kernel's command line that keep a module from loading; the rest of that line is nobody's business.
MODULE_WORDS = re.compile(r"(?:modprobe\.blacklist|module_blacklist|rd\.driver\.blacklist)=\S+")
MENTIONS = re.compile(r"nvidia|nouveau|amdgpu|i915|\bxe\b")


def drivers(argument):
    """Kernel modules, device files, and the libraries that the loader would take."""
    source = Source(argument)
    if source.system != "Linux":
        return {}
    unread = {}
    raw = {
        "modules": [name for name in MODULES if source.exists("/sys/module/" + name)],
        "nvidia_version": source.text("/proc/driver/nvidia/version", unread),
        "nvidia_module_version": source.text("/sys/module/nvidia/version", unread),
        "modules_installed": _installed_modules(source, unread),
        "modprobe": _modprobe(source, unread),
        "command_line": " ".join(MODULE_WORDS.findall(source.text("/proc/cmdline", unread) or "")),
        "nodes": source.ask("nodes", lambda: [_node(path) for pattern in NODES for path in source.find(pattern)]),
        "libraries": _libraries(source),
        "fabric_manager": _fabric_manager(source),
        "unread": unread,
    }
    return {"drivers": raw}


def _installed_modules(source, unread):
    """Paths of graphics modules in the running kernel's list; None where that list is not there (containers, WSL)."""
    release = source.ask("release", platform.release) or ""
    text = source.text("/lib/modules/%s/modules.dep" % release, unread)
    if text is None:
        return None
    paths = [line.partition(":")[0] for line in text.splitlines()]
    return [each for each in paths if re.search(r"/(nvidia[\w-]*|nouveau|amdgpu|xe|i915)\.ko", each)]


def _modprobe(source, unread):
    """[file, line] of every modprobe setting that names a graphics driver, in the order in which files count."""
    lines = []
    seen = set()
    for folder in MODPROBE_FOLDERS:
        for name in source.names(folder):
            path = folder + "/" + name
            if not name.endswith(".conf") or name in seen:  # a file of the same name in an earlier folder wins
                continue
            seen.add(name)
            for line in (source.text(path, unread) or "").splitlines():
                if MENTIONS.search(line) and not line.lstrip().startswith("#"):
                    lines.append([path, line.strip()])  # noqa: PERF401 - three loops deep, a list is clearer
    return lines


def _node(path):
    """A device file and what this process may do with it."""
    node = {"path": path, "readable": os.access(path, os.R_OK), "writable": os.access(path, os.W_OK)}
    try:
        state = os.stat(path)
        node["mode"] = stat.filemode(state.st_mode)
        node["directory"] = stat.S_ISDIR(state.st_mode)
        import grp

        node["group"] = grp.getgrgid(state.st_gid).gr_name
    except OSError:
        pass
    except KeyError:
        node["group"] = str(state.st_gid)
    return node


def _libraries(source):
    """[name, path, real path, origin, what the cache says of its kind], in the loader's order."""
    found = []
    for folder in (source.ask("library_path", lambda: os.environ.get("LD_LIBRARY_PATH", "")) or "").split(":"):
        found += [(name, folder + "/" + name, "LD_LIBRARY_PATH", "") for name in LIBRARIES if folder.startswith("/")]
    found = [each for each in found if source.exists(each[1])]
    cache = source.run(["/sbin/ldconfig", "-p"]).get("stdout") or ""
    for line in cache.splitlines():
        match = re.match(r"\s*(\S+) \(([^)]*)\) => (\S+)", line)
        if match and match.group(1) in LIBRARIES:
            found.append((match.group(1), match.group(3), "ldconfig", match.group(2)))
    known = {source.real(path) for _, path, _, _ in found}
    for folder in LIBRARY_FOLDERS:
        for name in LIBRARIES:
            path = folder + "/" + name
            if source.exists(path) and source.real(path) not in known:
                known.add(source.real(path))
                found.append((name, path, "folder", ""))
    return [[name, path, source.real(path), origin, kind] for name, path, origin, kind in found]


def _fabric_manager(source):
    """[installed, running] of the NVSwitch service; None where there is no NVSwitch, so that nobody needs it."""
    bridges = [
        name
        for name in source.names("/sys/bus/pci/devices")
        if source.text("/sys/bus/pci/devices/%s/vendor" % name) == "0x10de"
        and (source.text("/sys/bus/pci/devices/%s/class" % name) or "").startswith("0x0680")
    ]
    if not bridges:
        return None
    installed = source.exists("/usr/bin/nv-fabricmanager")
    running = any((source.text(path) or "").startswith("nv-fabricmanage") for path in source.find("/proc/[0-9]*/comm"))
    return [installed, running]


# --- the kernel log --------------------------------------------------------------------------------------------------

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


# --- AMD, Jetson -----------------------------------------------------------------------------------------------------

KFD = "/sys/class/kfd/kfd/topology/nodes"
KFD_NAMES = ("gfx_target_version", "simd_count", "vendor_id", "device_id", "location_id", "domain")


def amd(argument):
    """AMD's compute driver: the nodes of its topology, and ROCm on disk."""
    source = Source(argument)
    if source.system != "Linux":
        return {}
    unread = {}
    nodes = None
    if source.exists("/sys/class"):
        nodes = [_kfd_node(source, name, unread) for name in source.names(KFD)]
    versions = [
        source.text(path, unread)
        for path in source.find("/opt/rocm/.info/version") or source.find("/opt/rocm-*/.info/version")
    ]
    return {"amd": {"nodes": nodes, "rocm": versions, "unread": unread}}


def _kfd_node(source, name, unread):
    folder = KFD + "/" + name
    properties = _fields(source.text(folder + "/properties", unread) or "", " ")
    node = {key: properties[key] for key in KFD_NAMES if key in properties}
    node["name"] = source.text(folder + "/name")
    banks = [_fields(source.text(path) or "", " ") for path in source.find(folder + "/mem_banks/*/properties")]
    node["banks"] = [[bank.get("heap_type"), bank.get("size_in_bytes")] for bank in banks]
    return node


def jetson(argument):
    """An NVIDIA system on a chip: the board's name, its L4T release, JetPack's package."""
    source = Source(argument)
    if source.system != "Linux":
        return {}
    raw = {
        "model": source.text("/proc/device-tree/model"),
        "compatible": (source.text("/proc/device-tree/compatible") or "").split("\0"),
        "tegra_release": source.text("/etc/nv_tegra_release"),
    }
    if raw["tegra_release"] or any("tegra" in each for each in raw["compatible"]):
        raw["jetpack"] = _dpkg_version(source, "nvidia-jetpack")
    return {"jetson": raw}


def _dpkg_version(source, package):
    """The version of an installed Debian package, "" where it is not installed."""
    try:
        with open(source.path("/var/lib/dpkg/status"), encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    match = re.search(r"^Package: %s\n(?:.+\n)*?Version: (.+)" % re.escape(package), text, re.MULTILINE)
    return match.group(1) if match else ""


# --- macOS and Windows -----------------------------------------------------------------------------------------------

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
            "sysctl": _fields(source.run(SYSCTL).get("stdout") or "", ":"),
            "sw_vers": _fields(source.run(SW_VERS).get("stdout") or "", ":"),
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
    """What the last days of Windows' event log tell of graphics cards and hardware errors."""
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

"""Devices and drivers of a Linux machine: buses, kernel modules, libraries of GPUs, AMD's topology, Jetson."""

import os
import platform
import re
import stat

from .source import Source, fields

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
        devices = (_usb_device(source, name) for name in source.names("/sys/bus/usb/devices"))
        raw["usb"] = list(filter(None, devices))
    for name in source.names("/sys/bus/i2c/devices"):
        chip = source.text("/sys/bus/i2c/devices/%s/name" % name)
        if chip:
            raw["i2c"].append(chip)
    return {"buses": raw}


def _pci_device(source, name, unread):
    folder = "/sys/bus/pci/devices/" + name
    device = {field: source.text(folder + "/" + field, unread) for field in PCI_ALWAYS}
    device["address"] = name
    device["driver"] = source.link(folder + "/driver")
    if (device["class"] or "")[2:4] in ("03", "12"):  # display controllers; processing accelerators
        device.update({field: source.text(folder + "/" + field, unread) for field in PCI_OF_GPUS})
        place = _slot_end(source, folder, device["vendor"])
        device.update({field: source.text(place + "/" + field, unread) for field in PCI_OF_LINKS})
    return {key: value for key, value in device.items() if value is not None}


def _slot_end(source, folder, vendor):
    """The folder of the card's end of the slot.

    AMD's and Intel's cards carry a PCI Express switch: the GPU behind it reports the link inside the card (Arc: one
    lane of the first generation), its upstream port the one to the slot. Both ports have the GPU's vendor.
    """
    path = source.real(folder)
    above = os.path.dirname(path)
    # The root port, of the processor's vendor, hangs on a bridge that is not a PCI device ("/sys/devices/pci0000:00").
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
    return [path for path in paths if re.search(r"/(nvidia[\w-]*|nouveau|amdgpu|xe|i915)\.ko", path)]


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
    found = [library for library in found if source.exists(library[1])]
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
    properties = fields(source.text(folder + "/properties", unread) or "", " ")
    node = {key: properties[key] for key in KFD_NAMES if key in properties}
    node["name"] = source.text(folder + "/name")
    banks = [fields(source.text(path) or "", " ") for path in source.find(folder + "/mem_banks/*/properties")]
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
    if raw["tegra_release"] or any("tegra" in chip for chip in raw["compatible"]):
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

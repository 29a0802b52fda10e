"""The machine: system, processor, memory, GPUs, drivers, and what its own log tells."""

import msgspec

from checks.facts.base import Fact


class OsFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """The operating system as a program on this machine sees it."""

    system: str | None = None  # "Linux", "Windows", "Darwin": platform.system()
    name: str | None = None  # "Ubuntu 24.04.1 LTS", "Windows 11 Pro 24H2", "macOS 15.1"
    distribution: str | None = None  # os-release ID: "ubuntu", "debian", "fedora"; "" where there is none
    distribution_like: tuple[str, ...] | None = None  # os-release ID_LIKE
    version: str | None = None  # "24.04", "10.0.26100", "15.1"
    kernel: str | None = None  # uname -r
    architecture: str | None = None  # of the machine: "x86_64", "aarch64", "arm64", "AMD64"
    libc: str | None = None  # "glibc" or "musl"; "" where there is none (Windows, macOS)
    libc_version: str | None = None  # "2.35"
    wsl: int | None = None  # 0 no WSL, 1 or 2
    container: str | None = None  # "docker", "podman", "kubernetes", "lxc", "apptainer", ...; "" none
    container_gpu_hook: bool | None = None  # the NVIDIA toolkit or CDI mounted the driver's files into the container
    virtual_machine: str | None = None  # "kvm", "vmware", "hyper-v", "xen", ...; "" bare metal
    secure_boot: bool | None = None
    package_managers: tuple[str, ...] | None = None  # "apt", "dnf", "pacman", "zypper", "apk", "brew", "winget"
    groups: tuple[str, ...] | None = None  # of the user who runs Naosu
    is_administrator: bool | None = None  # root, or an elevated Windows process


class CpuFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """The processor. ``instruction_sets`` uses Linux /proc/cpuinfo spelling ("avx2", "avx512f", "asimd")."""

    name: str | None = None
    vendor: str | None = None  # "GenuineIntel", "AuthenticAMD", "Apple", "ARM"
    instruction_sets: tuple[str, ...] | None = None
    physical_cores: int | None = None
    logical_cores: int | None = None
    usable_cores: int | None = None  # affinity and cgroup limits counted in


class MemoryFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Main memory and /dev/shm, in bytes. ``limit`` is a cgroup's, where there is one."""

    total: int | None = None
    available: int | None = None
    limit: int | None = None
    shm_total: int | None = None  # 0 where /dev/shm does not exist
    shm_free: int | None = None


class PciLink(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A PCI Express link: lanes, and the generation as a number (1 = 2.5 GT/s ... 5 = 32 GT/s)."""

    width: int | None = None
    width_max: int | None = None
    generation: int | None = None
    generation_max: int | None = None


class Gpu(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A display or 3D controller as the bus shows it, with no driver needed. Ids are lower-case hex without 0x."""

    address: str | None = None  # "0000:01:00.0"; on Windows the PNPDeviceID, on macOS ""
    vendor_id: str | None = None  # "10de"
    device_id: str | None = None  # "2b85"
    subsystem_vendor_id: str | None = None
    subsystem_device_id: str | None = None
    revision: str | None = None
    vendor: str | None = None  # "NVIDIA", "AMD", "Intel", "Apple", or the pci.ids name
    product: str | None = None  # what pci.ids (or the system) calls it: "GeForce RTX 5090"
    die: str | None = None  # "GB202"; "" where pci.ids names none
    architecture: str | None = None  # "Blackwell"; from resources/knowledge/gpu/gpu_architectures.toml
    compute_capability: str | None = None  # "12.0", derived from the die
    gfx_target: str | None = None  # AMD: "gfx1100"
    driver: str | None = None  # bound kernel driver: "nvidia", "nouveau", "amdgpu", "vfio-pci"; "" none
    driver_version: str | None = None  # Windows: as the system prints it ("32.0.15.7283")
    integrated: bool | None = None
    link: PciLink | None = None
    bar1_size: int | None = None  # largest memory BAR in bytes (Resizable BAR shows here)
    problem_code: int | None = None  # Windows ConfigManagerErrorCode; 0 = works


class Gpus(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All GPUs that the bus shows. An empty ``devices`` means: looked, and there is none."""

    devices: tuple[Gpu, ...] = ()

    def of(self, vendor_id: str) -> tuple[Gpu, ...]:
        """The GPUs of one PCI vendor ("10de" NVIDIA, "1002" AMD, "8086" Intel)."""
        return tuple(gpu for gpu in self.devices if gpu.vendor_id == vendor_id)

    @property
    def nvidia(self) -> tuple[Gpu, ...]:
        """The GPUs of this vendor."""
        return self.of("10de")

    @property
    def amd(self) -> tuple[Gpu, ...]:
        """The GPUs of this vendor."""
        return self.of("1002")

    @property
    def intel(self) -> tuple[Gpu, ...]:
        """The GPUs of this vendor."""
        return self.of("8086")


class DeviceNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A device file and what the current user may do with it."""

    path: str
    readable: bool | None = None
    writable: bool | None = None
    group: str | None = None


class LibraryFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A shared library: where it lies, what it resolves to, and the version in its name or resources."""

    path: str
    real_path: str | None = None
    version: str | None = None
    origin: str | None = None  # "ldconfig", "LD_LIBRARY_PATH", "loaded", "System32"


class XidEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One NVIDIA Xid, of the kernel log (``seconds`` since boot) or of Windows' event log (``time``, UTC).

    ``before_start``: it came before the machine was started the last time. The kernel log begins with the start.
    """

    code: int
    pci_address: str | None = None
    text: str = ""
    seconds: float | None = None
    time: str | None = None
    before_start: bool = False


class GpuEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What else the system's log tells of a GPU or the processor. ``kind``, ``vendor``: of its row in gpu_log.toml."""

    kind: str
    vendor: str = ""
    pci_address: str | None = None
    text: str = ""
    seconds: float | None = None
    time: str | None = None


class LogEntry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of the system's log as it came: a line of the kernel log, or the strings of an event of Windows."""

    source: str  # "kernel", or who wrote the event: "nvlddmkm"
    text: str = ""
    event_id: int | None = None
    time: str | None = None  # UTC


class SystemLog(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the system's log tells of GPUs and the processor, without NVIDIA's Xids, which are NVIDIA's facts."""

    events: tuple[GpuEvent, ...] | None = None


class GpuProcess(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A process that holds memory of a GPU. ``used_memory`` in bytes; None where the driver does not tell."""

    pid: int
    name: str | None = None
    used_memory: int | None = None


class EccCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """ECC error counts since the driver was loaded (volatile) and over the card's life (aggregate)."""

    corrected_volatile: int | None = None
    uncorrected_volatile: int | None = None
    corrected_aggregate: int | None = None
    uncorrected_aggregate: int | None = None


class RowRemaps(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Memory rows replaced by spare ones (Ampere and later data-centre cards)."""

    correctable: int | None = None
    uncorrectable: int | None = None
    pending: bool | None = None
    failure: bool | None = None


class MigInstance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A MIG device as NVML lists it."""

    index: int
    profile: str | None = None
    memory_total: int | None = None


class NvidiaGpu(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One GPU as NVML sees it. ``unread`` holds the NVML error by field ("NVML_ERROR_NOT_SUPPORTED")."""

    index: int
    name: str | None = None
    uuid: str | None = None
    pci_address: str | None = None
    pci_device_id: str | None = None  # "2b85", lower-case hex
    pci_subsystem_id: str | None = None
    architecture: str | None = None  # NVML's name: "Blackwell"
    compute_capability: str | None = None  # "12.0"
    memory_total: int | None = None
    memory_free: int | None = None
    memory_used: int | None = None
    ecc_enabled: bool | None = None
    ecc_pending: bool | None = None
    ecc: EccCounts | None = None
    retired_pages: int | None = None  # both causes together
    retired_pages_pending: bool | None = None
    row_remaps: RowRemaps | None = None
    throttle_reasons: tuple[str, ...] | None = None  # names as in hardware_errors.toml; () = none active
    temperature: int | None = None
    temperature_slowdown: int | None = None
    power: float | None = None
    power_limit: float | None = None
    power_limit_default: float | None = None
    clock_sm: int | None = None
    clock_sm_max: int | None = None
    clock_memory: int | None = None
    clock_memory_max: int | None = None
    performance_state: int | None = None  # 0 = P0
    utilization: int | None = None  # percent
    compute_mode: str | None = None  # "default", "exclusive-process", "prohibited", "exclusive-thread"
    mig_enabled: bool | None = None
    mig_pending: bool | None = None
    mig_instances: tuple[MigInstance, ...] | None = None
    processes: tuple[GpuProcess, ...] | None = None
    vbios: str | None = None
    board_part_number: str | None = None
    brand: str | None = None
    persistence_mode: bool | None = None
    display_active: bool | None = None
    link: PciLink | None = None
    nvlinks_active: int | None = None
    nvlinks_inactive: int | None = None
    fabric_state: str | None = None  # NVSwitch systems: "completed", "in-progress", "not-started", "not-supported"
    recovery_action: str | None = None  # NVML's GPU recovery action: "none", "reset", "reboot", "drain-p2p", ...


class NvidiaFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """NVIDIA's driver on this machine, kernel side and user side, and the GPUs that NVML shows."""

    nvml: str | None = None  # "ok", "library-not-found", or the NVML error name ("NVML_ERROR_DRIVER_NOT_LOADED")
    nvml_message: str | None = None
    nvml_version: str | None = None
    driver_version: str | None = None  # NVML, else /proc/driver/nvidia/version, else the Windows driver
    cuda_driver_version: str | None = None  # highest CUDA that the driver serves: "12.8"
    kernel_module_version: str | None = None  # /proc/driver/nvidia/version; "" when the module is not loaded
    kernel_module_flavour: str | None = None  # "open" or "proprietary"
    modules_loaded: tuple[str, ...] | None = None  # of nvidia, nvidia_uvm, nvidia_drm, nvidia_modeset, nouveau
    modules_installed: tuple[str, ...] | None = None  # NVIDIA modules on disk for the running kernel
    blacklisted: tuple[str, ...] | None = None  # modprobe.d files that blacklist nvidia
    device_nodes: tuple[DeviceNode, ...] | None = None
    libcuda: tuple[LibraryFile, ...] | None = None  # in the loader's order
    devices: tuple[NvidiaGpu, ...] | None = None
    device_errors: dict[str, str] = {}  # NVML index -> error name, for a GPU whose handle could not be had
    xids: tuple[XidEvent, ...] | None = None
    nvswitches: int | None = None  # NVSwitch devices on the bus
    fabric_manager: str | None = None  # "running", "stopped", "not-installed"
    suspended_once: bool | None = None  # the kernel log shows a resume since boot


class AmdNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A GPU node of the KFD topology."""

    gfx_target: str | None = None  # "gfx1030"
    pci_address: str | None = None
    memory_total: int | None = None
    name: str | None = None


class AmdFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """AMD's compute driver and ROCm on this machine."""

    module_loaded: bool | None = None  # amdgpu
    nodes: tuple[AmdNode, ...] | None = None
    device_nodes: tuple[DeviceNode, ...] | None = None  # /dev/kfd, /dev/dri/renderD*
    rocm_version: str | None = None  # /opt/rocm/.info/version; "" not installed


class IntelFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Intel's GPU and NPU drivers and the Level Zero runtime."""

    modules_loaded: tuple[str, ...] | None = None  # of i915, xe, intel_vpu
    device_nodes: tuple[DeviceNode, ...] | None = None  # /dev/dri/renderD*, /dev/accel/accel*
    level_zero: tuple[LibraryFile, ...] | None = None  # libze_loader, libze_intel_gpu; () = looked, none


class AppleFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """An Apple machine."""

    chip: str | None = None  # "Apple M2 Pro"
    is_apple_silicon: bool | None = None
    macos_version: str | None = None
    metal: str | None = None  # "Metal 3"; "" not supported
    gpu_cores: int | None = None


class JetsonFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """An NVIDIA Jetson: its GPU is no PCI device."""

    model: str | None = None  # /proc/device-tree/model
    l4t_release: str | None = None  # "36.4.0" from /etc/nv_tegra_release
    jetpack: str | None = None
    soc: str | None = None  # "tegra234"
    compute_capability: str | None = None


class Accelerator(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """An Edge TPU, NPU, VPU or AI camera found by its USB or PCI id, or by its camera sensor."""

    bus: str  # "usb", "pci", "csi camera", "soc"
    vendor_id: str | None = None
    device_id: str | None = None
    name: str = ""
    kind: str = ""  # as in usb_pci_accelerators.toml: "edge tpu", "npu", ...
    driver: str | None = None
    nodes: tuple[DeviceNode, ...] | None = None


class MachineFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """One machine. A part that was not looked at is None."""

    os: OsFacts | None = None
    cpu: CpuFacts | None = None
    memory: MemoryFacts | None = None
    gpus: Gpus | None = None
    nvidia: NvidiaFacts | None = None
    amd: AmdFacts | None = None
    intel: IntelFacts | None = None
    apple: AppleFacts | None = None
    jetson: JetsonFacts | None = None
    accelerators: tuple[Accelerator, ...] | None = None
    log: SystemLog | None = None


def canonical_pci_address(text: str | None) -> str:
    """A PCI address in one spelling: "00000000:01:00.0" and "0000:01:00" become "0:01:00"; "" for none."""
    if not text:
        return ""
    domain, _, rest = text.lower().rpartition(".")[0].partition(":") if "." in text else text.lower().partition(":")
    return f"{domain.lstrip('0') or '0'}:{rest}"

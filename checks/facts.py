"""The facts: everything Naosu knows before it judges.

Three kinds of "nothing" are kept apart in every type:

* **unread**: the field is ``None`` (and left out of the JSON); ``unread`` may say why, by field name.
* **absent**: it was looked for and is not there; an empty tuple, an empty string or ``False``.
* **zero**: the number 0.

Every fact names its ``origin``: the file, library, command or log lines that it was read from.
Sizes are bytes, temperatures degrees Celsius, power watts, clocks MHz, unless a field says otherwise.
Versions are kept as text, as they came; compare them through :mod:`checks.versions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from math import prod
from typing import Any, TypeVar

import msgspec


class Fact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all facts: where it was read, and why a field of it could not be."""

    origin: str = ""
    unread: dict[str, str] = {}


# --- the machine -----------------------------------------------------------------------------------------------------


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
    architecture: str | None = None  # "Blackwell"; from resources/knowledge/gpu_architectures.toml
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


# --- interpreters ----------------------------------------------------------------------------------------------------


class Package(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An installed distribution, from its metadata; nothing was imported."""

    name: str  # normalised (PEP 503): "onnxruntime-gpu"
    version: str
    location: str | None = None  # the folder that holds it
    installer: str | None = None  # INSTALLER: "pip", "conda", "uv"
    # Requires-Dist: all lines of a framework; of the other packages in ai_packages.toml those that always apply; of
    # the rest only those that name a package of that table.
    requires: tuple[str, ...] | None = None
    requires_python: str | None = None
    tags: tuple[str, ...] | None = None  # wheel tags: "cp311-cp311-manylinux_2_28_x86_64"
    build: str | None = None  # conda build string: "py3.11_cuda12.1_cudnn8_0"
    channel: str | None = None  # conda channel


class InterpreterFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A Python interpreter, read without starting it."""

    path: str  # as a user would type it
    real_path: str | None = None
    prefix: str | None = None  # sys.prefix
    base_prefix: str | None = None
    kind: str | None = None  # "venv", "conda", "pyenv", "uv", "pipx", "poetry", "system", "portable", "store", "other"
    found_by: tuple[str, ...] = ()  # "PATH", "folder", "jupyter", "py launcher", ...
    version: str | None = None  # "3.11.7"
    implementation: str | None = None  # "cpython", "pypy"
    architecture: str | None = (
        None  # of the interpreter: "x86_64", "arm64", "AMD64", "x86"; "universal2" arm64 + x86_64
    )
    free_threaded: bool | None = None
    externally_managed: bool | None = None  # PEP 668
    user_site: bool | None = None  # the user's site folder is on sys.path
    package_manager: str | None = None  # that installs into it: "pip", "conda", "pixi", "uv", "poetry", "pipx"
    packages: tuple[Package, ...] | None = None
    # Why it is not usable: "missing", "not-python", "unreadable", "not-executable", "base-missing" (an environment
    # whose Python was removed), "installer-alias" (it only offers to install Python); None = nothing seen.
    problem: str | None = None

    def architecture_on(self, os: OsFacts | None) -> str | None:
        """The architecture that it runs as on this system: "universal2" runs as the machine does; None if unread."""
        is_known = self.architecture not in (None, "universal2")
        return self.architecture if is_known else os.architecture if os else None

    def package(self, *names: str) -> Package | None:
        """The first of these distributions (normalised names) that is installed; None also if unread."""
        for package in self.packages or ():
            if package.name in names:
                return package
        return None


# --- frameworks, as the probes saw them inside the target interpreter ------------------------------------------------


class ErrorText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An exception of the target's program, as it came."""

    type: str  # "ImportError"
    message: str
    traceback: str = ""


class FrameworkFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What is common to all frameworks.

    ``imported`` is True, False (``error`` holds the exception) or None: not reached, or the process died;
    then the :class:`ProbeRun` of the same name tells.
    """

    version: str | None = None
    imported: bool | None = None
    error: ErrorText | None = None
    location: str | None = None  # the folder of the imported package
    cuda_version: str | None = None  # CUDA it was built for: "12.8"; "" for a build without CUDA
    cudnn_version: str | None = None  # cuDNN that it loads: "9.10.2"
    warnings: tuple[str, ...] | None = None
    loaded_libraries: tuple[LibraryFile, ...] | None = None  # those of the GPU stack and the C/C++/OpenMP runtimes


class KernelLaunch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A small computation really run on a device, and whether its result was right."""

    ran: bool
    correct: bool | None = None
    error: ErrorText | None = None
    seconds: float | None = None


class ImportTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A package beside the framework, really imported."""

    name: str
    imported: bool
    version: str | None = None
    error: ErrorText | None = None


class FrameworkDevice(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A device as the framework lists it."""

    device: str  # "cuda:0", "mps", "xpu:0", "GPU:0"
    name: str | None = None
    compute_capability: str | None = None
    gfx_target: str | None = None
    memory_total: int | None = None
    memory_free: int | None = None
    uuid: str | None = None
    pci_address: str | None = None
    kernel: KernelLaunch | None = None


class TorchFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """PyTorch in the target interpreter."""

    build: str | None = None  # "cpu", "cuda", "rocm", "xpu"
    hip_version: str | None = None  # "" for a build without HIP
    xpu_version: str | None = None
    debug: bool | None = None
    git_version: str | None = None
    cxx11_abi: bool | None = None
    arch_list: tuple[str, ...] | None = None  # "sm_90", "compute_120", "gfx1100"; () for a CPU build
    nccl_version: str | None = None
    cuda_available: bool | None = None
    cuda_error: ErrorText | None = None  # what torch.cuda.init() raised
    cuda_device_count: int | None = None
    mps_built: bool | None = None
    mps_available: bool | None = None
    mps_error: str | None = None
    xpu_available: bool | None = None
    devices: tuple[FrameworkDevice, ...] | None = None
    cpu_capability: str | None = None  # torch.backends.cpu.get_cpu_capability()
    threads: int | None = None
    settings: dict[str, Any] | None = None  # deterministic and TF32 settings by their torch name
    numpy_bridge: KernelLaunch | None = None  # torch.zeros(1).numpy() and back
    companions: tuple[ImportTry, ...] | None = None  # torchvision, torchaudio, xformers, triton where installed


class ProviderStart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An ONNX Runtime execution provider: whether a one-node model really ran on it."""

    name: str  # "CUDAExecutionProvider"
    started: bool | None = None  # None = not tried
    error: str | None = None
    fell_back: bool | None = None  # the session was made, but without this provider


class OnnxRuntimeFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """ONNX Runtime in the target interpreter."""

    build_info: str | None = None
    device: str | None = None  # onnxruntime.get_device()
    providers_listed: tuple[str, ...] | None = None
    providers: tuple[ProviderStart, ...] | None = None


class TensorFlowFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """TensorFlow in the target interpreter."""

    is_cuda_build: bool | None = None
    is_rocm_build: bool | None = None
    keras_version: str | None = None
    devices: tuple[FrameworkDevice, ...] | None = None


class JaxFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """JAX in the target interpreter."""

    jaxlib_version: str | None = None
    plugins: tuple[str, ...] | None = None  # "jax-cuda12-plugin 0.4.30"
    default_backend: str | None = None
    devices: tuple[FrameworkDevice, ...] | None = None


class TensorRtFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """TensorRT's Python package in the target interpreter."""

    builder: KernelLaunch | None = None  # whether a Builder could be made
    plugins: int | None = None


class LiteRtFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """LiteRT (ai-edge-litert, tflite-runtime) in the target interpreter."""

    package: str | None = None
    edgetpu_delegate: bool | None = None  # libedgetpu could be loaded
    edgetpu_error: str | None = None
    edgetpu_version: str | None = None  # what libedgetpu says of itself: "BuildLabel(...), RuntimeVersion(14)"


class OpenVinoFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """OpenVINO in the target interpreter."""

    devices: tuple[FrameworkDevice, ...] | None = None


class CoreMlToolsFacts(FrameworkFacts, frozen=True, kw_only=True, omit_defaults=True):
    """coremltools in the target interpreter."""

    torch_tested: str | None = None  # newest torch that this coremltools says it was tested with


class Frameworks(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """The frameworks found in the target interpreter; None = not installed or not probed (``Facts.missing`` says)."""

    torch: TorchFacts | None = None
    onnxruntime: OnnxRuntimeFacts | None = None
    tensorflow: TensorFlowFacts | None = None
    jax: JaxFacts | None = None
    tensorrt: TensorRtFacts | None = None
    litert: LiteRtFacts | None = None
    openvino: OpenVinoFacts | None = None
    coremltools: CoreMlToolsFacts | None = None

    def each(self) -> Iterator[tuple[str, FrameworkFacts]]:
        """The frameworks that were probed, with their names."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, FrameworkFacts):
                yield name, value

    def cuda_builds(self) -> tuple[tuple[str, FrameworkFacts, str], ...]:
        """(name, facts, CUDA version) of every framework that is known to be built for CUDA."""
        return tuple((name, fact, fact.cuda_version) for name, fact in self.each() if fact.cuda_version)


class EnvironmentVariables(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Variables of the target's process, by an allow list (resources/knowledge/environment_variables.toml)."""

    values: dict[str, str] = {}  # only those that are set
    compilers: dict[str, str] | None = None  # name -> path of those that builds look for; "" = not on PATH
    cuda_home: str | None = None  # where PyTorch's extension builder looks for the CUDA toolkit; "" = nowhere
    nvcc: str | None = None  # the CUDA compiler there; "" = there is none
    nvcc_version: str | None = None  # "12.4"


# --- how the collecting itself went ----------------------------------------------------------------------------------


class StageRun(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One stage of a probe. ``ended`` False: the process stopped inside it."""

    name: str
    ended: bool = False
    seconds: float | None = None
    error: ErrorText | None = None


class ProbeRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """How one probe ended. The crash of an interpreter is a fact like any other.

    ``status``: "ok"; "failed" (an exception in an essential stage); "crashed" (a signal, an exit code other than
    0, or an end in the middle of a stage); "timed-out"; "too-much-memory" (it took more than ``memory_limit`` bytes);
    "cancelled"; "not-python" (the file is no Python interpreter); "not-started" (the system refused to start it);
    "no-answer" (exit 0 without any stage, or an unreadable answer).
    """

    probe: str
    interpreter: str = ""
    status: str = "ok"
    stages: tuple[StageRun, ...] = ()
    exit_code: int | None = None
    signal: str | None = None  # "SIGSEGV"; on Windows the NTSTATUS name
    seconds: float | None = None
    memory_limit: int | None = None  # of one that was ended for taking more
    output_bytes: int | None = None  # what it wrote on stdout and stderr together
    stderr_tail: str | None = None
    detail: str | None = None

    @property
    def last_stage(self) -> str | None:
        """The stage that had begun when the process ended."""
        return self.stages[-1].name if self.stages else None


class ProbeRuns(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All probes that ran for this case."""

    runs: tuple[ProbeRun, ...] = ()

    def of(self, probe: str) -> ProbeRun | None:
        """The run of one probe, or None."""
        return next((run for run in self.runs if run.probe == probe), None)


class Symptom(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the user says: facts that no probe can read. ``name``: what has happened, as for ``--symptom``.

    ``exactness``: how exact a result must be: "bits", "decisions", "close"; "" where the user did not say.
    """

    name: str = "everything"
    exactness: str = ""


class SentFile(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A log or script that the user gave. ``text`` only for logs; ``examined`` says whether a reader knew it."""

    name: str
    kind: str  # "log", "script"
    size: int | None = None
    text: str | None = None
    examined: bool = False


# --- model files -----------------------------------------------------------------------------------------------------


class TensorSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An input or output of a model. An axis of ``shape`` is a length, or the name of a free one ("batch", "?").

    ``dtype`` is spelt as NumPy and ml_dtypes do ("float32", "bfloat16", "float8_e4m3fn", "int4"); None = not told.
    """

    name: str
    dtype: str | None = None
    shape: tuple[int | str, ...] | None = None


class OperatorUse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An operator that a model uses, and how many nodes of it. ``domain`` "" is the format's own set."""

    name: str
    domain: str = ""
    version: int | None = None  # the operator's own version, where the format has one (TFLite)
    count: int = 1
    is_custom: bool = False  # outside the format's own set, so that its library must be there


class NeededFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file beside the model that belongs to it, by the name that the model gives. ``size``: bytes that it needs.

    ``linked_to``: where it really lies, if a link leads out of the model's folder; "" if none does.
    ``beside_real_model``: that is the folder in which the model, itself a link, really lies (caches of Hugging Face).
    """

    name: str
    size: int | None = None
    present: bool | None = None  # None = not looked for: the name leads out of the model's folder
    present_size: int | None = None
    linked_to: str = ""
    beside_real_model: bool = False


class NamedClass(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a pickle would import and could call ("torch._utils._rebuild_tensor_v2").

    ``risk``: "dangerous" (it runs commands or code), "unknown" (not on the list of what weights need), "known".
    """

    name: str
    risk: str = "unknown"


class Binding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a file is bound to: ``kind`` is an id of resources/translations/models.toml, ``value`` what exactly."""

    kind: str
    value: str = ""


class ModelNeeds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a model file asks of the place where it runs. None = the format does not tell, or it was not read."""

    frameworks: tuple[str, ...] = ()  # programs that read it, as requirements: "torch>=1.6", "onnxruntime>=1.17"
    opsets: dict[str, int] | None = None  # domain -> version; "" is ai.onnx
    operators: tuple[OperatorUse, ...] | None = None  # the most used first
    classes: tuple[NamedClass, ...] | None = None
    devices: tuple[str, ...] | None = None  # "cuda:0", "edge tpu", "imx500"; () = none in particular
    systems: dict[str, str] | None = None  # lowest version of a system: {"macOS": "13", "iOS": "16"}
    files: tuple[NeededFile, ...] | None = None
    memory: int | None = None  # bytes of the weights as they are stored


class ProviderShare(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of a model one execution provider, delegate or compute unit took: operator -> nodes, and their time.

    ``operator_seconds``: of the processor beside another device, what of ``seconds`` each operator took. ``reasons``:
    operator -> the runtime's own line that tells why it is here and not where it was wanted.
    """

    provider: str
    operators: dict[str, int]
    seconds: float | None = None  # of one inference, from the runtime's own profile
    operator_seconds: dict[str, float] = {}
    reasons: dict[str, str] = {}


class ModelRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model really loaded in the target interpreter, and run where its inputs could be drawn.

    ``reason``: an id [reason-...] of models.toml: why it was not tried, or not to the end. An ``error`` of a run of
    which ``ran`` is not told comes from inputs that were refused; they were made up without knowing the model.
    """

    runtime: str  # a field of Frameworks, or a reader of model_formats.toml: "onnxruntime", "keras"
    setting: str = ""  # what was asked for: "CUDAExecutionProvider", "GPU"
    loaded: bool | None = None
    ran: bool | None = None
    reason: str = ""
    detail: str = ""
    error: ErrorText | None = None
    inputs: tuple[TensorSpec, ...] | None = None  # what it was given
    shares: tuple[ProviderShare, ...] | None = None
    seconds: float | None = None  # of one inference
    memory_limit: int | None = None  # bytes, of one that was ended for taking more
    log: str | None = None  # what the runtime printed about it


class UnmetNeed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A requirement of an exporter ("torch<=2.7.0") that is not met. ``found`` "": it is not installed."""

    needed: str
    found: str = ""


class OutputDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One output of an exported model beside the original's, for the same input.

    ``bound``: the largest difference that is rounding. ``share``: the part of the elements beyond it. ``same_top``: the
    part of the rows in which the largest number stands at the same place. ``same_share``: of whole numbers, how many
    are equal. The first name and shape are the original's.
    """

    name: str = ""
    export_name: str = ""
    dtype: str | None = None
    export_dtype: str | None = None  # None = the same
    shape: tuple[int, ...] = ()
    export_shape: tuple[int, ...] | None = None  # None = the same
    equal: bool | None = None
    max_abs: float | None = None
    max_rel: float | None = None  # to the largest magnitude of the original's output
    scale: float | None = None  # that magnitude
    bound: float | None = None
    nan: int | None = None  # elements that are finite, or an infinity, on one side only
    nan_in_both: int = 0  # elements that are NaN on both sides: that they are alike proves nothing
    share: float | None = None
    cosine: float | None = None
    same_top: float | None = None
    same_share: float | None = None

    @property
    def is_rounding(self) -> bool:
        """Whether the two are equal but for rounding."""
        if self.export_shape is not None:
            return False
        if self.max_abs is None or self.bound is None:
            return self.equal is not False
        return not self.nan and self.max_abs <= self.bound

    @property
    def shows_nothing(self) -> bool:
        """Whether there was nothing in it to compare: no element, or NaN on both sides everywhere."""
        return self.max_abs is not None and self.nan_in_both >= prod(self.shape)


class NodeDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first node of an export whose result the original does not have, and the operation it should have been."""

    name: str
    op: str
    value: str = ""
    original_name: str = ""
    original_op: str = ""
    original_place: str = ""  # the line of Python that it comes from
    max_abs: float | None = None
    bound: float | None = None
    share: float | None = None


class ExportRun(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model really exported in the target interpreter, and the export run beside the original.

    ``fit``: whether the exporter's versions fit ("fits", "untested", "misfit", "not-installed", "unknown"), by
    ``unmet``. ``reason``: an id [reason-...] of models.toml: why it was not tried, or not to the end. ``search``: why
    the first node that parts was not found ("not-for-this-format", "optimizer", "runtime", "not-found", "failed").
    """

    exporter: str  # an id of resources/knowledge/exporters.toml
    versions: dict[str, str] = {}
    fit: str = ""
    unmet: tuple[UnmetNeed, ...] = ()
    reason: str = ""
    detail: str = ""
    stage: str = ""  # what was going on when it ended: "original", "export", "compare", "part"
    loaded: bool | None = None  # the original
    exported: bool | None = None
    ran: bool | None = None  # the export
    error: ErrorText | None = None
    log: str | None = None
    seconds: float | None = None  # of the export
    memory_limit: int | None = None  # bytes, of one that was ended for taking more
    size: int | None = None  # bytes of the export
    opset: int | None = None
    runner: str = ""  # what ran the export: "onnxruntime 1.31.1"
    inputs: tuple[TensorSpec, ...] | None = None
    inputs_from: str = ""  # "file" or "image" of the user, "model", "drawn"
    inputs_renamed: str = ""  # "image: foo": what was given for an input under another name
    inputs_wanted: tuple[TensorSpec, ...] = ()  # what the model takes, where the user's inputs do not fit
    repeats: bool | None = None  # the original gave the same twice
    bound_by: str = ""  # how the bounds were found: "float64", "unit-roundoff"
    outputs: tuple[OutputDifference, ...] | None = None
    differs_unoptimized: bool | None = (
        None  # False: with the runtime's optimisations off, or other kernels, it is right
    )
    first_difference: NodeDifference | None = None
    search: str = ""
    search_detail: str = ""


class ModelFacts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """A model file or folder, read without executing anything in it.

    ``format`` is an id of resources/knowledge/model_formats.toml; None: not recognised. ``problem`` is an id of
    resources/translations/models.toml that says why it could not be read, or not to its end.
    """

    path: str = ""  # as the user gave it; within an archive "models.zip/en/model.onnx"
    name: str = ""
    format: str | None = None
    version: str | None = None  # of the format, in its own words: "IR 9", "3", "specification 7"
    producer: str | None = None  # the framework or tool that wrote it: "pytorch"
    producer_version: str | None = None
    size: int | None = None  # bytes, of all parts together
    problem: str | None = None
    problem_detail: str = ""
    needs: ModelNeeds = ModelNeeds()
    dependence: str | None = None  # on the environment: "low", "medium", "high"
    bound_to: tuple[Binding, ...] = ()
    inputs: tuple[TensorSpec, ...] | None = None
    outputs: tuple[TensorSpec, ...] | None = None
    parameters: int | None = None  # how many numbers the weights are
    dtypes: dict[str, int] | None = None  # of the weights: dtype -> how many numbers
    quantization: str | None = None  # "int8", "Q4_K_M"; "" none
    details: dict[str, str] = {}  # what else the format tells, by an id of resources/translations/models.toml
    package: Package | None = None  # the installed package that brought it
    runs: tuple[ModelRun, ...] = ()
    exports: tuple[ExportRun, ...] = ()


class ModelFiles(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All model files of a case, for the checks that judge them."""

    files: tuple[ModelFacts, ...]

    def of(self, *formats: str) -> Iterator[ModelFacts]:
        """Those of the given formats."""
        return (each for each in self.files if each.format in formats)


class ModelDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing in which two models differ. ``what`` is an id [differs-...] of models.toml, ``name`` which of several.

    ``first`` and ``second``: what stands in each of them; "" where it is not there.
    """

    what: str
    name: str = ""
    first: str = ""
    second: str = ""


class TensorDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A weight in which two models differ.

    ``kind``: "values", "dtype", "shape", "only-first", "only-second", "renamed" (the same bytes under another name),
    "left-out" (stored in a way in which it is not compared).
    The distances are those of the numbers as float64: the largest absolute one, the same relative to the first's
    largest magnitude, and 1 - cosine.
    """

    name: str
    kind: str
    first: str = ""  # dtype and shape
    second: str = ""
    max_abs: float | None = None
    max_rel: float | None = None
    cosine_distance: float | None = None


class ModelComparison(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """Two models side by side. ``weights``: ending -> how many tensors ("same", "values", "only-first", ...).

    ``weights_unread``: why the weights were not compared, an id [weights-...] of models.toml.
    """

    first: str  # paths
    second: str
    differences: tuple[ModelDifference, ...] = ()
    weights: dict[str, int] | None = None
    tensors: tuple[TensorDifference, ...] = ()  # the farthest apart first
    weights_unread: str = ""


# --- everything together ---------------------------------------------------------------------------------------------


# --- computations ----------------------------------------------------------------------------------------------------


class ArrayDifference(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How far a candidate array is from a reference of the same shape, as compute_difference.py counts it.

    Distances are of the elements that are finite in both; None where there is none.
    """

    elements: int
    differing: int  # elements whose bits differ; 0: the same bits
    max_abs: float | None = None
    max_rel: float | None = None  # the largest of |difference| / |reference|, of references that are not 0
    max_ulp: int | None = None  # representable numbers from one to the other
    scale: float | None = None  # the largest magnitude in the reference
    cosine: float | None = None
    ulp_histogram: tuple[int, ...] = ()  # elements that are 0, 1, 2-3, 4-7, 8-15, ... ULP apart
    nan: int = 0  # elements of which just one is NaN
    infinite: int = 0  # elements of which just one is infinite, or both with opposite signs
    first: tuple[int, ...] | None = None  # index of the first element whose bits differ
    worst: tuple[int, ...] | None = None  # index of the largest distance
    same_top: float | None = None  # rows (of the last axis) whose largest element is at the same place, as a share
    same_top5: float | None = None  # likewise with the set of the five largest


_LEFT_OUT = ("no-time", "too-slow", "process-ended")


class Measured(Fact, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """Base of all measurements: what was computed, where and how.

    ``reason``: an id [reason-...] of measurements.toml, why it was not measured, or not to the end. ``detail``: what
    belongs into that sentence.
    """

    framework: str = ""  # a field of Frameworks, or "numpy"
    operation: str = ""  # an id of resources/knowledge/computations.toml; a node or output of the user's model
    device: str = ""  # "cpu", "cuda:0", "mps", "xpu:0"; of ONNX Runtime the execution provider
    dtype: str = ""
    setting: str = "default"  # an id of computations.toml: "default", "deterministic", "tf32-off", "threads-1"
    seconds: float | None = None  # of one repetition, the median
    reason: str = ""
    detail: str = ""
    error: ErrorText | None = None

    @property
    def is_left_out(self) -> bool:
        """Whether it never had its turn: that says nothing about what was to be measured."""
        return self.reason in _LEFT_OUT


class Repeat(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="repeat"):
    """One operation again and again with the same inputs and seeds. Results are told apart by their fingerprints.

    The first call of all is not counted: libraries choose their algorithms then.
    """

    repetitions: int = 0
    distinct: int | None = None
    fingerprints: tuple[str, ...] = ()  # of the distinct results in the order in which they came, the first 20
    counts: tuple[int, ...] = ()  # how often each of these came
    order: tuple[int, ...] = ()  # which of these each of the first 300 repetitions gave, where there is more than one
    warm_up: str = ""  # fingerprint of the first call, where it is not that of the first repetition
    spread: ArrayDifference | None = None  # the first result beside the one that is the farthest from it
    terms: int | None = None  # numbers that are added up for one element
    share: float | None = None  # of the time of all repetitions, what the operation itself took
    scale: float | None = None  # how many times the numbers of the suite it went through
    shrunk: int = 0  # how often it was made smaller, because the device had too little memory

    @property
    def varies(self) -> bool:
        """Whether it was seen to give another result."""
        return (self.distinct or 0) > 1 or bool(self.warm_up)


class Experiment(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="experiment"):
    """One of the two experiments of the articles: the sum of squares, the small network trained again.

    ``values``: of each run the figures that the article prints: the sum; the validation errors at ``steps``, as shares,
    the first before any training. ``exact``: bits in hexadecimal: of the sum; of the validation losses at ``steps``.
    ``fingerprints``: of each run's last weights. ``parted``: the step at which a run's loss was no longer that of the
    first run; None: never.
    """

    steps: tuple[int, ...] = ()
    values: tuple[tuple[float | None, ...], ...] = ()  # None: no number (NaN, infinite)
    exact: tuple[tuple[str, ...], ...] = ()
    fingerprints: tuple[str, ...] = ()
    parted: tuple[int | None, ...] = ()
    expected: float | None = None  # the true value, where there is one

    @property
    def distinct(self) -> int:
        """Different runs."""
        return len(set(zip_longest(self.exact, self.fingerprints)))


class Portrait(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="portrait"):
    """The result of an operation on portable inputs, so that another device or machine can be compared without it.

    ``samples``: elements at the places that checks/probes/compute_portrait.py draws, their bits in hexadecimal.
    ``block_sums``: sums of the elements of each block in float64, in hexadecimal (float.hex).
    """

    shape: tuple[int, ...] = ()
    fingerprint: str = ""
    samples: tuple[str, ...] = ()
    block_sums: tuple[str, ...] = ()
    scale: float | None = None  # the largest magnitude of what is finite
    nan: int = 0  # elements that are none; they and the infinite ones count as 0 in the sums
    infinite: int = 0
    terms: int | None = None
    condition: float | None = None  # as in Precision


class Emulated(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the operation gives in float64 from inputs that were rounded to a shorter format: errors against the truth.

    ``likeness``: the cosine between these errors and the observed ones; 1 where they are the same, element by element.
    """

    max_abs: float
    rms: float
    likeness: float | None = None


class Precision(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="precision"):
    """The error of an operation under a setting, against the same in float64 on the processor.

    ``against``: the difference from the true result. ``beside``: from the result under the setting ``other`` on the
    same device, where the question is what the setting changes (batch size, threads, memory format).
    ``emulated``: by the format to which inputs were rounded: "tf32", "tf32-cut" (its digits cut off), "bfloat16".
    """

    against: ArrayDifference | None = None
    other: str = ""
    beside: ArrayDifference | None = None
    terms: int | None = None
    rms: float | None = None  # root mean square of the errors
    condition: float | None = None  # the largest sum of magnitudes of the terms of one element
    emulated: dict[str, Emulated] = {}
    timed: int = 0  # calls of which ``seconds`` is the median


class Flip(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="flip"):
    """Two runs that differ, and what becomes of the difference when one suspect is changed (``setting``).

    ``before``: the two runs as they were; ``after``: with the suspect changed in both. Both are None where the runs do
    not differ, so that there is nothing to attribute; then ``setting`` is "default".
    """

    pair: tuple[str, str] = ("", "")  # what the two runs are: devices, or settings, batch sizes
    before: ArrayDifference | None = None
    after: ArrayDifference | None = None
    terms: int | None = None
    condition: float | None = None  # as in Precision


class NodeApart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One node of the user's model in two runs: how far apart, in units of its largest number."""

    name: str
    op: str = ""
    apart: float | None = None  # None: nothing in it is finite in both
    bound: float | None = None  # what rounding makes; None: whole numbers, or all are 0
    odd: int = 0  # elements of which just one is NaN or infinite


class ModelMeasured(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="model"):
    """The user's own model run twice or more: again, or on two devices, providers, levels, threads, batch sizes.

    ``operation``: the name of the output that is the farthest apart, of ``outputs``. ``device`` and ``setting`` beside
    ``other``, a device or a setting; the same where it was repeated. ``first_...``: the first node whose bits differ,
    ``beyond_...``: the first that differs by more than rounding, ``choice_...``: the first that decided otherwise
    (whole numbers) before that: what comes after it is no matter of rounding.
    """

    path: str = ""
    aspect: str = ""  # "repeat", "device", "level", "threads", "batch", "deterministic", "mode", "state"
    other: str = ""
    repetitions: int = 0
    distinct: int | None = None
    counts: tuple[int, ...] = ()  # how often each result came, the first 20
    outputs: int = 0
    outputs_apart: int = 0
    outputs_left_out: int = 0  # of a type that cannot be handed over for comparison
    nan_in_both: int = 0  # numbers of the outputs that are NaN in both runs, the first of them in ``nan_output``
    nan_output: str = ""
    difference: ArrayDifference | None = None
    bound: float | None = None  # the largest difference that rounding makes in this network; None: whole numbers
    inputs: tuple[TensorSpec, ...] = ()
    inputs_from: str = ""  # "file", "image", "drawn", "model"
    inputs_renamed: str = ""  # "image: foo": what was given for an input under another name
    inputs_wanted: tuple[TensorSpec, ...] = ()  # what the model takes, where the user's inputs do not fit
    shrunk: int = 0  # how often the batch was halved, because there was too little memory
    first_node: str = ""
    first_op: str = ""
    first_difference: ArrayDifference | None = None
    beyond_node: str = ""
    beyond_op: str = ""
    beyond_difference: ArrayDifference | None = None
    choice_node: str = ""
    choice_op: str = ""
    searched: int = 0  # nodes that were compared
    searched_until: str = ""  # the node at which the time was up
    nodes: tuple[NodeApart, ...] = ()  # in their order; of very many neighbours the one that is the farthest apart
    decisions: float | None = None  # share of the rows whose decision (the largest output) is the same


class HealthSample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A card at one moment of the load. Units as in NvidiaGpu; ``second`` since the load began.

    ``clock_sm`` of a processor is that of its fastest core.
    """

    second: float
    temperature: int | None = None
    memory_temperature: int | None = None
    clock_sm: int | None = None
    clock_memory: int | None = None
    power: float | None = None
    utilization: int | None = None
    throttle_mask: int | None = None  # NVML's clock event reasons, see hardware_errors.toml
    checked: int = 0  # results that were compared bit by bit until then
    wrong: int = 0  # of these, results with a wrong bit


class WrongBits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong result of the load: when, and where."""

    second: float
    operation: str
    index: tuple[int, ...]
    expected: str  # bits in hexadecimal
    found: str
    elements: int = 1  # how many were wrong in this result


class Health(Measured, frozen=True, kw_only=True, omit_defaults=True, tag="health"):
    """A device under a load whose every result is checked bit by bit."""

    length: float | None = None  # seconds of load
    checked: int = 0
    bytes_checked: int = 0
    samples: tuple[HealthSample, ...] = ()
    wrong: tuple[WrongBits, ...] = ()
    xid: tuple[XidEvent, ...] | None = None  # that NVML told of while it ran
    log: tuple[LogEntry, ...] | None = None  # what the system's log got while it ran
    ecc_corrected: int | None = None  # errors that were counted while it ran
    ecc_uncorrected: int | None = None
    remapped_rows: int | None = None  # rows that were remapped while it ran
    shrunk: int = 0  # how often the matrices were made smaller, because the device had too little memory


Measurement = Repeat | Experiment | Portrait | Precision | Flip | ModelMeasured | Health
_M = TypeVar("_M", bound=Measured)


class Measurements(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All measurements of a case, for the checks; there is at least one."""

    all: tuple[Measurement, ...] = ()

    def of(self, kind: type[_M]) -> tuple[_M, ...]:
        """Those of one kind that were made, in their order; what could not be measured has a ``reason``."""
        return tuple(each for each in self.all if isinstance(each, kind) and not each.reason)


class OtherMachine(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """What the report of another examination tells that results are compared with: only what bears on numbers."""

    name: str = ""  # of the file
    created: str = ""
    machine: MachineFacts | None = None
    interpreter: InterpreterFacts | None = None  # that was examined, without its packages
    frameworks: Frameworks | None = None
    environment: EnvironmentVariables | None = None
    measurements: tuple[Measurement, ...] = ()


class Facts(Fact, frozen=True, kw_only=True, omit_defaults=True):
    """All facts of one case. ``missing`` tells why a kind was not collected: kind -> reason id (see reasons.toml).

    ``told``: read from what somebody pasted, so what is not named may be there all the same.
    """

    machine: MachineFacts | None = None
    interpreters: tuple[InterpreterFacts, ...] | None = None
    target: str | None = None  # path of the interpreter that was examined
    frameworks: Frameworks | None = None
    environment: EnvironmentVariables | None = None
    probes: ProbeRuns | None = None
    symptom: Symptom | None = None
    logs: tuple[SentFile, ...] = ()
    scripts: tuple[SentFile, ...] = ()
    models: tuple[ModelFacts, ...] = ()
    comparisons: tuple[ModelComparison, ...] = ()
    measurements: tuple[Measurement, ...] = ()
    others: tuple[OtherMachine, ...] = ()  # examinations to compare this one with
    name: str = ""  # of the file, where two saved examinations are compared; "": it is this machine's own
    missing: dict[str, str] = {}
    told: bool = False

    @property
    def target_interpreter(self) -> InterpreterFacts | None:
        """The interpreter that was examined."""
        return next((each for each in self.interpreters or () if each.path == self.target), None)

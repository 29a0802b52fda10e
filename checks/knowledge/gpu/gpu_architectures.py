"""Which chip has which architecture: NVIDIA compute capability, AMD gfx target, Intel platform."""

from collections.abc import Iterable

from checks.facts.versions import release
from checks.knowledge import Row, Table


class NvidiaArchitecture(Row):
    """One compute capability. What is left out is explained at the head of the table's NVIDIA part."""

    compute_capability: str  # "12.0"
    architecture: str  # "Blackwell"
    year: int | None = None
    dies: tuple[str, ...] = ()
    dies_without_tensor_cores: tuple[str, ...] = ()
    integrated: bool = False  # part of a system on a chip (Jetson, DGX Spark)
    former_compute_capability: str | None = None  # what older toolkits called the same chips
    kind: str = ""
    first_cuda: str | None = None  # first toolkit that compiles for it; None = older than 7.0
    last_cuda: str | None = None  # last toolkit that compiles for it; None = still supported
    first_driver_branch: int | None = None
    last_driver_branch: int | None = None  # 470; None = still supported, or an integrated chip
    tensor_cores: bool
    tf32: bool
    bf16: bool
    fp8: bool
    fp4: bool
    die_map_verified: bool
    note: str = ""

    @property
    def sm(self) -> str:
        """As compilers and wheels spell it: "sm_120"."""
        return "sm_" + self.compute_capability.replace(".", "")


class Toolkit(Row):
    """What the compilers of the CUDA toolkits ``cuda_first`` to ``cuda_last`` build for, as capability times ten."""

    cuda_first: str
    cuda_last: str
    sm: tuple[int, ...]


class AmdTarget(Row):
    """One AMD compiler target."""

    gfx: str  # "gfx1100"
    architecture: str  # "GFX11 (RDNA 3)"
    integrated: bool
    code_names: tuple[str, ...] = ()  # beginnings of pci.ids names
    device_ids: tuple[str, ...] = ()  # ids that go before the code name
    example_products: tuple[str, ...] = ()
    in_torch_rocm_wheels: bool
    note: str = ""


class AmdWheel(Row):
    """The gfx targets in PyTorch's ROCm wheels of some releases ("2.9" means all of 2.9.x)."""

    torch_first: str
    torch_last: str | None = None
    rocm_from: str | None = None
    rocm_below: str | None = None
    gfx: tuple[str, ...]
    note: str = ""


class IntelPlatform(Row):
    """Intel GPUs of one platform that the current compute runtime supports."""

    platform: str
    architecture: str
    integrated: bool
    device_ids: tuple[str, ...]
    torch_xpu: bool  # validated by PyTorch
    torch_from: str | None = None
    note: str = ""


class Tegra(Row):
    """An NVIDIA system on a chip, as the device tree names it."""

    soc: str  # "tegra234"
    die: str
    boards: str


class GpuArchitectures(Table):
    nvidia: tuple[NvidiaArchitecture, ...]
    toolkit: tuple[Toolkit, ...]
    amd: tuple[AmdTarget, ...]
    amd_wheel: tuple[AmdWheel, ...]
    intel: tuple[IntelPlatform, ...]
    nvml_architectures: dict[str, str]
    tegra: tuple[Tegra, ...]


def architecture_of_die(die: str) -> NvidiaArchitecture | None:
    """The row of an NVIDIA die ("GB202"); None where the table does not know it."""
    return next((row for row in GpuArchitectures.read().nvidia if die in row.dies), None)


def architecture_of_capability(compute_capability: str) -> NvidiaArchitecture | None:
    """The row of a compute capability ("12.0", also "sm_120"); None where the table does not know it."""
    wanted, rows = compute_capability.removeprefix("sm_"), GpuArchitectures.read().nvidia
    return next((row for row in rows if wanted in (row.compute_capability, row.sm.removeprefix("sm_"))), None)


def toolkit_targets(cuda_version: str) -> tuple[int, ...] | None:
    """What a CUDA toolkit ("12.8") compiles for, as capability times ten (120); None where it was not measured."""
    wanted = release(cuda_version)[:2]
    for row in GpuArchitectures.read().toolkit:
        if release(row.cuda_first) <= wanted <= release(row.cuda_last):
            return row.sm
    return None


def amd_target(gfx: str) -> AmdTarget | None:
    """The row of a gfx target ("gfx1100"; features after a colon are ignored); None where it is unknown."""
    wanted = gfx.partition(":")[0]
    return next((row for row in GpuArchitectures.read().amd if row.gfx == wanted), None)


def amd_target_of_device(device_id: str, code_name: str) -> AmdTarget | None:
    """The row of an AMD PCI device: its id ("75a0"), else the longest code name that pci.ids' name begins with."""
    rows = GpuArchitectures.read().amd
    by_id = next((row for row in rows if device_id in row.device_ids), None)
    if by_id is not None:
        return by_id
    fitting = [(len(name), row) for row in rows for name in row.code_names if code_name.startswith(name)]
    return max(fitting, key=lambda match: match[0])[1] if fitting else None


def amd_wheel_targets(torch_version: str, rocm_version: str) -> tuple[str, ...] | None:
    """The gfx targets in PyTorch's own ROCm wheel of a version; None where the scripts were not read."""
    torch, rocm = release(torch_version)[:2], release(rocm_version)
    for row in GpuArchitectures.read().amd_wheel:
        if torch < release(row.torch_first) or (row.torch_last and torch > release(row.torch_last)):
            continue
        if (row.rocm_from and rocm < release(row.rocm_from)) or (row.rocm_below and rocm >= release(row.rocm_below)):
            continue
        return row.gfx
    return None


def intel_platform(device_id: str) -> IntelPlatform | None:
    """The platform of an Intel GPU by its PCI device id; None for older graphics and for ids of other devices."""
    return next((row for row in GpuArchitectures.read().intel if device_id in row.device_ids), None)


def nvml_architecture(number: int) -> str | None:
    """NVML's architecture number as its name (10 -> "Blackwell"); None where nvml.h did not have it."""
    return GpuArchitectures.read().nvml_architectures.get(str(number))


def tegra_of(compatible: Iterable[str]) -> Tegra | None:
    """The system on a chip among a device tree's "compatible" names ("nvidia,tegra234"); None where none is one."""
    names = {name.removeprefix("nvidia,") for name in compatible}
    return next((row for row in GpuArchitectures.read().tegra if row.soc in names), None)

"""PyTorch's releases and builds, and which of them fits a machine."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from checks.facts.versions import minor, release
from checks.knowledge import Row, Table
from checks.knowledge.gpu.cuda_binary import runs_any
from checks.knowledge.gpu.cuda_driver import driver_minimum
from checks.knowledge.gpu.gpu_architectures import amd_wheel_targets

INDEX = "https://download.pytorch.org/whl/"
_BUILD = re.compile(r"\+(cu\d+|cpu|xpu|rocm\d[\d.]*)$")  # the local part of the version of a wheel from that index
CPU = "cpu"
XPU = "xpu"
_XPU_FIRST = (2, 5)  # first release with XPU wheels ("Getting Started on Intel GPU", PyTorch documents)


class TorchRelease(Row):
    """One release. ``python``: Python versions with a wheel, by platform; ``default``: what a plain install gives."""

    version: str
    date: dt.date
    requires_python: str
    python: dict[str, tuple[str, ...]]
    default: dict[str, str]
    cudnn: str | None = None  # the cuDNN that the default Linux wheel pins
    source: str


class CudaVariant(Row):
    """A CUDA build of a release line ("2.7"). ``sm``: GPU code by platform, as "8.6" or "12.0+PTX"."""

    torch: str
    variant: str
    cuda: str
    cudnn: str | None = None
    sm: dict[str, tuple[str, ...]] = {}
    confirmed: bool = True
    source: str
    note: str = ""


class RocmVariant(Row):
    """A ROCm build of a release line."""

    torch: str
    rocm: str
    confirmed: bool = True
    source: str
    note: str = ""


class TorchTable(Table):
    release: tuple[TorchRelease, ...]
    cuda_variant: tuple[CudaVariant, ...]
    rocm_variant: tuple[RocmVariant, ...]


@dataclass(frozen=True)
class TorchBuild:
    """A build that can be installed: the release and the build's name on the download index."""

    version: str  # "2.14.1"
    variant: str  # "cu126", "rocm7.2", "xpu", "cpu"

    @property
    def index(self) -> str:
        """The index that holds this build and no other."""
        return INDEX + self.variant

    @property
    def device(self) -> str:
        """The name of its device in PyTorch; ROCm's is "cuda" too."""
        return self.variant if self.variant in {CPU, XPU} else "cuda"


def torch_release(version: str) -> TorchRelease | None:
    """The row of a release ("2.6.0+cu124"); None where the table does not know it."""
    return next((row for row in TorchTable.read().release if release(row.version) == release(version)), None)


def cuda_variant(version: str, cuda_version: str) -> CudaVariant | None:
    """The row of an official CUDA build: torch "2.6.0+cu124", CUDA "12.4"; None where the table does not know it."""
    wanted = (minor(version), release(cuda_version)[:2])
    return next((row for row in TorchTable.read().cuda_variant if (row.torch, release(row.cuda)[:2]) == wanted), None)


def gpu_code(row: CudaVariant, platform: str) -> tuple[str, ...] | None:
    """The GPU code in a build, spelt as torch.cuda.get_arch_list() does; None where it was not sourced.

    The Linux list stands in for the Windows one, which differs from it (where both are known) only by entries that
    change nothing for a GPU: 6.1 beside 6.0.
    """
    listed = row.sm.get(platform)
    if listed is None and platform == "windows":
        listed = row.sm.get("linux_x86_64")
    if listed is None:
        return None
    return tuple(code for entry in listed for code in _codes(entry))


def pythons_for(version: str, platform: str) -> tuple[str, ...]:
    """The Python versions with a wheel of a release ("2.14.1"), oldest first, without the free-threaded ones."""
    row = torch_release(version)
    listed = row.python.get(platform, ()) if row else ()
    return tuple(sorted((version for version in listed if not version.endswith("t")), key=release))


def newest_release(platform: str, python: str | None = None) -> TorchRelease | None:
    """The newest release with a wheel for the platform, and for the Python version where one is given."""
    return next(_releases(platform, python), None)


def recommended_torch(
    capabilities: Iterable[str],
    *,
    platform: str,
    python: str | None,
    driver: str | None = None,
    keep: str | None = None,
) -> TorchBuild | None:
    """The CUDA build that serves all these GPUs ("8.9", "6.1"), runs on this driver and has a wheel for this Python.

    The release that is installed (``keep``) stays if another build of it serves; else it is the newest that does.
    A driver that is not known, and a Python that is None, rule nothing out. None: there is no such build.
    """
    wanted = tuple(capabilities)
    kept = torch_release(keep) if keep else None
    candidates = (kept, *_releases(platform, python)) if kept else _releases(platform, python)
    for row in candidates:
        if row is None or not _has_wheel(row, platform, python):
            continue
        for variant in _preferred(row):
            if variant.confirmed and _serves(variant, wanted, platform, driver):
                return TorchBuild(row.version, variant.variant)
    return None


def recommended_rocm_torch(gfx: Iterable[str], *, python: str | None, keep: str | None = None) -> TorchBuild | None:
    """The ROCm build (Linux x86_64) that holds code for all these AMD GPUs ("gfx1100"); None: there is none."""
    wanted = {target.partition(":")[0] for target in gfx}
    platform = "linux_x86_64"
    kept = torch_release(keep) if keep else None
    candidates = (kept, *_releases(platform, python)) if kept else _releases(platform, python)
    for row in candidates:
        if row is None or not _has_wheel(row, platform, python):
            continue
        for variant in TorchTable.read().rocm_variant:
            if variant.torch == minor(row.version) and variant.confirmed:
                targets = amd_wheel_targets(row.version, variant.rocm)
                if targets is not None and wanted <= set(targets):
                    return TorchBuild(row.version, f"rocm{variant.rocm}")
    return None


def recommended_xpu_torch(*, platform: str, python: str | None) -> TorchBuild | None:
    """The newest build for Intel GPUs; None: there is none for this Python."""
    if platform not in {"linux_x86_64", "windows"}:
        return None
    row = newest_release(platform, python)
    return TorchBuild(row.version, XPU) if row and release(row.version) >= _XPU_FIRST else None


def recommended_cpu_torch(*, platform: str, python: str | None) -> TorchBuild | None:
    """The newest build without a GPU (on macOS with MPS); None: there is none for this Python."""
    row = newest_release(platform, python)
    return TorchBuild(row.version, CPU) if row else None


def _releases(platform: str, python: str | None) -> Iterator[TorchRelease]:
    """Releases with such a wheel, the newest first."""
    rows = sorted(TorchTable.read().release, key=lambda row: release(row.version), reverse=True)
    return (row for row in rows if _has_wheel(row, platform, python))


def _has_wheel(row: TorchRelease, platform: str, python: str | None) -> bool:
    listed = row.python.get(platform, ())
    return bool(listed) if python is None else python in listed


def _preferred(row: TorchRelease) -> list[CudaVariant]:
    """The CUDA builds of a release: the project's own default first, then the newest CUDA first."""
    of_line = [build for build in TorchTable.read().cuda_variant if build.torch == minor(row.version)]
    default = row.default.get("linux_x86_64")
    return sorted(of_line, key=lambda build: (build.variant != default, tuple(-part for part in release(build.cuda))))


def _serves(variant: CudaVariant, capabilities: tuple[str, ...], platform: str, driver: str | None) -> bool:
    # Machine code only: what the driver compiles from PTX meets cuBLAS and cuDNN of a CUDA that does not know the GPU.
    code = [target for target in gpu_code(variant, platform) or () if target.startswith("sm_")]
    if not code or not all(runs_any(code, capability) for capability in capabilities):
        return False
    minimum = driver_minimum(variant.cuda)
    if not driver or minimum is None:
        return True
    return release(driver) >= release(minimum.windows if platform == "windows" else minimum.linux)


def _codes(entry: str) -> tuple[str, ...]:
    number, _, ptx = entry.partition("+")
    digits = number.replace(".", "")
    return (f"sm_{digits}", f"compute_{digits}") if ptx else (f"sm_{digits}",)


def index_of_build(version: str) -> str | None:
    """The index that a wheel of this version ("2.6.0+cu124") came from; None for one of the ordinary registry.

    torchvision and torchaudio wear the same local parts. Nightly builds (".dev") have an index of their own.
    """
    found = _BUILD.search(version)
    if found is None:
        return None
    return f"{INDEX}{'nightly/' if '.dev' in version else ''}{found.group(1)}"

"""The loaded NVIDIA kernel module and the driver's libraries are of different versions.

Detects:      NVML's own error for it, or a libcuda whose version differs from the loaded kernel module's.
Why it bites: the two talk a private protocol of their version, so every CUDA program and nvidia-smi fail.
Blind spots:  a libcuda without a version in its name; then only NVML's error tells.
Knowledge:    resources/knowledge/errors/hardware_errors.toml (NVML_ERROR_LIB_RM_VERSION_MISMATCH)
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, cuda_computes
from checks.causes.registry import check
from checks.facts import Frameworks, LibraryFile, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.facts.versions import major_number, release
from checks.knowledge.phrases import phrase

_MISMATCH = "NVML_ERROR_LIB_RM_VERSION_MISMATCH"
_SMALLEST_DRIVER = 300  # libraries of a Jetson are named libcuda.so.1.1: no driver version


@check("driver-library-mismatch")
def driver_library_mismatch(
    nvidia: NvidiaFacts, os: OsFacts | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding for the machine."""
    if os and os.wsl:  # no kernel module there, by design
        return
    module = nvidia.kernel_module_version
    library = next((library for library in nvidia.libcuda or () if _is_drivers_own(library)), None)
    nvml_says_so = nvidia.nvml == _MISMATCH
    if not nvml_says_so:
        if not module or library is None or cuda_computes(frameworks):
            return
        if release(library.version or "") == release(module):
            return
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.97 if nvml_says_so else 0.8,
        evidence=(
            Evidence("kernel_module_version", module or NONE, "/proc/driver/nvidia/version"),
            Evidence(
                "library_version", (library.version if library else None) or NONE, library.path if library else ""
            ),
            Evidence("nvml", nvidia.nvml or NONE, nvidia.origin),
        ),
        values={"state": _state(nvidia, library)},
        remedies=("remove-driver-from-image", "restart-computer") if os and os.container else (),
    )


def _state(nvidia: NvidiaFacts, library: LibraryFile | None) -> Phrase:
    module = nvidia.kernel_module_version
    if module and library and library.version and release(module) != release(library.version):
        return phrase("mismatch-versions", module=module, library=library.version)
    return phrase("mismatch-nvml", nvml=nvidia.nvml or NONE)


def _is_drivers_own(library: LibraryFile) -> bool:
    """A libcuda that carries a driver version and is no forward-compatibility package or stub."""
    path = f"{library.path} {library.real_path or ''}"
    if "/compat" in path or "/stubs" in path:
        return False
    return major_number(library.version or "") >= _SMALLEST_DRIVER

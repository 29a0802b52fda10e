"""A GPU is in the machine, but its maker's kernel driver is not loaded.

Detects:      an NVIDIA GPU on the bus without the nvidia kernel module (Linux) or without NVIDIA's driver (Windows):
              never installed, not built for the running kernel, refused by Secure Boot, blacklisted, or nouveau has
              taken the GPU. An AMD GPU without amdgpu beside a ROCm build of PyTorch.
Why it bites: without the driver CUDA does not exist on this machine; frameworks say "no NVIDIA driver".
Blind spots:  why a module that is on disk was not loaded stands in the kernel log, which is not always readable.
Knowledge:    resources/knowledge/errors/windows_device_problems.toml; resources/knowledge/gpu/cuda_driver.toml
              (a driver that cannot serve the GPU is another cause)
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import (
    NONE,
    cuda_computes,
    gpu_name,
    installed_driver,
    is_given_away,
    needs_cuda,
    nvidia_architecture,
    ran_on,
)
from checks.causes.registry import check
from checks.facts import AmdFacts, Frameworks, Gpu, Gpus, NvidiaFacts, OsFacts, Symptom
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.phrase import Phrase
from checks.knowledge.errors.windows_device_problems import device_problem
from checks.knowledge.gpu.cuda_driver import Fit, driver_fit
from checks.knowledge.phrases import phrase

CAUSE = "driver-not-loaded"

_DRIVER_ABSENT = ("library-not-found", "NVML_ERROR_LIBRARY_NOT_FOUND", "NVML_ERROR_DRIVER_NOT_LOADED")


@check(CAUSE)
def driver_not_loaded(
    gpus: Gpus,
    nvidia: NvidiaFacts | None,
    amd: AmdFacts | None,
    os: OsFacts | None,
    frameworks: Frameworks | None,
    symptom: Symptom | None,
) -> Iterator[Finding]:
    """One finding per maker."""
    if os and os.wsl:  # the driver is Windows' own
        return
    if gpus.nvidia:
        if nvidia is None:
            raise Unread("nvml")
        yield from _nvidia(gpus, nvidia, os, frameworks, symptom)
    torch = frameworks.torch if frameworks else None
    if gpus.amd and amd is not None and torch is not None and torch.build == "rocm" and not ran_on(torch, "cuda"):
        yield from _amd(gpus, amd, os)


def _nvidia(
    gpus: Gpus, nvidia: NvidiaFacts, os: OsFacts | None, frameworks: Frameworks | None, symptom: Symptom | None
) -> Iterator[Finding]:
    if cuda_computes(frameworks) or not _is_absent(nvidia, gpus, os):
        return
    if any(_cannot_be_served(gpu, nvidia) for gpu in gpus.nvidia):  # driver-dropped-gpu, driver-too-old-for-gpu
        return
    cards = [gpu for gpu in gpus.nvidia if not is_given_away(gpu)] or list(gpus.nvidia)
    evidence = [
        Evidence("maker", "NVIDIA"),
        Evidence("gpu", ", ".join(dict.fromkeys(gpu_name(gpu) for gpu in cards)), gpus.origin or cards[0].origin),
        Evidence("kernel_driver", cards[0].driver or NONE, cards[0].origin),
    ]
    if nvidia.modules_installed is not None:
        evidence.append(Evidence("modules_installed", ", ".join(nvidia.modules_installed) or NONE, nvidia.origin))
    if nvidia.blacklisted:
        evidence.append(Evidence("blacklisted", ", ".join(nvidia.blacklisted), nvidia.origin))
    if os and os.secure_boot is not None:
        evidence.append(Evidence("secure_boot", "on" if os.secure_boot else "off", os.origin))
    if nvidia.nvml:
        evidence.append(Evidence("nvml", nvidia.nvml, nvidia.origin))
    yield Finding(
        severity=Severity.WARNING
        if all(is_given_away(gpu) for gpu in cards) or not needs_cuda(frameworks, symptom)
        else Severity.BLOCKING,
        confidence=0.95,
        subject="nvidia",
        evidence=tuple(evidence),
        remedies=_remedies(nvidia, os),
        values={**_blacklist_file(nvidia), "holder": _holder(cards)},
    )


def _amd(gpus: Gpus, amd: AmdFacts, os: OsFacts | None) -> Iterator[Finding]:
    cards = [gpu for gpu in gpus.amd if not is_given_away(gpu)]
    if amd.module_loaded is not False or not cards or any(gpu.driver == "amdgpu" for gpu in cards):
        return
    evidence = [
        Evidence("maker", "AMD"),
        Evidence("gpu", ", ".join(dict.fromkeys(gpu_name(gpu) for gpu in cards)), gpus.origin or cards[0].origin),
        Evidence("kernel_driver", cards[0].driver or NONE, cards[0].origin),
    ]
    if os and os.secure_boot is not None:
        evidence.append(Evidence("secure_boot", "on" if os.secure_boot else "off", os.origin))
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.9,
        subject="amd",
        evidence=tuple(evidence),
        values={"holder": _holder(cards)},
        remedies=("load-amdgpu-module",),
    )


def _holder(cards: list[Gpu]) -> Phrase:
    driver = cards[0].driver
    return phrase("held-by-other", driver=driver) if driver else phrase("held-by-none")


def _blacklist_file(nvidia: NvidiaFacts) -> dict[str, str]:
    """The file to mend; what stands on the kernel's command line is set in the boot loader instead."""
    files = [path for path in nvidia.blacklisted or () if path != "/proc/cmdline"]
    return {"blacklist_file": files[0]} if files else {}


def _is_absent(nvidia: NvidiaFacts, gpus: Gpus, os: OsFacts | None) -> bool:
    if nvidia.nvml == "ok":
        return False
    if any((problem := device_problem(gpu.problem_code)) and problem.cause == CAUSE for gpu in gpus.nvidia):
        return True
    if os and os.system == "Windows":
        if nvidia.nvml is None:
            raise Unread("nvml", nvidia.unread.get("nvml", ""))
        return nvidia.nvml in _DRIVER_ABSENT
    if nvidia.kernel_module_version is None and nvidia.modules_loaded is None:
        if nvidia.nvml == "NVML_ERROR_DRIVER_NOT_LOADED":
            return True
        raise Unread("kernel_module_version", nvidia.unread.get("kernel_module_version", ""))
    return not nvidia.kernel_module_version and "nvidia" not in (nvidia.modules_loaded or ())


def _cannot_be_served(gpu: Gpu, nvidia: NvidiaFacts) -> bool:
    """Whether the driver that is installed, loaded or not, is one that does not know the GPU."""
    architecture = nvidia_architecture(gpu)
    version = installed_driver(nvidia)
    if architecture is None or not version:
        return False
    return driver_fit(architecture, version) in (Fit.TOO_OLD, Fit.DROPPED)


def _remedies(nvidia: NvidiaFacts, os: OsFacts | None) -> tuple[str, ...]:
    """The likely reason first: what is on disk tells how far an installation went."""
    if os and os.system == "Windows":
        return ("install-nvidia-driver",)
    if nvidia.modules_installed:
        ways = []
        if nvidia.blacklisted:
            ways.append("remove-nvidia-blacklist")
        if os and os.secure_boot:
            ways.append("enrol-secure-boot-key")
        return (*ways, "load-nvidia-kernel-module", "install-nvidia-driver")
    if nvidia.modules_installed is not None and nvidia.libcuda:  # the libraries are there, the module is not
        return ("rebuild-nvidia-kernel-module", "install-nvidia-driver")
    return ("install-nvidia-driver", "rebuild-nvidia-kernel-module")

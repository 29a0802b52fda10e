"""Windows does not pass the GPU into WSL.

Detects:      WSL 1; WSL 2 without the libcuda that Windows puts there; a Linux driver installed inside WSL that shadows
              it; an NVML error inside WSL.
Why it bites: WSL has no GPU driver of its own, it borrows the one of Windows; without it there is no CUDA.
Blind spots:  whether the Windows side has an NVIDIA GPU at all cannot be seen from inside; nor can a container in WSL.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, cuda_computes
from checks.causes.registry import check
from checks.facts import Frameworks, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.knowledge.phrases import phrase

_WINDOWS_DRIVER = "/usr/lib/wsl/"  # where Windows mounts its driver's libraries


@check("wsl-gpu-unavailable", from_whole=True)
def wsl_gpu_unavailable(os: OsFacts, nvidia: NvidiaFacts | None, frameworks: Frameworks | None) -> Iterator[Finding]:
    """One finding for the machine. No facts of NVIDIA at all mean: no trace of a driver."""
    if os.wsl is None:
        raise Unread("wsl_version", os.unread.get("wsl", ""))
    if not os.wsl:
        raise NotHere("wsl")
    if os.container or cuda_computes(frameworks):
        return
    if frameworks is not None and not frameworks.cuda_builds():  # nothing here asks for CUDA
        return
    nvidia = nvidia or NvidiaFacts(nvml="library-not-found", libcuda=())
    first = next(iter(nvidia.libcuda or ()), None)
    if os.wsl == 1:
        remedies, confidence, severity = ("convert-to-wsl-2",), 0.95, Severity.BLOCKING
        state = phrase("wsl-1")
    elif nvidia.libcuda is None and nvidia.nvml is None:
        raise Unread("libcuda_path", nvidia.unread.get("libcuda", ""))
    elif first is not None and not first.path.startswith(_WINDOWS_DRIVER) and nvidia.nvml != "ok":
        remedies, confidence, severity = ("remove-linux-driver-from-wsl",), 0.85, Severity.BLOCKING
        state = phrase("wsl-shadowed", path=first.path)
    elif nvidia.nvml == "ok" and nvidia.devices:
        return
    else:  # no NVIDIA GPU in the Windows machine looks the same, hence no more than a warning
        remedies, confidence = ("update-windows-driver-for-wsl",), 0.6 if first is None else 0.8
        severity = Severity.WARNING if first is None else Severity.BLOCKING
        key = "wsl-nothing" if first is None else "wsl-error"
        state = phrase(key, nvml=nvidia.nvml or NONE)
    yield Finding(
        severity=severity,
        confidence=confidence,
        evidence=(
            Evidence("wsl_version", str(os.wsl), os.origin),
            Evidence("libcuda_path", first.path if first else NONE, nvidia.origin),
            Evidence("nvml", nvidia.nvml or NONE, nvidia.origin),
        ),
        values={"state": state},
        remedies=remedies,
    )

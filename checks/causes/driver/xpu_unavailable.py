"""PyTorch's build for Intel GPUs finds no device.

Detects:      an XPU build of PyTorch that lists no device: no Intel GPU, no kernel driver, or no Level Zero runtime.
Why it bites: the build falls back to nothing; "xpu" devices cannot be used.
Blind spots:  OpenVINO and ONNX Runtime name their Intel devices differently and are judged elsewhere.
Knowledge:    resources/knowledge/gpu/gpu_architectures.toml (Intel platforms that PyTorch names)
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name, ran_on
from checks.causes.registry import check
from checks.facts import Gpu, Gpus, IntelFacts, LibraryFile, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.facts.phrase import Phrase
from checks.knowledge.gpu.gpu_architectures import GpuArchitectures, intel_platform
from checks.knowledge.phrases import phrase


@check("xpu-unavailable", from_whole=True)
def xpu_unavailable(torch: TorchFacts, gpus: Gpus | None, intel: IntelFacts | None) -> Iterator[Finding]:
    """One finding for the interpreter."""
    if torch.build is None:
        raise Unread("torch_build", torch.unread.get("build", ""))
    if torch.build != "xpu":
        raise NotHere("xpu_build", "not-installed")
    if ran_on(torch, "xpu"):
        return
    if torch.xpu_available is None:
        raise Unread("xpu_available", torch.unread.get("xpu_available", ""))
    if torch.xpu_available:
        return
    cards = gpus.intel if gpus else ()
    loader = intel.level_zero if intel else None
    libraries = ", ".join(library.path for library in loader or ())
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.9,
        evidence=(
            Evidence("torch_version", torch.version or NONE, torch.origin),
            Evidence("intel_gpu", ", ".join(gpu_name(gpu) for gpu in cards) or NONE, gpus.origin if gpus else ""),
            Evidence("kernel_driver", ", ".join(gpu.driver for gpu in cards if gpu.driver) or NONE, "sysfs"),
            Evidence("level_zero", libraries or NONE, intel.origin if intel else ""),
            Evidence("intel_platform", _platforms(cards), GpuArchitectures.read().title),
        ),
        values={"state": _state(cards, loader)},
        remedies=("install-intel-gpu-runtime",) if cards else ("install-cpu-torch",),
    )


def _state(cards: tuple[Gpu, ...], loader: tuple[LibraryFile, ...] | None) -> Phrase:
    if not cards:
        return phrase("xpu-no-card")
    has_gpu_part = loader is None or any("intel_gpu" in library.path for library in loader)
    key = "xpu-no-answer" if has_gpu_part else "xpu-no-runtime"
    return phrase(key, gpu=", ".join(gpu_name(gpu) for gpu in cards))


def _platforms(cards: tuple[Gpu, ...]) -> str:
    names = [row.platform for gpu in cards if (row := intel_platform(gpu.device_id or ""))]
    return ", ".join(names) or NONE

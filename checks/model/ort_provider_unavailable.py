"""ONNX Runtime offers an execution provider that does not start, so models run on the processor.

Detects:      a provider that was listed and, when a model of one node was run on it, failed or was dropped.
Why it bites: ONNX Runtime warns and goes on with the next provider: the results come, only slowly.
Blind spots:  a provider that is not listed at all is a CPU-only build or a conflict of packages; TensorRT's provider is
              always listed and only judged where TensorRT is installed.
Knowledge:    resources/knowledge/onnxruntime.toml
"""

from collections.abc import Iterator

from checks.facts import Frameworks, InterpreterFacts, MachineFacts, OnnxRuntimeFacts
from checks.finding import Evidence, Finding, Severity, Unread
from checks.gpu.cuda import cuda_gpus, cuda_works
from checks.packages.fitting_build import ORT_EXTRAS, onnxruntime_values
from checks.registry import check
from checks.versions import major_number, release

CAUSE = "ort-provider-unavailable"
CLUE_SHOWN = 300  # characters of an error that a finding quotes


@check(CAUSE)
def ort_provider_unavailable(
    onnxruntime: OnnxRuntimeFacts,
    frameworks: Frameworks,
    machine: MachineFacts | None,
    interpreter: InterpreterFacts | None,
) -> Iterator[Finding]:
    """One finding per provider."""
    if onnxruntime.providers is None:
        raise Unread("ort_providers", onnxruntime.unread.get("providers", ""))
    for provider in onnxruntime.providers:
        if provider.started is not False or not _is_expected(provider.name, frameworks, machine):
            continue
        torch = frameworks.torch
        cuda = major_number(torch.cuda_version) if torch and torch.cuda_version else None
        is_cuda = provider.name == "CUDAExecutionProvider"
        yield Finding(
            cause=CAUSE,
            severity=Severity.WARNING,
            confidence=0.9,
            subject=provider.name,
            evidence=(
                Evidence("framework", f"onnxruntime {onnxruntime.version or ''}".strip(), onnxruntime.origin),
                Evidence("ort_provider", provider.name, onnxruntime.origin),
                *((Evidence("clue", _telling_line(provider.error), onnxruntime.origin),) if provider.error else ()),
            ),
            values=onnxruntime_values(machine, interpreter, cuda_major=cuda) if is_cuda else {},
            remedies=_remedies(provider.name, onnxruntime.version or ""),
        )


def _remedies(provider: str, version: str) -> tuple[str, ...]:
    if provider != "CUDAExecutionProvider":
        return ("reinstall-onnxruntime-provider",)
    can_preload = release(version) >= ORT_EXTRAS
    return (("preload-onnxruntime-libraries",) if can_preload else ()) + (
        "install-onnxruntime-flavour",
        "reinstall-onnxruntime-provider",
    )


def _is_expected(provider: str, frameworks: Frameworks, machine: MachineFacts | None) -> bool:
    """Whether the device that a provider needs is here, so that it should have started."""
    if machine is None:
        return False
    name = provider.lower()
    if name.startswith("cuda"):
        return bool(cuda_gpus(machine)) and cuda_works(machine) is not False
    if "tensorrt" in name:
        return bool(cuda_gpus(machine)) and cuda_works(machine) is not False and frameworks.tensorrt is not None
    if name.startswith(("rocm", "migraphx")):
        return bool(machine.gpus and machine.gpus.amd)
    if name.startswith("dml"):
        return bool(machine.os and machine.os.system == "Windows" and machine.gpus and machine.gpus.devices)
    if name.startswith("coreml"):
        return bool(machine.os and machine.os.system == "Darwin")
    return name.startswith("openvino")


def _telling_line(error: str) -> str:
    """The first line that says what went wrong, shortened; the rest is the runtime's own trace."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    telling = next((line for line in lines if "rror" in line or "ailed" in line), lines[0] if lines else "")
    return telling[:CLUE_SHOWN]

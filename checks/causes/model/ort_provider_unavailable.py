"""ONNX Runtime offers an execution provider that does not start, or that ends the program with the user's model.

Detects:      a provider that was listed and, when a model of one node was run on it, failed or was dropped; one on
              which a model that was given ended the process.
Why it bites: ONNX Runtime warns and goes on with the next provider: the results come, only slowly. Of a crash there is
              no warning at all.
Blind spots:  a provider that is not listed at all is a CPU-only build or a conflict of packages; TensorRT's provider is
              always listed and only judged where TensorRT is installed.
Knowledge:    resources/knowledge/frameworks/onnxruntime.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus, cuda_works
from checks.analysis.models.repeats import name_of
from checks.analysis.models.runs import telling_line
from checks.analysis.packages.fitting_build import ORT_EXTRAS, onnxruntime_values
from checks.causes.registry import check
from checks.facts import (
    Frameworks,
    InterpreterFacts,
    MachineFacts,
    Measurements,
    ModelFiles,
    ModelMeasured,
    OnnxRuntimeFacts,
)
from checks.facts.finding import Evidence, Finding, Severity, Unread
from checks.facts.quotation import quotation
from checks.facts.versions import major_number, release
from checks.knowledge.phrases import phrase

CRASHED = "crashed"


@check("ort-provider-unavailable")
def ort_provider_unavailable(
    onnxruntime: OnnxRuntimeFacts,
    frameworks: Frameworks,
    machine: MachineFacts | None,
    interpreter: InterpreterFacts | None,
    models: ModelFiles | None = None,
    measurements: Measurements | None = None,
) -> Iterator[Finding]:
    """One finding per provider."""
    if onnxruntime.providers is None:
        raise Unread("ort_providers", onnxruntime.unread.get("providers", ""))
    ended = dict(_ended(models, measurements))
    for provider in onnxruntime.providers:
        if (
            provider.started is not False
            and provider.name in ended
            and _is_expected(provider.name, frameworks, machine)
        ):
            yield _crash(provider.name, onnxruntime, *ended[provider.name])
        if provider.started is not False or not _is_expected(provider.name, frameworks, machine):
            continue
        torch = frameworks.torch
        cuda = major_number(torch.cuda_version) if torch and torch.cuda_version else None
        is_cuda = provider.name == "CUDAExecutionProvider"
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.9,
            subject=provider.name,
            evidence=(
                Evidence("framework", f"onnxruntime {onnxruntime.version or ''}".strip(), onnxruntime.origin),
                Evidence("ort_provider", provider.name, onnxruntime.origin),
                *((Evidence("clue", _telling_line(provider.error), onnxruntime.origin),) if provider.error else ()),
            ),
            values={
                "happened": phrase("provider-failed"),
                **(onnxruntime_values(machine, interpreter, cuda_major=cuda) if is_cuda else {}),
            },
            remedies=_remedies(provider.name, onnxruntime.version or ""),
        )


def _ended(models: ModelFiles | None, measurements: Measurements | None) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """(Provider, (the model on which it ended the process, how, where that is from))."""
    for measured in measurements.all if measurements else ():
        if isinstance(measured, ModelMeasured) and measured.framework == "onnxruntime" and measured.reason == CRASHED:
            yield measured.device, (name_of(measured), telling_line(measured), measured.origin)
    for model in models.files if models else ():
        for run in model.runs:
            if run.runtime == "onnxruntime" and run.reason == CRASHED:
                yield run.setting, (model.name, telling_line(run), run.origin)


def _crash(provider: str, onnxruntime: OnnxRuntimeFacts, model: str, how: str, origin: str) -> Finding:
    return Finding(
        severity=Severity.WARNING,
        confidence=0.95,
        subject=provider,
        evidence=(
            Evidence("framework", f"onnxruntime {onnxruntime.version or ''}".strip(), onnxruntime.origin),
            Evidence("ort_provider", provider, onnxruntime.origin),
            *((Evidence("clue", quotation(how), origin),) if how else ()),
        ),
        values={"happened": phrase("provider-crashed", model=model)},
        remedies=("update-onnxruntime", "reinstall-onnxruntime-provider"),
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
    return quotation(telling)

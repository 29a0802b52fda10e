"""TensorRT does not serve the GPU: it has dropped it, or does not yet know it.

Detects:      a TensorRT whose range of compute capabilities leaves out every NVIDIA GPU here.
Why it bites: the builder stops with "Target GPU SM ... is not supported by this TensorRT release" or "Unsupported SM".
Blind spots:  within one generation the newest minor number is not checked; TensorRT-RTX has a range of its own.
Knowledge:    resources/knowledge/frameworks/tensorrt.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import CudaGpu, cuda_gpus, is_jetson, names
from checks.causes.registry import check
from checks.facts import InterpreterFacts, MachineFacts, TensorRtFacts
from checks.facts.finding import Evidence, Finding, NotInTable, Severity, Unread
from checks.knowledge.frameworks.tensorrt import (
    TensorRtRelease,
    TensorRtTable,
    fitting_tensorrt,
    serves,
    tensorrt_release,
)


@check("trt-gpu-unsupported")
def trt_gpu_unsupported(
    tensorrt: TensorRtFacts, machine: MachineFacts, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per kind of GPU that is not served."""
    gpus = cuda_gpus(machine)
    is_rtx = interpreter is not None and interpreter.package("tensorrt-rtx") is not None
    if not gpus or is_jetson(machine) or is_rtx or not tensorrt.version:
        return  # on a Jetson TensorRT comes with the system, made for its chip
    if tensorrt.builder is not None and tensorrt.builder.ran and len(gpus) == 1:
        return
    if any(gpu.capability is None for gpu in gpus):
        raise Unread("compute_capability", names(gpus))
    row = tensorrt_release(tensorrt.version)
    if row is None:
        raise NotInTable(TensorRtTable.read().title, f"TensorRT {tensorrt.version}")
    unserved = [gpu for gpu in gpus if not serves(row, gpu.capability or "")]
    for gpu in unserved:
        yield _finding(gpu, tensorrt, row, is_only_one=len(unserved) == len(gpus))


def _finding(gpu: CudaGpu, tensorrt: TensorRtFacts, row: TensorRtRelease, *, is_only_one: bool) -> Finding:
    fit = fitting_tensorrt(gpu.capability or "")
    return Finding(
        severity=Severity.BLOCKING if is_only_one else Severity.WARNING,
        confidence=0.9,
        subject=gpu.name,
        evidence=(
            Evidence("tensorrt_version", tensorrt.version or "", tensorrt.origin),
            Evidence("gpu", gpu.name, gpu.origin),
            Evidence("compute_capability", gpu.capability or "", gpu.origin),
            Evidence(
                "tensorrt_range", f"{row.oldest} – {row.newest or ''}".strip(), TensorRtTable.read().title, row.source
            ),
        ),
        values={"tensorrt_fit": fit.version} if fit else {},
    )

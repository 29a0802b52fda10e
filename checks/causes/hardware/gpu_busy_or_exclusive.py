"""The compute mode of the GPU, or a program that holds it, keeps others out.

Detects:      compute mode "prohibited"; an exclusive mode while a program holds the GPU; CUDA error 46, also where it
              turns away only a second process of this examination.
Why it bites: the driver lets in nobody, or one program at a time: "CUDA-capable device(s) is/are busy or unavailable".
Blind spots:  a program that has ended by now; an MPS service (through which programs share an exclusive GPU) whose
              name cannot be read.
Knowledge:    resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, SeenCudaError, cuda_computes, error_name, first_line, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import Frameworks, Measurement, Measurements, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

CAUSE = "gpu-busy-or-exclusive"

_REFUSED = "device-busy"  # the reason of a measurement that needs a second process
_MPS = "nvidia-cuda-mps-server"  # docs.nvidia.com/deploy/mps


@check(CAUSE)
def gpu_busy_or_exclusive(
    nvidia: NvidiaFacts, frameworks: Frameworks | None, measurements: Measurements | None
) -> Iterator[Finding]:
    """One finding per GPU that keeps others out; one for the machine where only the error tells."""
    error = next((error for error in seen_cuda_errors(frameworks) if error.error.cause == CAUSE), None)
    is_computing = cuda_computes(frameworks)
    closed = [gpu for gpu in nvidia.devices or () if _is_closed(gpu, is_computing=is_computing)]
    # A GPU that is reserved on purpose blocks no program while another one is open.
    has_way_out = is_computing or (error is None and len(closed) < len(nvidia.devices or ()))
    for gpu in closed:
        yield _finding(gpu, error, Severity.WARNING if has_way_out else Severity.BLOCKING, 0.9)
    exclusive = next((gpu for gpu in nvidia.devices or () if gpu.compute_mode not in (None, "default")), None)
    first = next(iter(nvidia.devices or ()), NvidiaGpu(index=0))
    if error is not None and not closed:
        yield _finding(exclusive or first, error, Severity.BLOCKING, 0.8)
    refused = next((run for run in measurements.all if run.reason == _REFUSED), None) if measurements else None
    if refused is not None and error is None and not closed:
        yield _of_a_second_process(exclusive or first, refused)


def _is_closed(gpu: NvidiaGpu, *, is_computing: bool) -> bool:
    if gpu.compute_mode == "prohibited":
        return True
    holders = gpu.processes or ()
    if any(_MPS in (holder.name or "") for holder in holders):  # it holds the GPU to let many programs in
        return False
    # A desktop's programs hold the GPU too, but keep no other out: a computation that ran shows this.
    return not is_computing and (gpu.compute_mode or "").startswith("exclusive") and bool(holders)


def _finding(gpu: NvidiaGpu, error: SeenCudaError | None, severity: Severity, confidence: float) -> Finding:
    holders = ", ".join(
        f"{process.name} ({process.pid})" if process.name else f"PID {process.pid}"
        for process in (gpu.processes or ())[:5]
    )
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=gpu.uuid or str(gpu.index),
        evidence=(
            Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
            Evidence("compute_mode", gpu.compute_mode or NONE, gpu.origin),
            Evidence("gpu_processes", holders or NONE, gpu.origin),
            Evidence("cuda_error", first_line(error.message) if error else NONE, error.fact.origin if error else ""),
        ),
        values={"gpu_index": str(gpu.index), "state": _state(gpu, error, holders)},
        remedies=() if gpu.compute_mode not in (None, "default") else ("free-gpu-memory", "restart-computer"),
    )


def _of_a_second_process(gpu: NvidiaGpu, refused: Measurement) -> Finding:
    """The GPU computes, but for one process at a time: what needs another one was left out."""
    message = first_line(refused.error.message) if refused.error else NONE
    return Finding(
        severity=Severity.NOTE,
        confidence=0.9,
        subject=gpu.uuid or str(gpu.index),
        evidence=(
            Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
            Evidence("compute_mode", gpu.compute_mode or NONE, gpu.origin),
            Evidence("cuda_error", message, refused.origin),
        ),
        values={"gpu_index": str(gpu.index), "state": phrase("busy-second", mode=gpu.compute_mode or NONE)},
        remedies=() if gpu.compute_mode not in (None, "default") else ("free-gpu-memory", "restart-computer"),
    )


def _state(gpu: NvidiaGpu, error: SeenCudaError | None, holders: str) -> Phrase:
    mode = gpu.compute_mode or NONE
    if mode == "prohibited":
        return phrase("busy-prohibited")
    if holders and mode.startswith("exclusive"):
        return phrase("busy-exclusive", mode=mode, holders=holders)
    return phrase("busy-error", error=error_name(error.error) if error else NONE)

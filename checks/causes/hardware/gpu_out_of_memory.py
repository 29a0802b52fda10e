"""Hardly any memory of the GPU is free.

Detects:      an NVIDIA GPU of which less than a tenth, and less than 4 GiB, is free; a first small computation that
              already ended for want of memory.
Why it bites: the next model does not fit: "CUDA out of memory", or on Windows a program many times slower.
Blind spots:  how much the user's model needs is not known here; a job of one's own that is running looks the same.
Knowledge:    resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, first_line, gib, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import Frameworks, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Evidence, Finding, Severity

CAUSE = "gpu-out-of-memory"

# Below these a GPU counts as full. Little on a large card still holds a small model, hence both.
_FREE_SHARE = 0.1
_FREE_BYTES = 4 * 2**30


@check(CAUSE)
def gpu_out_of_memory(nvidia: NvidiaFacts, frameworks: Frameworks | None) -> Iterator[Finding]:
    """One finding per GPU that is full; one for the machine where only the error tells."""
    error = next((error for error in seen_cuda_errors(frameworks) if error.error.cause == CAUSE), None)
    full = [gpu for gpu in nvidia.devices or () if _is_full(gpu)]
    for gpu in full:
        yield Finding(
            severity=Severity.BLOCKING if error else Severity.WARNING,
            confidence=0.9 if error else 0.7,
            subject=gpu.uuid or str(gpu.index),
            evidence=(
                Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
                Evidence("memory_free", gib(gpu.memory_free or 0), gpu.origin),
                Evidence("memory_total", gib(gpu.memory_total or 0), gpu.origin),
                Evidence("gpu_processes", ", ".join(_processes(gpu)) or NONE, gpu.origin),
                *((Evidence("cuda_error", first_line(error.message), error.fact.origin),) if error else ()),
            ),
            values={"gpu_processes": tuple(_processes(gpu))},
        )
    if error is not None and not full:
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.8,
            evidence=(
                Evidence(
                    "gpu",
                    ", ".join(gpu.name or f"GPU {gpu.index}" for gpu in nvidia.devices or ()) or NONE,
                    nvidia.origin,
                ),
                Evidence("memory_free", _known(gpu.memory_free for gpu in nvidia.devices or ()), nvidia.origin),
                Evidence("memory_total", _known(gpu.memory_total for gpu in nvidia.devices or ()), nvidia.origin),
                Evidence("gpu_processes", NONE, nvidia.origin),
                Evidence("cuda_error", first_line(error.message), error.fact.origin),
            ),
            values={"gpu_processes": ()},
        )


def _is_full(gpu: NvidiaGpu) -> bool:
    if not gpu.memory_total or gpu.memory_free is None or gpu.mig_enabled:  # with MIG each instance has its own
        return False
    return gpu.memory_free < min(gpu.memory_total * _FREE_SHARE, _FREE_BYTES)


def _processes(gpu: NvidiaGpu) -> list[str]:
    """The processes that hold the memory, the largest first: "python 21.3 GiB (4711)"."""
    held = sorted(gpu.processes or (), key=lambda process: -(process.used_memory or 0))
    return [
        f"{holder.name or 'PID'}{'' if holder.used_memory is None else ' ' + gib(holder.used_memory)} ({holder.pid})"
        for holder in held[:5]
    ]


def _known(sizes: Iterator[int | None]) -> str:
    return ", ".join(gib(size) for size in sizes if size is not None) or NONE

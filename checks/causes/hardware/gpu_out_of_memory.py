"""The memory of the GPU does not suffice, or hardly any of it is free.

Detects:      a program, or a text, that tells how much it asked for, with the figures that show who holds the rest; an
              NVIDIA GPU of which less than a tenth, and less than 4 GiB, is free; a first small computation that ended
              for want of memory.
Why it bites: the model does not fit: "CUDA out of memory", or on Windows a program many times slower.
Blind spots:  what a program would need in all; a job of one's own that is running looks like another's.
Knowledge:    resources/knowledge/gpu/memory_errors.toml, resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterable, Iterator, Sequence

from checks.analysis.failures.of_runs import failures
from checks.analysis.gpu.shortage import Why, why_short
from checks.analysis.gpu.state import NONE, SeenCudaError, first_line, gib, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import Facts, GpuProcess, NvidiaFacts, NvidiaGpu, ProgramRun
from checks.facts.finding import CLUE, FAILED_RUN, FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.knowledge.gpu.memory_errors import Shortage, shortage_in
from checks.knowledge.phrases import phrase

CAUSE = "gpu-out-of-memory"

# Below these a GPU counts as full. Little on a large card still holds a small model, hence both.
_FREE_SHARE = 0.1
_FREE_BYTES = 4 * 2**30
SHOWN = 300  # characters of a line that a finding quotes
MOST = 5  # processes that are named
_REMEDIES = {
    Why.MORE: ("use-less-gpu-memory",),
    Why.OTHERS: ("free-gpu-memory", "use-less-gpu-memory"),
    Why.PIECES: ("let-memory-grow-in-segments", "use-less-gpu-memory"),
    Why.NEIGHBOUR: ("leave-memory-to-other-frameworks", "use-less-gpu-memory"),
    Why.OWN: ("use-less-gpu-memory",),
    Why.UNKNOWN: ("use-less-gpu-memory", "free-gpu-memory"),
}


@check(CAUSE)
def gpu_out_of_memory(facts: Facts) -> Iterator[Finding]:
    """One finding per program or text that tells of it; else per GPU that is full, or for the machine by an error."""
    nvidia = facts.machine.nvidia if facts.machine else None
    told = list(_told(facts, nvidia))
    if told:
        yield from told
        return
    if nvidia is None:
        raise NotHere("nvidia_gpu")
    error = next((error for error in seen_cuda_errors(facts.frameworks) if error.error.cause == CAUSE), None)
    full = [gpu for gpu in nvidia.devices or () if _is_full(gpu)]
    for gpu in full:
        severity = Severity.BLOCKING if error else Severity.WARNING
        yield _by_driver((gpu,), severity, 0.9 if error else 0.7, error, subject=gpu.uuid or str(gpu.index))
    if error is not None and not full:
        yield _by_driver(nvidia.devices or (), Severity.BLOCKING, 0.8, error)


def _told(facts: Facts, nvidia: NvidiaFacts | None) -> Iterator[Finding]:
    """What programs that failed, or texts that were given, say with figures; each reason once."""
    seen = set()
    for failure in failures(facts.program_runs):
        raised = "\n".join(f"{one.type}: {one.message}" for one in failure.raised)
        shortage = shortage_in(raised) or shortage_in(f"{failure.run.errors}\n{failure.run.output}")
        if shortage is not None and failure.run.label not in seen:
            seen.add(failure.run.label)
            yield _by_text(shortage, failure.run, failure.run.origin, nvidia)
    for log in facts.logs if not seen else ():
        shortage = shortage_in(log.text or "")
        if shortage is not None:
            yield _by_text(shortage, None, log.name, nvidia)
            return


def _by_text(shortage: Shortage, run: ProgramRun | None, origin: str, nvidia: NvidiaFacts | None) -> Finding:
    cards = (nvidia.devices if nvidia else None) or ()
    gpu = cards[0] if len(cards) == 1 else None  # of several nobody knows which one is meant
    mine = set(run.gpu_processes) if run else set()
    others = [process for process in (gpu.processes or () if gpu else ()) if process.pid not in mine]
    is_seen = run is not None and gpu is not None and gpu.processes is not None  # a text may be of any day
    held = sum(process.used_memory or 0 for process in others) if is_seen else None
    reason = why_short(shortage, gpu.memory_total if gpu else None, held)
    total = shortage.total or (gpu.memory_total if gpu else None)
    sizes = {
        "asked": shortage.asked,
        "memory_total": total,
        "memory_free": shortage.free,
        "own": shortage.own,
        "allocated": shortage.allocated,
        "kept": shortage.kept,
        "others": shortage.others if shortage.others is not None else held,
    }
    shown = {name: _size(size) for name, size in sizes.items() if size is not None}
    names = tuple(_holders(others))
    state = "memory-others-unnamed" if reason is Why.OTHERS and not names else reason.value
    known = {"own": NONE, "others": NONE, "kept": NONE, "allocated": NONE, "memory_total": NONE, **shown}
    loaded = {module.name for python in run.pythons for module in python.modules} if run else set()
    neighbour = next((name for name in ("jax", "tensorflow") if name in loaded and reason is Why.NEIGHBOUR), "")
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.9 if reason is Why.UNKNOWN else 0.97,
        subject=run.label if run else "",
        # Of a text its own lines are shown, with their numbers.
        evidence=(
            *((Evidence("gpu", gpu.name, gpu.origin),) if gpu and gpu.name else ()),
            *(Evidence(name, size, origin) for name, size in shown.items()),
            Evidence(CLUE, shortage.line[:SHOWN], origin),
        )
        if run
        else (),
        values={
            "gpu": gpu.name if gpu and gpu.name else phrase("the-gpu"),
            "state": phrase(state, **known, gpu_processes=", ".join(names) or NONE, framework=shortage.framework),
            **({FAILED_RUN: run.label} if run else {}),
            **({FRAMEWORK: neighbour} if neighbour else {}),
        },
        remedies=_REMEDIES[reason],
    )


def _by_driver(
    gpus: Sequence[NvidiaGpu], severity: Severity, confidence: float, error: SeenCudaError | None, subject: str = ""
) -> Finding:
    """What the driver counts."""
    holders = tuple(holder for gpu in gpus if subject for holder in _holders(gpu.processes or ()))
    name = ", ".join(gpu.name or f"GPU {gpu.index}" for gpu in gpus) or NONE
    free, total = (_known(sizes) for sizes in ((g.memory_free for g in gpus), (g.memory_total for g in gpus)))
    origin = gpus[0].origin if gpus else ""
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=subject,
        evidence=(
            Evidence("gpu", name, origin),
            Evidence("memory_free", free, origin),
            Evidence("memory_total", total, origin),
            Evidence("gpu_processes", ", ".join(holders) or NONE, origin),
            *((Evidence("cuda_error", first_line(error.message), error.fact.origin),) if error else ()),
        ),
        values={
            "gpu_processes": holders,
            "state": phrase(
                "memory-full", gpu=name, memory_free=free, memory_total=total, gpu_processes=", ".join(holders) or NONE
            ),
        },
    )


def _is_full(gpu: NvidiaGpu) -> bool:
    if not gpu.memory_total or gpu.memory_free is None or gpu.mig_enabled:  # with MIG each instance has its own
        return False
    return gpu.memory_free < min(gpu.memory_total * _FREE_SHARE, _FREE_BYTES)


def _holders(processes: Iterable[GpuProcess]) -> Iterator[str]:
    """The processes that hold the memory, the largest first: "python 21.3 GiB (4711)"."""
    for holder in sorted(processes, key=lambda process: -(process.used_memory or 0))[:MOST]:
        size = "" if holder.used_memory is None else " " + gib(holder.used_memory)
        yield f"{holder.name or 'PID'}{size} ({holder.pid})"


def _size(size: int) -> str:
    return gib(size) if size >= 1 << 30 or not size else f"{size / (1 << 20):.0f} MiB"


def _known(sizes: Iterator[int | None]) -> str:
    return ", ".join(gib(size) for size in sizes if size is not None) or NONE

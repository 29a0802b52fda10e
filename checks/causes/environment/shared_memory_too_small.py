"""The shared memory (/dev/shm) is too small for a data loader's workers, or for GPUs that talk through it.

Detects:      on Linux with PyTorch, less free shared memory than a few batches need: the 64 MiB that containers get by
              default, a full /dev/shm, or none at all.
Why it bites: workers hand over their batches there; when it is full, the system ends them with a bus error.
Blind spots:  a program without worker processes and with one GPU does not need it.
Knowledge:    resources/knowledge/packages/shared_memory.toml
"""

from collections.abc import Iterator

from checks.causes.registry import check
from checks.facts import InterpreterFacts, MemoryFacts, OsFacts, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread, only_on
from checks.knowledge.packages.shared_memory import SharedMemory

MIB = 1024 * 1024


@check("shared-memory-too-small")
def shared_memory_too_small(
    os: OsFacts, memory: MemoryFacts, interpreter: InterpreterFacts, torch: TorchFacts | None
) -> Iterator[Finding]:
    """At most one finding for the machine."""
    only_on("Linux", os)
    if torch is None:
        if interpreter.packages is None:
            raise Unread("packages", interpreter.unread.get("packages", ""))
        if interpreter.package("torch") is None:
            return
    if memory.shm_total is None:
        raise Unread("shm_total", memory.unread.get("shm_total", ""))
    free = memory.shm_total if memory.shm_free is None else memory.shm_free
    if free < SharedMemory.read().tight:
        # A size that is exactly a container runtime's default tells where it comes from.
        default = next((row.source for row in SharedMemory.read().default if row.size == memory.shm_total), "")
        yield Finding(
            severity=Severity.WARNING,
            confidence=0.6,
            evidence=(
                Evidence("shm_total", f"{memory.shm_total / MIB:.0f} MiB", memory.origin),
                Evidence("shm_free", f"{free / MIB:.0f} MiB", memory.origin),
                Evidence(
                    "shm_tight",
                    f"{SharedMemory.read().tight / MIB:.0f} MiB",
                    SharedMemory.read().title,
                    default or SharedMemory.read().source,
                ),
            ),
        )

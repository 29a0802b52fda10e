"""The main memory is too small for what the user's program wants to hold.

Detects:      a program that the system's out-of-memory killer ended (its counters, seen before and after), one that was
              killed while it held nearly all that there is, and allocations that were refused.
Why it bites: the system ends the program without a word, or refuses memory with an error in the middle of a library.
Blind spots:  who ends a program from outside is told by no signal: where nobody counted it stays a question. A low
              limit of the process is process-limit-too-low, Windows' page file windows-page-file-too-small.
Knowledge:    resources/knowledge/errors/import_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.failures.limits import is_low
from checks.analysis.failures.memory import Shortage, is_limited, most, shortage
from checks.analysis.failures.of_runs import Failure, failures
from checks.analysis.gpu.state import gib
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, MemoryFacts, OsFacts, ProgramRuns
from checks.facts.finding import FAILED_RUN, Evidence, Finding, Severity
from checks.facts.phrase import Value
from checks.facts.quotation import quotation
from checks.knowledge.phrases import phrase

SURE = 0.5  # below, it is a warning with a question
_LESS, _LIMIT, _SWAP, _PAGES, _WHO = (
    "use-less-main-memory", "raise-memory-limit", "add-swap-space", "enlarge-page-file", "see-what-ended-program",
)  # fmt: skip


@check("main-memory-too-small")
def main_memory_too_small(
    runs: ProgramRuns | None,
    memory: MemoryFacts | None,
    environment: EnvironmentVariables | None,
    os: OsFacts | None,
) -> Iterator[Finding]:
    """One finding per failed program."""
    limits = (environment.limits or {}) if environment else {}
    for failure in failures(runs):
        found = shortage(failure, memory)
        if found is not None and not (found.kind == "refused" and _is_limit(found, memory, limits)):
            yield _finding(failure, found, memory, os)


def _is_limit(found: Shortage, memory: MemoryFacts | None, limits: dict[str, int]) -> bool:
    """Whether a limit of the process refused it, and not the machine, which could have given it."""
    could = not (found.asked and found.asked > (most(memory) or found.asked))
    return could and (is_low("address_space", limits) or is_low("data", limits))


def _finding(failure: Failure, found: Shortage, memory: MemoryFacts | None, os: OsFacts | None) -> Finding:
    run, whole = failure.run, most(memory)
    is_sure = found.confidence >= SURE
    origin = memory.origin if memory else ""
    seen: dict[str, Value] = {
        name: gib(size)
        for name, size in (
            ("main_memory", whole),
            ("main_memory_peak", run.peak_memory),
            ("main_memory_asked", found.asked),
        )
        if size
    }
    origins = {"main_memory": origin}
    return Finding(
        severity=Severity.BLOCKING if is_sure and not run.is_unasked else Severity.WARNING,
        confidence=found.confidence,
        subject=failure.program,
        evidence=(
            *(Evidence(name, str(size), origins.get(name, failure.origin)) for name, size in seen.items()),
            *((Evidence("program_signal", run.signal, failure.origin),) if run.signal else ()),
            *(
                (Evidence("oom_kills", str(run.oom_kills), "memory.events, memory.oom_control, /proc/vmstat"),)
                if run.oom_kills
                else ()
            ),
            *((Evidence("clue", quotation(found.clue), failure.origin, found.source),) if found.clue else ()),
        ),
        values={
            "program_name": failure.program,
            "shortage": phrase(f"shortage-{found.kind}"),
            "memory_told": _told(seen, is_limited(memory)),
            FAILED_RUN: run.label,
        },
        remedies=_remedies(is_sure, is_limited(memory), os),
    )


def _told(seen: dict[str, Value], limited: bool) -> Value:
    """The sizes in one sentence, as far as they are known."""
    if "main_memory" not in seen:
        return phrase("memory-told-nothing")
    kind = "limit" if limited else "total"
    behind = "-asked" if "main_memory_asked" in seen else "-peak" if "main_memory_peak" in seen else ""
    return phrase(f"memory-told-{kind}{behind}", **seen)


def _remedies(is_sure: bool, limited: bool, os: OsFacts | None) -> tuple[str, ...]:
    more = _PAGES if os and os.system == "Windows" else _LIMIT if limited else _SWAP
    return (_LESS, more) if is_sure else (_WHO, _LESS, more)

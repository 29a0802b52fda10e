"""Results differ in the last digits with the number of threads.

Detects:      operations whose results on the processor have different bits with another number of threads, within what
              rounding order allows. Each number alone was found to repeat.
Why it bites: a machine with more cores, or a limit on them, gives different digits, and with them different decisions.
Blind spots:  only the operations and shapes that were measured; libraries with threads of their own (data frames,
              trees) are not. A short measurement tries few numbers of threads.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator

import msgspec

from checks.analysis.models.repeats import rounding_by_order
from checks.causes.registry import check
from checks.facts import Facts, Measurements, OtherMachine, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding


@check("thread-count-rounding")
def thread_count_rounding(
    measurements: Measurements, symptom: Symptom | None, facts: Facts | None = None
) -> Iterator[Finding]:
    """One finding per framework, and per model of the user."""
    for finding in rounding_by_order(measurements, symptom, "threads", lambda setting: setting.startswith("threads-")):
        values, machines = _to_set(facts, finding.named(FRAMEWORK) or "torch") if facts else ({}, ())
        yield msgspec.structs.replace(
            finding, evidence=(*finding.evidence, *machines), values={**finding.values, **values}
        )


def _to_set(facts: Facts, framework: str) -> tuple[dict[str, str], tuple[Evidence, ...]]:
    """The number that every machine can be set to, the smallest; and what each has, where there are several."""
    sides: tuple[Facts | OtherMachine, ...] = (facts, *facts.others)
    named = ((f" ({side.name})" if side.name else "", _threads(side, framework)) for side in sides)
    counts = [(name, count) for name, count in named if count]
    if not counts:
        return {}, ()
    numbers = " / ".join(f"{count}{name}" for name, count in counts)
    smallest = str(min(count for _, count in counts))
    return {"threads": smallest}, (Evidence("threads_of_machines", numbers),) if len(counts) > 1 else ()


def _threads(side: Facts | OtherMachine, framework: str) -> int | None:
    """PyTorch tells its number; the others take as many as there are processors."""
    if framework == "torch":
        torch = side.frameworks.torch if side.frameworks else None
        return torch.threads if torch else None
    cpu = side.machine.cpu if side.machine else None
    return cpu.logical_cores if cpu else None

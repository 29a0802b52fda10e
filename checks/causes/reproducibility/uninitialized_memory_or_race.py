"""An operation computes something else now and then, which no order of adding explains.

Detects:      an operation that was repeated here with the same inputs and gave results that rounding cannot have made:
              with whole numbers that any order adds up to the same, with NaN among them, or too far apart; while the
              other operations of the device repeat.
Why it bites: a result is wrong at random, and looks cured when it is slowed down or observed.
Blind spots:  which of the two it is, memory that was never written or work that does not wait, is not told apart. A
              device that computes wrongly only in this operation looks the same, and so does one whose wrong results
              did not come again. Where several operations or plain arithmetic go wrong again in a new process, the
              device is suspected instead.
Knowledge:    resources/knowledge/frameworks/determinism.toml, computations.toml
"""

from collections.abc import Iterator

from checks.analysis.numbers.repeats import (
    EXACT,
    FRESH,
    Repeated,
    Variation,
    by_device,
    is_device,
    repeated,
    versions_of,
)
from checks.causes.registry import check
from checks.facts import Frameworks, Measurements, Repeat
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.knowledge.phrases import operation_phrase, phrase

_SURE, _LIKELY = 0.8, 0.6  # with whole numbers, and by size alone


@check("uninitialized-memory-or-race")
def uninitialized_memory_or_race(measurements: Measurements, frameworks: Frameworks | None) -> Iterator[Finding]:
    """One finding per operation and device."""
    found = repeated(measurements.all, versions_of(frameworks))
    if not any(result.default for result in found):
        raise NotHere("repeats", "not-measured")
    for _, device, operations in by_device(found):
        if is_device(operations):
            continue
        for operation in operations:
            if operation.default is not None and operation.variation is Variation.WRONG:
                yield _finding(operation, operation.default, device)


def _finding(repeated: Repeated, run: Repeat, device: str) -> Finding:
    exact, spread = repeated.measured(EXACT), run.spread
    evidence = [Evidence("varying_operation", f"{repeated.operation}: {run.distinct} / {run.repetitions}", run.origin)]
    if exact is not None:
        evidence.append(Evidence("exact_inputs", f"{exact.distinct} / {exact.repetitions}", exact.origin))
    if spread is not None and spread.max_abs is not None:
        evidence.append(Evidence("largest_difference", f"{spread.max_abs:.3g} / {spread.scale or 0.0:.3g}", run.origin))
    if spread is not None and spread.nan:
        evidence.append(Evidence("nan_on_one_side", str(spread.nan), run.origin))
    again = repeated.measured(FRESH)
    if again is not None:
        evidence.append(Evidence("varying_again", f"{again.distinct} / {again.repetitions}", again.origin))
    if repeated.mended_by:
        evidence.append(Evidence("mended_by", ", ".join(repeated.mended_by), run.origin))
    return Finding(
        severity=Severity.WARNING,
        confidence=_SURE if exact is not None and exact.varies else _LIKELY,
        subject=f"{repeated.framework} {device} {repeated.operation}",
        evidence=tuple(evidence),
        values={
            FRAMEWORK: repeated.framework,
            "device": device,
            "operation": operation_phrase(repeated.operation),
            "repetitions": str(run.repetitions),
            "again": phrase(_came_again(repeated)),
        },
    )


def _came_again(repeated: Repeated) -> str:
    """What became of it in a new process, as the key of a phrase."""
    again = repeated.measured(FRESH)
    if again is None:
        return "wrong-untried"
    return "wrong-again" if again.varies else "wrong-once"

"""Only the first call of an operation in a process gives another result than all calls after it.

Detects:      repeated operations of which the very first call gave other bits, and all after it the same.
Why it bites: a test that compares the first answer of a program with a later one fails, and one run differs from
              another that was warmed up.
Blind spots:  one first call is seen per process. What the library did then is not seen; where a result cannot depend on
              any order (element by element, whole numbers), none of the known reasons explains it.
Knowledge:    resources/knowledge/frameworks/computations.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.numbers.repeats import (
    FRESH,
    Repeated,
    Variation,
    by_device,
    in_words,
    is_control,
    is_processor,
    repeated,
    versions_of,
)
from checks.causes.registry import check
from checks.facts import Frameworks, Measurements, Symptom
from checks.facts.finding import FRAMEWORK, Evidence, Finding, NotHere, Severity
from checks.facts.question import Exactness
from checks.knowledge.phrases import phrase

_SEEN_AGAIN, _SEEN_ONCE = 0.95, 0.7


@check("first-call-differs")
def first_call_differs(
    measurements: Measurements, frameworks: Frameworks | None, symptom: Symptom | None
) -> Iterator[Finding]:
    """One finding per framework and device."""
    found = repeated(measurements.all, versions_of(frameworks))
    if not any(operation.default for operation in found):
        raise NotHere("repeats", "not-measured")
    needs_bits = symptom is not None and symptom.exactness == Exactness.BITS
    for framework, device, operations in by_device(found):
        first = [operation for operation in operations if operation.variation is Variation.FIRST_CALL]
        if not first:
            continue
        came_again = _came_again(first)
        yield Finding(
            severity=Severity.WARNING if needs_bits else Severity.NOTE,
            confidence=_SEEN_AGAIN if came_again == "first-call-again" else _SEEN_ONCE,
            subject=f"{framework} {device}",
            evidence=(
                Evidence("computed_on", f"{framework}, {device}", first[0].default.origin if first[0].default else ""),
                *_evidence(first),
            ),
            values={
                FRAMEWORK: framework,
                "device": device,
                "varying": in_words(first),
                "again": phrase(came_again),
                "reason": phrase(_reason(first, device)),
            },
        )


def _evidence(first: Sequence[Repeated]) -> Iterator[Evidence]:
    for operation in first:
        run, again = operation.default, operation.measured(FRESH)
        if run is not None:
            yield Evidence("first_call", f"{operation.operation}: 1 / {run.repetitions + 1}", run.origin)
        if again is not None:
            count = int(again.first_differs)
            yield Evidence(
                "first_call_again", f"{operation.operation}: {count} / {again.repetitions + 1}", again.origin
            )


def _came_again(first: Sequence[Repeated]) -> str:
    """What became of it in another process, as the key of a phrase."""
    tried = [run for operation in first if (run := operation.measured(FRESH)) is not None]
    if not tried:
        return "first-call-once"
    return "first-call-again" if any(run.first_differs for run in tried) else "first-call-gone"


def _reason(first: Sequence[Repeated], device: str) -> str:
    """Why a first call may differ, as the key of a phrase."""
    if any(is_control(operation.operation) for operation in first):
        return "first-call-without-reason"
    return "first-call-on-a-processor" if is_processor(device) else "first-call-on-an-accelerator"

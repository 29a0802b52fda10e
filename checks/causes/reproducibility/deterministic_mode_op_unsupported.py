"""Operations that PyTorch refuses in deterministic mode on this device.

Detects:      operations that raised "does not have a deterministic implementation" when they were computed here in
              deterministic mode.
Why it bites: a program that switches the mode on stops at the first of them.
Blind spots:  only the operations of the suite were tried; the program may use none of these, or others.
Knowledge:    resources/knowledge/frameworks/determinism.toml, deterministic_replacements.toml
"""

from collections.abc import Iterator, Sequence

from checks.analysis.gpu.state import first_line
from checks.analysis.numbers.repeats import DETERMINISTIC, by_device, in_words, of_torch
from checks.causes.registry import check
from checks.facts import Measurements, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.facts.phrase import Value
from checks.knowledge.frameworks.determinism import DeterminismTable, Promise
from checks.knowledge.frameworks.deterministic_replacements import ReplacementTable
from checks.knowledge.phrases import operation_phrase, phrase, replacement_phrase


@check("deterministic-mode-op-unsupported")
def deterministic_mode_op_unsupported(measurements: Measurements, torch: TorchFacts | None) -> Iterator[Finding]:
    """One finding per device."""
    found = of_torch(measurements.all, torch)
    if not any(DETERMINISTIC in operation.under for operation in found):
        raise NotHere("repeats", "not-measured")
    for _, device, operations in by_device(found):
        refused = [(operation, operation.raises) for operation in operations if operation.raises]
        if not refused:
            continue
        first = refused[0][1]
        names = [operation.operation for operation, _ in refused]
        evidence = [Evidence("refused_operations", ", ".join(names), first.origin if first else "")]
        if first and first.error:
            evidence.append(Evidence("error_text", first_line(first.error.message), first.origin))
        repeats = [operation.operation for operation, _ in refused if operation.variation.value == "stable"]
        if repeats:
            evidence.append(Evidence("repeats_all_the_same", ", ".join(repeats), first.origin if first else ""))
        unexpected = [
            operation.operation for operation, _ in refused if operation.promised.in_mode is not Promise.THROWS
        ]
        if unexpected:
            evidence.append(Evidence("not_documented", ", ".join(unexpected), DeterminismTable.read().title))
        yield Finding(
            severity=Severity.NOTE,
            confidence=0.99,
            subject=device,
            evidence=tuple(evidence),
            values={"device": device, "refused": in_words([operation for operation, _ in refused]), **_instead(names)},
        )


def _instead(refused: Sequence[str]) -> dict[str, Value]:
    """What to take for the refused; empty where nothing is known."""
    rows = [[name for name in refused if name in row.operations] for row in ReplacementTable.read().row]
    lines = tuple(
        phrase("instead-of", operations=tuple(map(operation_phrase, names)), advice=replacement_phrase(names[0]))
        for names in rows
        if names
    )
    return {"instead": phrase("instead", lines=lines) if lines else ""}

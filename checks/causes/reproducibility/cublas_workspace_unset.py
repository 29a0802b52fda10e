"""Deterministic mode on CUDA wants a variable that is not set.

Detects:      a CUDA build of PyTorch that refuses matrix products in deterministic mode without
              CUBLAS_WORKSPACE_CONFIG, which is not set in the target's environment; where the mode is on, or where the
              products were refused when they were computed here, or a recurrent layer varied without it.
Why it bites: the program stops at its first product, or an LSTM does not repeat although everything is seeded.
Blind spots:  the program itself may set the variable before its first product.
Knowledge:    resources/knowledge/frameworks/determinism.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import first_line
from checks.analysis.numbers.repeats import DETERMINISTIC, NO_WORKSPACE, WORKSPACE, of_torch
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, Measurements, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.knowledge.frameworks.determinism import DeterminismTable, wants_workspace

VARIABLE = "CUBLAS_WORKSPACE_CONFIG"
_MODE = "torch.are_deterministic_algorithms_enabled"


@check("cublas-workspace-unset")
def cublas_workspace_unset(
    torch: TorchFacts, environment: EnvironmentVariables, measurements: Measurements | None
) -> Iterator[Finding]:
    """At most one finding."""
    table = DeterminismTable.read()
    wanted = wants_workspace(torch.version, torch.cuda_version)
    if wanted is None:
        raise Unread("cuda_version", torch.unread.get("cuda_version", ""))
    if not wanted:
        raise NotHere("torch_wants_workspace")
    value = environment.values.get(VARIABLE)
    if value in table.workspace.values:
        return
    operations = of_torch(measurements.all, torch) if measurements else ()
    refused = [operation for operation in operations if _reason(operation.under.get(DETERMINISTIC)) == NO_WORKSPACE]
    mended = [operation for operation in operations if operation.mended_by == (WORKSPACE,)]
    is_on = (torch.settings or {}).get(_MODE) is True
    if not (is_on or refused or mended):
        return
    seen = refused or mended
    evidence = [
        Evidence("torch_version", torch.version or "", torch.origin),
        Evidence("cuda_version", torch.cuda_version or "", torch.origin),
        Evidence("workspace_variable", f"{VARIABLE}={value}" if value else f"{VARIABLE}: -", environment.origin),
    ]
    if seen:
        measured = seen[0].under[DETERMINISTIC]
        evidence.append(
            Evidence(
                "varying_operation" if mended else "refused_operations",
                ", ".join(run.operation for run in seen),
                measured.origin,
            )
        )
        if measured.error:
            evidence.append(Evidence("error_text", first_line(measured.error.message), measured.origin))
    yield Finding(severity=Severity.WARNING if is_on else Severity.NOTE, confidence=0.97, evidence=tuple(evidence))


def _reason(measured: object) -> str:
    return getattr(measured, "reason", "")

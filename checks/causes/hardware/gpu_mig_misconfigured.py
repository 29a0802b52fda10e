"""MIG partitioning is on without a usable instance, or a program asks for an instance that cannot be.

Detects:      MIG on without instances; MIG switched while a reset is still due; CUDA_VISIBLE_DEVICES with a MIG name
              where no GPU has MIG on.
Why it bites: with MIG on, programs see instances only, never the whole GPU: without one there is no device.
Blind spots:  which instance a scheduler has handed to whom; the names of the instances are not collected.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE
from checks.causes.registry import check
from checks.facts import EnvironmentVariables, NvidiaFacts, NvidiaGpu
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase


@check("gpu-mig-misconfigured")
def gpu_mig_misconfigured(nvidia: NvidiaFacts, environment: EnvironmentVariables | None) -> Iterator[Finding]:
    """One finding per GPU, or one for the variable."""
    devices = nvidia.devices or ()
    is_only_one = len(devices) == 1
    for gpu in devices:
        if gpu.mig_enabled and gpu.mig_instances == ():
            severity = Severity.BLOCKING if is_only_one else Severity.WARNING
            yield _finding(gpu, severity, 0.95, phrase("mig-without-instance"), ("create-mig-instance", "disable-mig"))
        elif None not in (gpu.mig_enabled, gpu.mig_pending) and gpu.mig_enabled != gpu.mig_pending:
            state = phrase("mig-waits-for-reset", mode=_mode(gpu))
            yield _finding(gpu, Severity.WARNING, 0.9, state, ("reset-gpu",))
    wanted = (environment.values if environment else {}).get("CUDA_VISIBLE_DEVICES", "")
    if wanted.startswith("MIG-") and devices and all(gpu.mig_enabled is False for gpu in devices):
        state = phrase("mig-name-without-mig", wanted=wanted)
        yield _finding(devices[0], Severity.BLOCKING, 0.9, state, ("unset-device-variable",), wanted)


def _finding(
    gpu: NvidiaGpu, severity: Severity, confidence: float, state: Phrase, remedies: tuple[str, ...], wanted: str = ""
) -> Finding:
    instances = ", ".join(mig_instance.profile or str(mig_instance.index) for mig_instance in gpu.mig_instances or ())
    return Finding(
        severity=severity,
        confidence=confidence,
        subject="CUDA_VISIBLE_DEVICES" if wanted else gpu.uuid or str(gpu.index),
        evidence=(
            Evidence("gpu", gpu.name or f"GPU {gpu.index}", gpu.origin),
            Evidence("mig_mode", _mode(gpu), gpu.origin),
            Evidence("mig_instances", instances or NONE, gpu.origin),
            Evidence("variable_value", wanted or NONE, "CUDA_VISIBLE_DEVICES"),
        ),
        values={
            "state": state,
            "gpu_index": str(gpu.index),
            **({"variable": "CUDA_VISIBLE_DEVICES"} if wanted else {}),
        },
        remedies=remedies,
    )


def _mode(gpu: NvidiaGpu) -> str:
    now, next_ = ("on" if gpu.mig_enabled else "off"), ("on" if gpu.mig_pending else "off")
    return now if gpu.mig_pending is None or now == next_ else f"{now} -> {next_}"

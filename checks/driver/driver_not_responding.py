"""The GPU driver does not answer.

Detects:      the question to NVML hangs or kills its process; NVML says, of itself or of one GPU, "timeout" or that
              interrupts do not arrive.
Why it bites: whatever asks the driver next hangs the same way: nvidia-smi, every CUDA program, sometimes the shutdown.
Blind spots:  why: a GPU that fell off the bus, a stuck process, and a driver bug look alike from here.
Knowledge:    resources/knowledge/hardware_errors.toml
"""

from collections.abc import Iterator

from checks.facts import Gpus, NvidiaFacts, ProbeRun, ProbeRuns
from checks.finding import Evidence, Finding, Severity
from checks.gpus import NONE
from checks.phrases import phrase
from checks.registry import check

CAUSE = "driver-not-responding"

_HANGS = ("NVML_ERROR_TIMEOUT", "NVML_ERROR_IRQ_ISSUE")


@check(CAUSE)
def driver_not_responding(probes: ProbeRuns, gpus: Gpus | None, nvidia: NvidiaFacts | None) -> Iterator[Finding]:
    """One finding for the machine."""
    run = probes.of("nvidia")
    is_stuck = run is not None and run.status in ("timed-out", "crashed")
    answers = (nvidia.nvml, *nvidia.device_errors.values()) if nvidia else ()
    error = next((answer for answer in answers if answer in _HANGS), None) or ""
    if gpus is not None and not gpus.nvidia and not error:  # nothing of NVIDIA's that could hang
        return
    if not is_stuck and not error:
        return
    yield Finding(
        cause=CAUSE,
        severity=Severity.BLOCKING,
        confidence=0.9 if error or (run and run.status == "timed-out") else 0.7,
        evidence=(
            Evidence("probe_status", run.signal or run.status if run and is_stuck else NONE, "nvidia"),
            Evidence("probe_stage", (run.last_stage if run and is_stuck else None) or NONE, "nvidia"),
            Evidence("nvml", error or NONE, nvidia.origin if nvidia else ""),
        ),
        values=_state(run if is_stuck else None, error),
    )


def _state(run: ProbeRun | None, error: str) -> dict[str, str]:
    if run is None:
        return phrase("state", "answer-error", error=error)
    stage = run.last_stage or NONE
    if run.status == "timed-out":
        return phrase("state", "answer-hangs", stage=stage)
    return phrase("state", "answer-crashes", signal=run.signal or f"exit code {run.exit_code}", stage=stage)

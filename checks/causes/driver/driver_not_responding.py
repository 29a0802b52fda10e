"""The GPU driver does not answer.

Detects:      the question to NVML hangs or kills its process; NVML says, of itself or of one GPU, "timeout" or that
              interrupts do not arrive; a framework built for CUDA never comes back from its first use of the GPU.
Why it bites: whatever asks the driver next hangs the same way: nvidia-smi, every CUDA program, sometimes the shutdown.
Blind spots:  why: a GPU that fell off the bus, a stuck process, and a driver bug look alike from here. A framework that
              hangs may also be compiling for a GPU that it has no code for, hence less confidence.
Knowledge:    resources/knowledge/errors/hardware_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE
from checks.causes.registry import check
from checks.facts import Frameworks, Gpus, NvidiaFacts, ProbeRun, ProbeRuns
from checks.facts.finding import Evidence, Finding, NotHere, Severity
from checks.facts.phrase import Phrase
from checks.facts.runs import RunStatus
from checks.knowledge.phrases import phrase

_HANGS = ("NVML_ERROR_TIMEOUT", "NVML_ERROR_IRQ_ISSUE")
# The stages in which the probes of the frameworks use the GPU (checks/probes/*_probe.py).
_GPU_STAGES = {
    "torch": ("cuda", "cuda_kernels"),
    "tensorflow": ("devices", "kernels"),
    "jax": ("backends", "kernels"),
    "onnxruntime": ("providers",),
}


@check("driver-not-responding")
def driver_not_responding(
    probes: ProbeRuns, gpus: Gpus | None, nvidia: NvidiaFacts | None, frameworks: Frameworks | None
) -> Iterator[Finding]:
    """One finding for the machine, from the most direct witness."""
    answers = (nvidia.nvml, *nvidia.device_errors.values()) if nvidia else ()
    error = next((answer for answer in answers if answer in _HANGS), None)
    if gpus is not None and not gpus.nvidia and not error:  # nothing of NVIDIA's that could hang
        raise NotHere("nvidia_gpu")
    run = probes.of("nvidia")
    if run is not None and run.status in (RunStatus.TIMED_OUT, RunStatus.CRASHED):
        yield _finding(run, error, 0.9 if error or run.status == RunStatus.TIMED_OUT else 0.7, _state(run))
    elif error:
        yield _finding(None, error, 0.9, phrase("answer-error", error=error))
    elif nvidia is not None and nvidia.devices:
        built = {name for name, _, _ in frameworks.cuda_builds()} if frameworks else set()
        stuck = next((run for run in probes.runs if run.probe in built and _hangs_at_the_gpu(run)), None)
        if stuck is not None:
            stage = stuck.last_stage or NONE
            state = phrase("answer-program-hangs", framework=stuck.probe, stage=stage)
            yield _finding(stuck, None, 0.5, state)


def _hangs_at_the_gpu(run: ProbeRun) -> bool:
    return run.status == RunStatus.TIMED_OUT and run.last_stage in _GPU_STAGES.get(run.probe, ())


def _state(run: ProbeRun) -> Phrase:
    stage = run.last_stage or NONE
    if run.status == RunStatus.TIMED_OUT:
        return phrase("answer-hangs", stage=stage)
    return phrase("answer-crashes", signal=run.signal or f"exit code {run.exit_code}", stage=stage)


def _finding(run: ProbeRun | None, error: str | None, confidence: float, state: Phrase) -> Finding:
    return Finding(
        severity=Severity.BLOCKING,
        confidence=confidence,
        evidence=(
            Evidence("probe_status", (run.signal or run.status) if run else NONE, run.probe if run else ""),
            Evidence("probe_stage", (run.last_stage if run else None) or NONE, run.probe if run else ""),
            Evidence("nvml", error or NONE, "NVML"),
        ),
        values={"state": state},
    )

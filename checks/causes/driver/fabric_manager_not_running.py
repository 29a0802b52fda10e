"""An NVSwitch system whose fabric manager is not running.

Detects:      CUDA error 802, a GPU whose fabric state is not completed, or NVSwitches without the running service.
Why it bites: on HGX and DGX systems no CUDA program starts before the fabric manager has set up the NVSwitches.
Blind spots:  inside a container or a virtual machine the service runs outside and cannot be seen.
Knowledge:    resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, SeenCudaError, cuda_computes, error_name, first_line, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import Frameworks, NvidiaFacts, NvidiaGpu, OsFacts
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.phrase import Phrase
from checks.knowledge.phrases import phrase

CAUSE = "fabric-manager-not-running"

_WAITING = ("not-started", "in-progress")


@check(CAUSE)
def fabric_manager_not_running(
    nvidia: NvidiaFacts, frameworks: Frameworks | None, os: OsFacts | None
) -> Iterator[Finding]:
    """One finding for the machine."""
    if cuda_computes(frameworks):
        return
    error = next((error for error in seen_cuda_errors(frameworks) if error.error.cause == CAUSE), None)
    waiting = [device for device in nvidia.devices or () if device.fabric_state in _WAITING]
    is_down = bool(nvidia.nvswitches) and nvidia.fabric_manager in ("stopped", "not-installed")
    if error is None and not waiting and not is_down:
        return
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.95 if error else 0.9,
        evidence=(
            Evidence("fabric_manager", nvidia.fabric_manager or NONE, nvidia.origin),
            Evidence("fabric_state", waiting[0].fabric_state or NONE if waiting else NONE, nvidia.origin),
            Evidence("nvswitches", NONE if nvidia.nvswitches is None else str(nvidia.nvswitches), nvidia.origin),
            Evidence("cuda_error", first_line(error.message) if error else NONE, error.fact.origin if error else ""),
        ),
        values={"state": _state(nvidia, error, waiting)},
        remedies=("ask-host-for-fabric-manager",) if os and (os.container or os.virtual_machine) else (),
    )


def _state(nvidia: NvidiaFacts, error: SeenCudaError | None, waiting: list[NvidiaGpu]) -> Phrase:
    if waiting:
        return phrase("fabric-state", state=waiting[0].fabric_state or NONE)
    if nvidia.nvswitches and nvidia.fabric_manager in ("stopped", "not-installed"):
        return phrase(f"fabric-{nvidia.fabric_manager}")
    return phrase("fabric-error", error=error_name(error.error) if error else NONE)

"""CUDA stopped answering although the driver still shows the GPU: after suspend, hot-plug or a crash.

Detects:      CUDA's unknown error (999) while NVML lists the GPU, on a host whose device files may be opened.
Why it bites: the nvidia_uvm kernel module, which CUDA needs and the display does not, lost its state or is not loaded.
Blind spots:  error 999 has other, rarer causes; a resume is only known where the kernel log can be read.
Knowledge:    resources/knowledge/errors/cuda_errors.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, cuda_computes, error_name, first_line, seen_cuda_errors
from checks.causes.registry import check
from checks.facts import Frameworks, NvidiaFacts, OsFacts
from checks.facts.finding import Evidence, Finding, Severity

CAUSE = "driver-state-lost"


@check(CAUSE)
def driver_state_lost(nvidia: NvidiaFacts, frameworks: Frameworks, os: OsFacts | None) -> Iterator[Finding]:
    """One finding for the machine."""
    error = next((error for error in seen_cuda_errors(frameworks) if error.error.cause == CAUSE), None)
    if error is None or nvidia.nvml != "ok" or not nvidia.devices or cuda_computes(frameworks):
        return
    nodes = {node.path: node for node in nvidia.device_nodes or ()}
    uvm = nodes.get("/dev/nvidia-uvm")
    if uvm is not None and uvm.writable is False:  # device-permission-denied
        return
    if os and os.container and nodes and uvm is None:  # container-gpu-unavailable
        return
    is_uvm_missing = nvidia.modules_loaded is not None and "nvidia_uvm" not in nvidia.modules_loaded
    evidence = [
        Evidence("gpu", ", ".join(device.name or f"GPU {device.index}" for device in nvidia.devices), nvidia.origin),
        Evidence("framework", f"{error.framework} {error.fact.version or ''}".strip(), error.fact.origin),
        Evidence("cuda_error", first_line(error.message), error.fact.origin),
    ]
    if nvidia.modules_loaded is not None:
        evidence.append(Evidence("modules_loaded", ", ".join(nvidia.modules_loaded) or NONE, nvidia.origin))
    if nvidia.suspended_once is not None:
        evidence.append(Evidence("suspended_once", "yes" if nvidia.suspended_once else "no", nvidia.origin))
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.9 if nvidia.suspended_once or is_uvm_missing else 0.7,
        evidence=tuple(evidence),
        values={"cuda_code": error_name(error.error)},
    )

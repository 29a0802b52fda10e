"""The user misses the GPU, and this machine has none that an AI framework could use.

Detects:      the symptom "not-on-gpu" on a machine whose bus shows no NVIDIA or AMD GPU, no Intel GPU that Intel's
              compute runtime serves, and that is neither a Jetson nor an Apple silicon Mac.
Why it bites: no driver and no package can help; every remedy for a GPU would be time lost.
Blind spots:  a card that is loose or switched off looks the same; cards of other vendors are not known.
Knowledge:    resources/knowledge/gpu/gpu_architectures.toml (Intel's list)
"""

from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name
from checks.causes.registry import check
from checks.facts import AppleFacts, Gpu, Gpus, JetsonFacts, NvidiaFacts, OsFacts, Symptom
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.gpu.gpu_architectures import intel_platform


@check("no-gpu-for-ai", from_whole=True)
def no_gpu_for_ai(
    symptom: Symptom,
    gpus: Gpus,
    os: OsFacts,
    nvidia: NvidiaFacts | None,
    jetson: JetsonFacts | None,
    apple: AppleFacts | None,
) -> Iterator[Finding]:
    """At most one finding, and only for a user who expects a GPU."""
    if symptom.name != "not-on-gpu":
        return
    # WSL does not show the bus; there wsl-gpu-unavailable speaks.
    if os.wsl or jetson or (apple and apple.is_apple_silicon) or (nvidia and nvidia.devices):
        return
    if any(_is_usable(gpu) for gpu in gpus.devices):
        return
    yield Finding(
        severity=Severity.WARNING,
        confidence=0.9,
        evidence=(Evidence("gpus_on_bus", ", ".join(map(gpu_name, gpus.devices)) or NONE, gpus.origin),),
        values={"gpus_on_bus": tuple(map(gpu_name, gpus.devices))},
        remedies=("check-gpu-in-virtual-machine", "compute-on-the-cpu")
        if os.virtual_machine
        else ("compute-on-the-cpu", "check-gpu-seating"),
    )


def _is_usable(gpu: Gpu) -> bool:
    if gpu.vendor_id == "8086":
        return intel_platform(gpu.device_id or "") is not None
    return gpu.vendor_id in {"10de", "1002"}

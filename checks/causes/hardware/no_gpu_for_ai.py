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
from checks.facts import AppleFacts, Gpu, Gpus, JetsonFacts, MachineFacts, NvidiaFacts, OsFacts, Symptom
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.question import SymptomName
from checks.knowledge.gpu.gpu_architectures import intel_platform

CAUSE = "no-gpu-for-ai"


@check(CAUSE, from_whole=True)
def no_gpu_for_ai(
    symptom: Symptom,
    gpus: Gpus,
    os: OsFacts,
    nvidia: NvidiaFacts | None,
    jetson: JetsonFacts | None,
    apple: AppleFacts | None,
) -> Iterator[Finding]:
    """At most one finding, and only for a user who expects a GPU."""
    machine = MachineFacts(gpus=gpus, os=os, nvidia=nvidia, jetson=jetson, apple=apple)
    found = finding_without_gpu(machine) if symptom.name == SymptomName.NOT_ON_GPU else None
    if found is not None:
        yield found


def finding_without_gpu(machine: MachineFacts) -> Finding | None:
    """The finding for a machine that has none, whoever asks for one; None where it has, or nobody can know."""
    gpus, os, nvidia = machine.gpus, machine.os, machine.nvidia
    # WSL does not show the bus; there wsl-gpu-unavailable speaks.
    if gpus is None or os is None or os.wsl or machine.jetson or (nvidia and nvidia.devices):
        return None
    if (machine.apple and machine.apple.is_apple_silicon) or any(_is_usable(gpu) for gpu in gpus.devices):
        return None
    return Finding(
        cause=CAUSE,
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

"""A framework is built for CUDA on a machine without an NVIDIA GPU.

Detects:      a CUDA build of any framework where neither the bus, nor NVML, nor a Jetson shows an NVIDIA GPU.
Why it bites: such a build computes on the CPU; a program that insists on "cuda" stops. On Linux the CUDA build is what
              "pip install torch" brings, so it is normal there and no more than a note.
Blind spots:  WSL and sandboxes do not show the bus; they are not judged. A text need not name every GPU: of one alone
              that names a card of another vendor, and none of NVIDIA's, this is likely and no more.
Knowledge:    none
"""

import re
from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, gpu_name
from checks.analysis.packages.fitting_build import torch_values
from checks.causes.registry import check
from checks.facts import Facts, Frameworks, Gpu, Gpus, InterpreterFacts, JetsonFacts, MachineFacts, NvidiaFacts
from checks.facts.finding import Evidence, Finding, Severity

# What an ordinary installation brings along on Linux; everything else with CUDA was asked for by its name.
_CUDA_BY_DEFAULT = ("torch", "tensorflow")
_IN_A_TEXT = 0.75
_CARDS = re.compile(r"\b(?:RX|Arc|Instinct|MI\d{2,3}X?|Pro W\d+)\b")  # what AMD and Intel sell as cards


@check("cuda-build-without-nvidia-gpu")
def cuda_build_without_nvidia_gpu(
    facts: Facts,
    frameworks: Frameworks,
    gpus: Gpus,
    machine: MachineFacts,
    nvidia: NvidiaFacts | None,
    jetson: JetsonFacts | None,
    interpreter: InterpreterFacts | None,
) -> Iterator[Finding]:
    """One finding per framework."""
    if gpus.nvidia or jetson or (nvidia and nvidia.devices) or (machine.os and machine.os.wsl):
        return
    is_linux = machine.os is not None and machine.os.system == "Linux"
    others = [gpu for gpu in gpus.devices if gpu.vendor_id in ("1002", "8086") and _is_a_card(gpu)]
    if facts.reported and not others:
        return
    for name, framework, cuda_version in frameworks.cuda_builds():
        is_ordinary = is_linux and name in _CUDA_BY_DEFAULT and not others
        severity = Severity.NOTE if is_ordinary else Severity.WARNING
        yield Finding(
            severity=Severity.BLOCKING if facts.reported else severity,  # whoever writes wants the card that is named
            confidence=_IN_A_TEXT if facts.reported else 0.95,
            subject=name,
            evidence=(
                Evidence("framework", f"{name} {framework.version or ''}".strip(), framework.origin),
                Evidence("cuda_version", cuda_version, framework.origin),
                Evidence("gpus_on_bus", _names(gpus.devices), gpus.origin),
            ),
            values={
                "gpus_on_bus": tuple(map(gpu_name, gpus.devices)),
                **(torch_values(machine, interpreter, keep=framework.version) if name == "torch" else {}),
            },
            remedies=() if name == "torch" else ("stay-on-the-cpu",),
        )


def _is_a_card(gpu: Gpu) -> bool:
    """Whether it is no part of the processor; where only its name is known, by that."""
    return not gpu.integrated if gpu.integrated is not None else bool(_CARDS.search(gpu.product or ""))


def _names(devices: tuple[Gpu, ...]) -> str:
    return ", ".join(gpu_name(gpu) for gpu in devices) or NONE

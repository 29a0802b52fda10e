"""The framework's build has no kernels for a GPU that is newer than the build.

Detects:      a CUDA build of torch or TensorFlow whose code list has nothing that the GPU can run: "no kernel image is
              available for execution on the device".
Why it bites: machine code runs only within one major compute capability, from its own minor number upwards.
Blind spots:  extensions (flash-attn, xformers) carry lists of their own; conda builds whose list was not read.
Knowledge:    resources/knowledge/frameworks/torch.toml, tensorflow.toml, cuda_binary.toml
"""

from collections.abc import Iterator

from checks.analysis.gpu.code import UnservedGpu, unserved_gpus
from checks.analysis.gpu.cuda import is_jetson
from checks.analysis.packages.fitting_build import torch_remedies, torch_values
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts
from checks.facts.finding import Finding, Severity


@check("build-lacks-newer-gpu-arch")
def build_lacks_newer_gpu_arch(
    frameworks: Frameworks, machine: MachineFacts, interpreter: InterpreterFacts | None
) -> Iterator[Finding]:
    """One finding per framework and kind of GPU."""
    for unserved_gpu in unserved_gpus(frameworks, machine, interpreter):
        if not unserved_gpu.is_newer:
            continue
        values, remedies = _way_out(unserved_gpu, machine, interpreter)
        yield Finding(
            severity=Severity.WARNING
            if unserved_gpu.is_compiled_late or not unserved_gpu.is_only_gpu
            else Severity.BLOCKING,
            confidence=0.6 if unserved_gpu.is_compiled_late else unserved_gpu.certainty,
            subject=f"{unserved_gpu.framework} {unserved_gpu.capability}",
            evidence=unserved_gpu.evidence,
            values=values,
            remedies=remedies,
        )


def _way_out(
    unserved: UnservedGpu, machine: MachineFacts, interpreter: InterpreterFacts | None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The values of the remedies, and their ids."""
    if unserved.framework != "torch":
        return {}, ("use-nvidia-tensorflow-container", "run-without-this-gpu")
    if is_jetson(machine):
        return {}, ("install-torch-for-jetson",)
    found = torch_values(machine, interpreter, keep=unserved.version)
    values = {**found, "served_gpu": unserved.served_gpu} if unserved.served_gpu else found
    return values, torch_remedies(values, "run-without-this-gpu")

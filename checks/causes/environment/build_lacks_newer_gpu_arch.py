"""The framework's build has no kernels for a GPU that is newer than the build.

Detects:      a CUDA build of torch or TensorFlow whose code list has nothing that the GPU can run: "no kernel image is
              available for execution on the device". Where a program ends in these words and the framework computes on
              the GPU all the same: an extension of the program that was built for another GPU.
Why it bites: machine code runs only within one major compute capability, from its own minor number upwards.
Blind spots:  whether an extension's code is too old or too new is not read; conda builds whose list was not read.
Knowledge:    resources/knowledge/frameworks/torch.toml, tensorflow.toml, cuda_binary.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.failures.of_runs import Failure, failures
from checks.analysis.gpu.code import UnservedGpu, unserved_gpus
from checks.analysis.gpu.cuda import is_jetson
from checks.analysis.gpu.state import cuda_computes
from checks.analysis.packages.fitting_build import torch_remedies, torch_values
from checks.causes.registry import check
from checks.facts import Frameworks, InterpreterFacts, MachineFacts, ProgramRuns
from checks.facts.finding import CLUE, FAILED_RUN, Evidence, Finding, Severity

SHOWN = 300  # characters of a line that a finding quotes
_NO_IMAGE = re.compile(r"no kernel image is available|cudaErrorNoKernelImageForDevice|CUDA_ERROR_NO_BINARY_FOR_GPU")


@check("build-lacks-newer-gpu-arch")
def build_lacks_newer_gpu_arch(
    frameworks: Frameworks,
    machine: MachineFacts,
    interpreter: InterpreterFacts | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per framework and kind of GPU, and per program with an extension for another one."""
    if cuda_computes(frameworks):
        yield from map(_of_extension, (failure for failure in failures(runs) if _NO_IMAGE.search(_words(failure))))
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


def _words(failure: Failure) -> str:
    return "\n".join(one.message for one in failure.raised) or failure.run.errors


def _of_extension(failure: Failure) -> Finding:
    line = next(line for line in _words(failure).splitlines() if _NO_IMAGE.search(line))
    return Finding(
        severity=Severity.BLOCKING,
        confidence=0.9,
        subject=failure.run.label,
        evidence=(Evidence(CLUE, line.strip()[:SHOWN], failure.origin),),
        values={FAILED_RUN: failure.run.label},
        remedies=("rebuild-extension-for-this-gpu", "rebuild-for-new-gpu"),
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

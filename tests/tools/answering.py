"""Customers that answer: what a recorded machine (tests/cases) would write first, and print when it is asked.

Each output is written as its program writes it, from the facts of the machine alone; what these do not tell is no
answer. The first mail says what the customer sees, in one of six plain sentences, without the cause.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from checks.facts import Facts, FrameworkFacts
from checks.judgement.judge import judge_each
from checks.readers.tickets.lines import lines_of
from checks.readers.tickets.read import pasted, read_ticket
from checks.readers.tickets.wording.signatures import hits
from checks.sharing.case import decode

CASES = Path(__file__).parents[1] / "cases"
_NVML = {
    "NVML_ERROR_DRIVER_NOT_LOADED": "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
    "Make sure that the latest NVIDIA driver is installed and running.",
    "NVML_ERROR_LIB_RM_VERSION_MISMATCH": "Failed to initialize NVML: Driver/library version mismatch",
    "NVML_ERROR_NO_PERMISSION": "Failed to initialize NVML: Insufficient Permissions",
    "library-not-found": "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.",
}
_MODES = {"prohibited": "Prohibited", "exclusive-process": "E. Process", "exclusive-thread": "E. Thread"}
_SLOW = {"gpu-throttled", "gpu-link-degraded", "gpu-same-name-different-die"}
_STOPS = {
    "gpu-hardware-fault",
    "shared-memory-too-small",
    "driver-state-lost",
    "gpu-busy-or-exclusive",
    "openmp-duplicate-runtime",
}
_AT_START = {
    "interpreter-not-usable", "framework-not-installed", "python-version-unsupported", "cpu-instruction-unsupported",
    "framework-import-crashes", "numpy-abi-mismatch", "framework-companion-mismatch", "protobuf-conflict",
}  # fmt: skip
_VENDORS = {"10de": "nvidia", "1002": "amd", "8086": "intel-or-apple", "106b": "intel-or-apple"}


@dataclass(frozen=True)
class Machine:
    """A recorded machine and what is true of it, the first cause first; none of a healthy one."""

    name: str
    facts: Facts
    causes: tuple[str, ...]


@functools.cache
def machines() -> tuple[Machine, ...]:
    """All of tests/cases."""
    return tuple(_machines())


def _machines() -> Iterator[Machine]:
    for path in sorted(CASES.glob("*.json")):
        data = path.read_bytes()
        recorded = json.loads(data)["recorded"]
        yield Machine(path.stem, decode(data).facts, tuple(recorded["expect"]))


def first_mail(machine: Machine) -> str:
    """What the customer writes before being asked: which of five things they see, and nothing of why."""
    causes = set(machine.causes)
    if causes & _SLOW:
        return "My program computes much more slowly than on a machine of the same kind. What can I do?"
    if causes & _STOPS:
        return "My program stops in the middle of its work, now and then or always. What can I do?"
    frameworks = dict(machine.facts.frameworks.each()) if machine.facts.frameworks else {}
    for name, framework in frameworks.items():
        if framework.imported is False:
            return f"My program does not start any more, it already stops when it imports {name}. What can I do?"
    if causes & _AT_START:
        return "My program does not start on this machine, it ends at once. What can I do?"
    torch = machine.facts.frameworks.torch if machine.facts.frameworks else None
    if torch is not None and torch.cuda_available is False:
        return "My program runs on the CPU only, torch.cuda.is_available() returns False. What can I do?"
    name = next(iter(frameworks), "")
    return f"My {name} program does not use the GPU of this machine. What can I do?".replace("  ", " ")


def chosen_by(facts: Facts, question: str) -> str:
    """Which answer of a question with choices the machine gives; "" where it does not tell."""
    machine = facts.machine
    if question == "where-it-runs" and machine is not None and machine.os is not None and machine.os.system:
        return "wsl" if machine.os.wsl else "container" if machine.os.container else "directly"
    if question == "whose-gpu" and machine is not None:
        if machine.nvidia is not None and machine.nvidia.devices:
            return "nvidia"
        listed = machine.gpus.devices if machine.gpus else ()
        makers = [_VENDORS[gpu.vendor_id] for gpu in listed if gpu.vendor_id in _VENDORS and not gpu.integrated]
        if machine.apple is not None:
            return "intel-or-apple"
        return makers[0] if makers else "none" if machine.gpus is not None and not listed else ""
    return ""


def pasted_by(facts: Facts, question: str) -> str:
    """What the machine prints for a question that asks for an output; "" where its facts do not tell."""
    return "\n".join(_PRINTED[question](facts)) if question in _PRINTED else ""


def shown_in(mail: str, text: str) -> set[str]:
    """The causes that a signature or a check names once this output stands with the first mail."""
    whole = f"{mail}\n\n{text}"
    facts = read_ticket(pasted(whole))
    found = {finding.cause for outcome in judge_each(facts) for finding in outcome.findings}
    return found | {hit.cause for hit in hits(lines_of(whole), (facts,))}


def _torch(facts: Facts) -> Iterator[str]:
    torch = facts.frameworks.torch if facts.frameworks else None
    target = facts.target_interpreter
    if torch is None:
        if target is not None and target.packages is not None and target.package("torch") is None:
            yield 'Traceback (most recent call last):\n  File "<string>", line 1, in <module>'
            yield "ModuleNotFoundError: No module named 'torch'"
        return
    if torch.imported is False:
        yield from _error(torch)
    elif torch.cuda_available is not None and (torch.version or torch.build):
        yield from (str(warning) for warning in torch.warnings or ())
        package = target.package("torch") if target else None
        version = torch.version or (package.version if package else "") or ("2.0.0+cpu" if torch.build == "cpu" else "")
        yield f"{version or 'unknown'} {torch.cuda_version or None} {torch.cuda_available}"


def _error(framework: FrameworkFacts) -> Iterator[str]:
    error = framework.error
    if error is not None:
        yield "Traceback (most recent call last):"
        yield '  File "<string>", line 1, in <module>'
        yield f"{error.type}: {error.message}"


def _nvidia_smi(facts: Facts) -> Iterator[str]:
    nvidia = facts.machine.nvidia if facts.machine else None
    if nvidia is None or not nvidia.nvml:
        return
    if nvidia.nvml != "ok":
        yield nvidia.nvml_message or _NVML.get(nvidia.nvml, f"Failed to initialize NVML: {nvidia.nvml}")
        return
    version = nvidia.driver_version or ""
    if version:
        cuda = nvidia.cuda_driver_version or ""
        yield f"| NVIDIA-SMI {version}    Driver Version: {version}    CUDA Version: {cuda} |"
    if nvidia.devices == ():
        yield "No devices were found"
    for gpu in nvidia.devices or ():
        if gpu.name:
            bus = gpu.pci_address or f"00000000:{gpu.index + 1:02X}:00.0"
            yield f"|   {gpu.index}  {gpu.name}        Off | {bus}  Off |                  N/A |"
            heat = f"{gpu.temperature:.0f}C" if gpu.temperature is not None else "N/A"
            used, whole = ((size or 0) // 2**20 for size in (gpu.memory_used, gpu.memory_total))
            mode = _MODES.get(gpu.compute_mode or "", "Default")
            yield f"| 30%   {heat}    P0    20W / 350W |    {used}MiB / {whole or 8192}MiB |      0%      {mode} |"
            if gpu.mig_enabled is not None:
                state = "Enabled" if gpu.mig_enabled else "Disabled"
                yield f"|                               |                      |  {state} |"


def _packages(facts: Facts) -> Iterator[str]:
    target = facts.target_interpreter
    if target is not None and target.packages:
        yield "Package            Version"
        yield "------------------ -----------"
        yield from (f"{package.name:<18} {package.version}" for package in target.packages)


def _variables(facts: Facts) -> Iterator[str]:
    values = facts.environment.values if facts.environment else None
    yield from (f"{name}={value}" for name, value in (values or {}).items())


def _whole_error(facts: Facts) -> Iterator[str]:
    for _, framework in facts.frameworks.each() if facts.frameworks else ():
        yield from _error(framework)
    torch = facts.frameworks.torch if facts.frameworks else None
    if torch is not None and torch.cuda_error is not None:
        yield "Traceback (most recent call last):"
        yield f"{torch.cuda_error.type}: {torch.cuda_error.message}"


_PRINTED = {
    "torch-build": _torch,
    "nvidia-smi": _nvidia_smi,
    "packages": _packages,
    "variables": _variables,
    "whole-error": _whole_error,
}

"""An environment variable hides the GPU from programs, or names one that is not there.

Detects:      CUDA_VISIBLE_DEVICES that leaves none of the NVIDIA GPUs, or names some that do not exist; HIP and ROCR
              for AMD, ZE_AFFINITY_MASK for Intel, JAX_PLATFORMS=cpu; numbers on a machine with unlike GPUs, which
              CUDA counts in another order than nvidia-smi. Also where the watched program sets the variable itself.
Why it bites: the variable is silent: the framework only says that there is no GPU. A list is read up to its first wrong
              entry, and everything after that is dropped.
Blind spots:  the variables of services and schedulers outside this process; a program that was not watched and sets
              the variable itself.
Knowledge:    none; the rules are those of the CUDA programming guide ("CUDA Environment Variables")
"""

import re
from collections.abc import Iterable, Iterator

from checks.analysis.gpu.of_programs import computed_on_gpu
from checks.analysis.gpu.state import only_with_a_gpu
from checks.causes.registry import check
from checks.facts import (
    AmdFacts,
    EnvironmentVariables,
    Frameworks,
    Gpus,
    IntelFacts,
    NvidiaFacts,
    ProgramRun,
    ProgramRuns,
)
from checks.facts.finding import Evidence, Finding, Severity
from checks.knowledge.phrases import phrase

_CUDA = "CUDA_VISIBLE_DEVICES"
_NUMBER = re.compile(r"[0-9]{1,9}")
_REMEDIES = {"hidden-order": "number-gpus-by-bus", "hidden-by-program": "find-line-that-hides-gpus"}


@check("gpu-hidden-by-environment", from_whole=True)
def gpu_hidden_by_environment(
    environment: EnvironmentVariables,
    nvidia: NvidiaFacts | None,
    amd: AmdFacts | None,
    intel: IntelFacts | None,
    gpus: Gpus | None,
    frameworks: Frameworks | None,
    runs: ProgramRuns | None = None,
) -> Iterator[Finding]:
    """One finding per variable, and one per program that sets it otherwise."""
    only_with_a_gpu(gpus, nvidia, amd, intel)
    values = environment.values
    if nvidia is not None and nvidia.devices:
        uuids = [device.uuid or "" for device in nvidia.devices]
        yield from _judge(_CUDA, values, len(nvidia.devices), uuids)
        yield from _by_programs(runs, len(nvidia.devices), uuids)
        yield from _order(values, nvidia)
        yield from _jax(values, len(nvidia.devices), frameworks)
    cards = len(amd.nodes) if amd and amd.nodes else len(gpus.amd) if gpus else 0
    torch = frameworks.torch if frameworks else None
    if cards and torch is not None and torch.build == "rocm":
        for variable in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"):
            yield from _judge(variable, values, cards, None)
    intel_cards = len(gpus.intel) if gpus else 0
    if intel_cards and intel is not None and torch is not None and torch.build == "xpu":
        mask = {"ZE_AFFINITY_MASK": ",".join(_devices_of_mask(values.get("ZE_AFFINITY_MASK")))}
        if values.get("ZE_AFFINITY_MASK"):  # empty means: no mask
            yield from _judge("ZE_AFFINITY_MASK", mask, intel_cards, None)


def _by_programs(runs: ProgramRuns | None, present: int, uuids: list[str]) -> Iterator[Finding]:
    """What the user's programs set for themselves, whatever the environment says."""
    for run in runs.runs if runs else ():
        if computed_on_gpu(run, None):  # it hid them from others, or too late
            continue
        values = {value for python in run.pythons if (value := python.variables.get(_CUDA)) is not None}
        for value in sorted(values):
            yield from _judge(_CUDA, {_CUDA: value}, present, uuids, run)


def _judge(
    variable: str, values: dict[str, str], present: int, uuids: list[str] | None, run: ProgramRun | None = None
) -> Iterator[Finding]:
    value = values.get(variable)
    if value is None or value.strip().lower() == "all":
        return
    entries = [entry.strip() for entry in value.strip().rstrip(", ").split(",")] if value.strip() else []
    if any(entry.startswith("MIG") for entry in entries):  # gpu-mig-misconfigured
        return
    visible = _visible(entries, present, uuids)
    if visible and visible == len(entries):
        return
    yield _finding(variable, value, visible, present, Severity.WARNING if visible else Severity.BLOCKING, 0.95, run)


def _visible(entries: Iterable[str], present: int, uuids: list[str] | None) -> int:
    """How many GPUs the list leaves: up to the first entry that is wrong, and none where one is named twice."""
    seen: list[str] = []
    for entry in entries:
        if _NUMBER.fullmatch(entry):
            if int(entry) >= present:
                break
            seen.append(str(int(entry)))
        elif entry.startswith("GPU-"):
            fitting = [uuid for uuid in uuids if uuid.startswith(entry)] if uuids is not None else [entry]
            if len(fitting) != 1:  # a beginning is enough, if only one GPU has it
                break
            seen.append(fitting[0])
        else:  # "-1", "NoDevFiles", a typing error
            break
    return len(seen) if len(set(seen)) == len(seen) else 0


def _devices_of_mask(mask: str | None) -> list[str]:
    """The devices of a Level Zero mask; "0.1" is the second tile of the first device."""
    return list(dict.fromkeys(entry.strip().partition(".")[0] for entry in (mask or "").split(",")))


def _order(values: dict[str, str], nvidia: NvidiaFacts) -> Iterator[Finding]:
    """A number means another card for CUDA (fastest first) than for nvidia-smi (order of the bus)."""
    value = values.get("CUDA_VISIBLE_DEVICES", "")
    names = {device.name for device in nvidia.devices or ()}
    entries = [entry.strip() for entry in value.split(",")]
    if len(names) < 2 or "CUDA_DEVICE_ORDER" in values or not all(map(_NUMBER.fullmatch, entries)):
        return
    present = len(nvidia.devices or ())
    visible = _visible(entries, present, None)
    if visible == len(entries):
        yield _finding("CUDA_DEVICE_ORDER", "", visible, present, Severity.NOTE, 0.5)


def _jax(values: dict[str, str], present: int, frameworks: Frameworks | None) -> Iterator[Finding]:
    if frameworks is None or frameworks.jax is None or not frameworks.jax.cuda_version:
        return
    for variable in ("JAX_PLATFORMS", "JAX_PLATFORM_NAME"):
        if values.get(variable, "").strip().lower() == "cpu":
            yield _finding(variable, values[variable], 0, present, Severity.WARNING, 0.9)


def _kind_of(variable: str, value: str) -> str:
    """The phrase for it: the order is a variable that is not set at all."""
    if variable == "CUDA_DEVICE_ORDER":
        return "hidden-order"
    return "hidden-list" if value.strip() else "hidden-empty"


def _finding(
    variable: str,
    value: str,
    visible: int,
    present: int,
    severity: Severity,
    confidence: float,
    run: ProgramRun | None = None,
) -> Finding:
    """``run``: the program that sets it itself."""
    kind = "hidden-by-program" if run else _kind_of(variable, value)
    origin = run.label if run else "environment"
    return Finding(
        severity=severity,
        confidence=confidence,
        subject=f"{variable} {run.label}" if run else variable,
        evidence=(
            Evidence("variable", variable, origin),
            Evidence("variable_value", f'"{value}"', origin),
            Evidence("gpus_visible", str(visible)),
            Evidence("gpus_present", str(present)),
        ),
        values={"state": phrase(kind, variable=variable, value=value, visible=str(visible), present=str(present))},
        remedies=(_REMEDIES.get(kind, "unset-device-variable"),),
    )

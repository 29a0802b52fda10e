"""A checkpoint or compiled package wants a device that PyTorch does not have here.

Detects:      storages that were saved on a GPU (or on a GPU of a higher number, or on MPS or XPU) and a PyTorch without
              it; TorchScript with such a device in its code; an AOTInductor package for another platform or GPU.
Why it bites: torch.load wants to put the weights back ("Attempting to deserialize object on a CUDA device"); code with
              a device in it fails when it runs, wherever the weights are.
Blind spots:  most programs pass map_location, and then only what stands in the code fails.
Knowledge:    none
"""

from collections.abc import Iterator

from checks.analysis.gpu.cuda import cuda_gpus
from checks.analysis.models.selected import some
from checks.analysis.models.torch import file_of
from checks.causes.registry import check
from checks.facts import MachineFacts, ModelFacts, ModelFiles, TorchFacts
from checks.facts.finding import Evidence, Finding, Severity, Unread

SAVED = ("torch-zip", "torch-legacy", "torchscript", "pt2", "pickle")
COMPILED = "aoti-pt2"
IN_CODE = "devices-in-code"


@check("checkpoint-device-unavailable")
def checkpoint_device_unavailable(
    models: ModelFiles, torch: TorchFacts, machine: MachineFacts | None
) -> Iterator[Finding]:
    """One finding per file."""
    some(models.of(*SAVED, COMPILED), "torch_models")
    for model in _untried(models, *SAVED):
        missing = [device for device in model.needs.devices or () if not _is_there(device, torch)]
        if missing:
            in_code = model.details.get(IN_CODE, "").split(", ")
            yield _finding(model, torch, missing, is_certain=any(kind in in_code for kind in missing))
    for model in _untried(models, COMPILED):
        yield from _compiled(model, torch, machine)


def _untried(models: ModelFiles, *formats: str) -> Iterator[ModelFacts]:
    """Those that did not really run. That one was loaded proves nothing: it was put on the processor."""
    return (model for model in models.of(*formats) if not any(run.ran for run in model.runs))


def _is_there(device: str, torch: TorchFacts) -> bool:
    """Whether PyTorch has a device. Kinds that no fact tells of count as there.

    Raises:
        Unread: the fact that decides was not read.
    """
    kind, _, number = device.partition(":")
    if kind in ("mps", "xpu"):
        found = torch.mps_available if kind == "mps" else torch.xpu_available
        if found is None:
            raise Unread(f"{kind}_available", torch.unread.get(f"{kind}_available", ""))
        return found
    if kind != "cuda":
        return True
    if torch.cuda_available is None:
        raise Unread("cuda_available", torch.unread.get("cuda_available", ""))
    count = torch.cuda_device_count
    is_beyond = number.isdecimal() and count is not None and int(number) >= count
    return torch.cuda_available and not is_beyond


def _finding(model: ModelFacts, torch: TorchFacts, missing: list[str], *, is_certain: bool) -> Finding:
    return Finding(
        severity=Severity.BLOCKING if is_certain else Severity.WARNING,
        confidence=0.9 if is_certain else 0.8,
        subject=model.path,
        evidence=(file_of(model), Evidence("saved_on", ", ".join(missing[:8]), model.path), *_has(torch)),
        values={"model_path": model.path, "runtime": "torch"},
        remedies=("save-on-the-cpu",) if is_certain else (),
    )


def _has(torch: TorchFacts) -> Iterator[Evidence]:
    if torch.version:
        yield Evidence("torch_version", torch.version, torch.origin)
    if torch.cuda_available is not None:
        yield Evidence("cuda_available", str(torch.cuda_available), torch.origin)
    if torch.cuda_device_count:
        yield Evidence("cuda_devices", str(torch.cuda_device_count), torch.origin)


def _compiled(model: ModelFacts, torch: TorchFacts, machine: MachineFacts | None) -> Iterator[Finding]:
    """A package of machine code: for which system, processor and GPU."""
    if machine is None or machine.os is None or not machine.os.system:
        raise Unread("os")
    wanted = next((binding.value for binding in model.bound_to if binding.kind == "operating-system"), "")
    here = _platform(machine.os.system, machine.os.architecture or "")
    is_other = bool(wanted and here) and wanted.lower() != here.lower()
    missing = [device for device in model.needs.devices or () if not _is_there(device, torch)]
    capability = model.details.get("compute-capability", "")
    gpus = [gpu.capability for gpu in cuda_gpus(machine) if gpu.capability]
    is_foreign = bool(capability and gpus and not missing) and not any(_serves(capability, gpu) for gpu in gpus)
    if not (is_other or missing or is_foreign):
        return
    yield Finding(
        severity=Severity.BLOCKING,
        confidence=0.9,
        subject=model.path,
        evidence=(
            file_of(model),
            Evidence("compiled_for", " ".join(filter(None, (wanted, *missing, capability))), model.path),
            Evidence("os", here, machine.os.origin),
            *((Evidence("compute_capability", ", ".join(gpus), machine.origin),) if gpus else ()),
        ),
        values={"model_path": model.path, "runtime": "torch"},
        remedies=("save-on-the-cpu",),
    )


def _platform(system: str, architecture: str) -> str:
    """The platform as a shared library's head tells it."""
    name = {"Darwin": "macOS"}.get(system, system)
    return f"{name} {architecture}" if architecture else ""


def _serves(built: str, capability: str) -> bool:
    """Whether code for one GPU ("86") runs on another ("8.9"): within a generation, on the same or a later one."""
    digits = "".join(text for text in built if text.isdecimal())
    major, minor = digits[:-1], digits[-1:]
    ours = capability.partition(".")
    return major == ours[0] and minor <= ours[2]

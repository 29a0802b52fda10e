"""The AMD GPU is not among those that this ROCm build carries code for.

Detects:      a ROCm build of PyTorch whose target list lacks every AMD GPU here, or an HSA_OVERRIDE_GFX_VERSION that
              points to code that the build has not got; without a list, the kernel that failed for want of code.
Why it bites: without code for the GPU every kernel fails: "invalid device function", "no kernel image", or a crash.
Blind spots:  an integrated GPU beside a served one is left out: it only matters when a program picks it.
Knowledge:    resources/knowledge/gpu/gpu_architectures.toml, rocm_overrides.toml
"""

import re
from collections.abc import Iterator

from checks.analysis.gpu.state import NONE, first_line, ran_on
from checks.causes.registry import check
from checks.facts import AmdFacts, EnvironmentVariables, Gpus, TorchFacts
from checks.facts.finding import Evidence, Finding, NotHere, Severity, Unread
from checks.knowledge.gpu.gpu_architectures import GpuArchitectures, amd_target, amd_wheel_targets
from checks.knowledge.gpu.rocm_overrides import RocmOverrides, rocm_override
from checks.knowledge.phrases import phrase

_OVERRIDE = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})")
_NO_CODE = ("invalid device function", "no kernel image", "hiperrornobinaryforgpu")  # as HIP words it


@check("rocm-gpu-unsupported")
def rocm_gpu_unsupported(
    torch: TorchFacts, amd: AmdFacts | None, gpus: Gpus | None, environment: EnvironmentVariables | None
) -> Iterator[Finding]:
    """One finding per AMD GPU without code, where none of the AMD GPUs is served."""
    if torch.build is None:
        raise Unread("torch_build", torch.unread.get("build", ""))
    if torch.build != "rocm":
        raise NotHere("rocm_build", "not-installed")
    if ran_on(torch, "cuda"):
        return
    cards = _targets(amd, gpus)
    if not cards:
        return
    failure = _failure_for_want_of_code(torch)
    targets = torch.arch_list or None  # an empty list is one that torch did not tell: every build carries some code
    if targets is None and torch.version:
        rocm = torch.hip_version or torch.version.partition("+rocm")[2]
        targets = amd_wheel_targets(torch.version, rocm) if rocm else None
    if targets is None and not failure:
        raise Unread("arch_list", torch.unread.get("arch_list", ""))
    carried = tuple(target.partition(":")[0] for target in targets or ())
    override = (environment.values if environment else {}).get("HSA_OVERRIDE_GFX_VERSION", "")
    taken_as = {gfx: _gfx(override) or gfx for gfx in cards}
    if any(taken_as[gfx] in carried for gfx in cards):
        return
    for gfx in cards:
        row = rocm_override(gfx, carried)
        evidence = [
            Evidence("gfx_target", gfx, cards[gfx]),
            Evidence("torch_version", torch.version or NONE, torch.origin),
            Evidence("arch_list", " ".join(carried) or NONE, torch.origin or GpuArchitectures.read().title),
            Evidence("kernel_error", failure or NONE, torch.origin),
        ]
        if override:
            evidence.append(Evidence("hsa_override", override, "HSA_OVERRIDE_GFX_VERSION"))
        elif row is not None:
            evidence.append(Evidence("runs_as", row.runs_as, RocmOverrides.read().title, row.source))
        state = (
            phrase("rocm-code", torch=torch.version or NONE, targets=", ".join(carried))
            if carried
            else phrase("rocm-failed", torch=torch.version or NONE, error=failure)
        )
        values = {"hsa_override_wanted": row.version} if row is not None and override != row.version else {}
        yield Finding(
            severity=Severity.BLOCKING,
            confidence=0.9,
            subject=gfx,
            evidence=tuple(evidence),
            values={**values, "state": state},
        )


def _failure_for_want_of_code(torch: TorchFacts) -> str:
    """The error of a kernel launch that found no code for the GPU; else ""."""
    for device in torch.devices or ():
        message = device.kernel.error.message if device.kernel and device.kernel.error else ""
        if any(words in message.lower() for words in _NO_CODE):
            return first_line(message)
    return ""


def _targets(amd: AmdFacts | None, gpus: Gpus | None) -> dict[str, str]:
    """Target -> where it was read. Integrated GPUs only where there is no other."""
    nodes = amd.nodes if amd else None
    if nodes is not None:
        found = {node.gfx_target: amd.origin if amd else "" for node in nodes if node.gfx_target}
    else:
        found = {gpu.gfx_target: gpu.origin for gpu in (gpus.amd if gpus else ()) if gpu.gfx_target}
    cards = {gfx: origin for gfx, origin in found.items() if not ((row := amd_target(gfx)) and row.integrated)}
    return cards or found


def _gfx(override: str) -> str:
    """The target that an override names: "10.3.0" -> "gfx1030"; the last number is hexadecimal. "" for no version."""
    found = _OVERRIDE.fullmatch(override)
    return f"gfx{found[1]}{found[2]}{int(found[3]):x}" if found else ""

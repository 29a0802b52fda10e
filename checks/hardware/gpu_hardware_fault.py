"""The GPU itself reports a fault.

Detects:      NVML's errors for a lost or damaged GPU; a GPU that is on the bus with the driver bound, but not in NVML,
              or whose bus registers read as ff; Xid events whose first suspect is no program; uncorrectable ECC errors;
              row remaps and page retirements that failed or wait for a restart; a recovery action; CUDA error 214;
              Windows codes 10 and 43.
Why it bites: results may be wrong, programs die at random, or the GPU is gone until the next start.
Blind spots:  a container or a scheduler's job is handed some GPUs only: what NVML does not show says nothing there.
              Cards without ECC do not notice flipped bits. One Xid alone is weak evidence: a program's fault can look
              like the hardware's, and the kernel log is not always readable.
Knowledge:    resources/knowledge/hardware_errors.toml, windows_device_problems.toml, cuda_errors.toml
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from checks.facts import EnvironmentVariables, Frameworks, Gpus, NvidiaFacts, NvidiaGpu, OsFacts
from checks.finding import Evidence, Finding, Severity
from checks.gpu.state import (
    error_name,
    gpu_name,
    in_nvml,
    is_given_away,
    nvidia_architecture,
    only_with_a_gpu,
    pci_address,
    seen_cuda_errors,
)
from checks.knowledge.cuda_driver import Fit, driver_fit, right_flavour
from checks.knowledge.hardware_errors import hardware_errors, xid
from checks.knowledge.windows_device_problems import device_problem
from checks.phrases import phrase
from checks.registry import check

CAUSE = "gpu-hardware-fault"

# Suspects that are no fault of the GPU, its memory, its slot or its power. "firmware" stays in: only a reset helps.
_NOT_THE_HARDWARE = ("app", "driver", "consequence", "none", "system")
# Codes of [[xid]] that the catalog itself answers with "no action": a memory row was replaced, as it should be.
_REPAIRED = (63, 92, 93, 94, 156, 160, 162, 164)
_LOST = ("NVML_ERROR_GPU_IS_LOST", "NVML_ERROR_RESET_REQUIRED", "NVML_ERROR_INSUFFICIENT_POWER")
_DAMAGED = ("NVML_ERROR_CORRUPTED_INFOROM",)
# Slurm sets these; with its ConstrainDevices a job may open the GPUs that it was given, and NVML shows no others.
_JOB_VARIABLES = ("SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_GPUS")


Sign = tuple[str, dict[str, str]]


@dataclass
class _Signs:
    """What speaks against one GPU, by how bad it is."""

    name: str
    grave: list[Sign] = field(default_factory=list)
    mild: list[Sign] = field(default_factory=list)
    confidence: float = 0.6

    def add(self, raw: str, words: dict[str, str], *, grave: bool, confidence: float) -> None:
        """Add a sign: as it came (``raw``), and the words for it, a phrase named "sign"."""
        (self.grave if grave else self.mild).append((raw, words))
        self.confidence = max(self.confidence, confidence)


@check(CAUSE)
def gpu_hardware_fault(
    nvidia: NvidiaFacts | None,
    gpus: Gpus | None,
    frameworks: Frameworks | None,
    os: OsFacts | None,
    environment: EnvironmentVariables | None,
) -> Iterator[Finding]:
    """One finding per GPU, with all its signs."""
    only_with_a_gpu(gpus, nvidia, next(iter(seen_cuda_errors(frameworks)), None))
    found: dict[str, _Signs] = {}
    if nvidia is not None:
        for gpu in nvidia.devices or ():
            _from_nvml(gpu, _of(found, pci_address(gpu.pci_address) or str(gpu.index), gpu.name or f"GPU {gpu.index}"))
        for index, error in nvidia.device_errors.items():
            if error in _LOST + _DAMAGED:
                _of(found, f"index {index}", f"GPU {index}").add(
                    error, phrase("sign", "fault-nvml", error=error), grave=True, confidence=0.9
                )
        if nvidia.nvml is not None and nvidia.nvml in _LOST:
            words = phrase("sign", "fault-nvml", error=nvidia.nvml)
            _of(found, "nvml", "NVIDIA GPU").add(nvidia.nvml, words, grave=True, confidence=0.9)
        _from_log(nvidia, found, gpus)
    if gpus is not None:
        _from_bus(gpus, found)
        if nvidia is not None and _must_see_all(os, environment):
            _missing_in_nvml(gpus, nvidia, found)
    for seen in seen_cuda_errors(frameworks):
        if seen.error.cause == CAUSE:
            name = error_name(seen.error)
            words = phrase("sign", "fault-cuda", error=name)
            _of(found, "cuda", seen.framework).add(name, words, grave=True, confidence=0.9)
    for subject, signs in found.items():
        if signs.grave or signs.mild:
            yield _finding(subject, signs, nvidia)


def _of(found: dict[str, _Signs], key: str, name: str) -> _Signs:
    return found.setdefault(key, _Signs(name))


def _finding(subject: str, signs: _Signs, nvidia: NvidiaFacts | None) -> Finding:
    told = dict(signs.grave + signs.mild)
    return Finding(
        cause=CAUSE,
        severity=Severity.BLOCKING if signs.grave else Severity.WARNING,
        confidence=signs.confidence,
        subject=subject,
        evidence=(
            Evidence("gpu", signs.name, nvidia.origin if nvidia else ""),
            Evidence("signs", "; ".join(told), hardware_errors().title, hardware_errors().source),
        ),
        values={
            "signs_en": "; ".join(words["sign_en"] for words in told.values()),
            "signs_ja": "、".join(words["sign_ja"] for words in told.values()),
        },
    )


def _from_nvml(gpu: NvidiaGpu, signs: _Signs) -> None:
    for error in sorted(set(gpu.unread.values())):
        if error in _LOST + _DAMAGED:
            signs.add(error, phrase("sign", "fault-nvml", error=error), grave=True, confidence=0.9)
    remaps = gpu.row_remaps
    if remaps and remaps.failure:
        signs.add("row remap failure", phrase("sign", "fault-remap-failed"), grave=True, confidence=0.95)
    if remaps and remaps.pending:
        signs.add("row remap pending", phrase("sign", "fault-remap-pending"), grave=False, confidence=0.9)
    if gpu.retired_pages_pending:
        signs.add("retired pages pending", phrase("sign", "fault-retired-pending"), grave=False, confidence=0.9)
    if gpu.ecc and gpu.ecc.uncorrected_volatile:
        count = str(gpu.ecc.uncorrected_volatile)
        words = phrase("sign", "fault-ecc", count=count)
        signs.add(f"ECC uncorrected (volatile) = {count}", words, grave=True, confidence=0.9)
    action = next((row for row in hardware_errors().recovery_action if row.id == gpu.recovery_action), None)
    if action is not None and action.value != 0:
        words = phrase("sign", "fault-recovery", action=action.id)
        signs.add(f"recovery action: {action.id}", words, grave=False, confidence=0.8)


def _from_log(nvidia: NvidiaFacts, found: dict[str, _Signs], gpus: Gpus | None) -> None:
    names = {pci_address(gpu.address): gpu_name(gpu) for gpu in (gpus.nvidia if gpus else ())}
    names |= {pci_address(gpu.pci_address): gpu.name for gpu in nvidia.devices or () if gpu.name}
    counted = Counter((pci_address(event.pci_address), event.code) for event in nvidia.xids or ())
    for (address, code), times in counted.items():
        row = xid(code)
        if row is None or not row.likely or row.likely[0] in _NOT_THE_HARDWARE:
            continue
        repeated = f" (x{times})" if times > 1 else ""
        signs = _of(found, address or "log", names.get(address) or "NVIDIA GPU")
        is_grave = row.severity == "fatal" and code not in _REPAIRED
        words = _xid_words(code, row.likely[0], repeated)
        signs.add(f"Xid {code}{repeated}: {row.meaning}", words, grave=is_grave, confidence=0.85 if is_grave else 0.7)


def _xid_words(code: int, suspect: str, repeated: str) -> dict[str, str]:
    """The words for an Xid: its number, and in each language what it speaks against."""
    against = phrase("suspect", f"suspect-{suspect}")
    return {
        f"sign_{language}": phrase("sign", "fault-xid", code=str(code), suspect=word, times=repeated)[
            f"sign_{language}"
        ]
        for language, word in ((name.removeprefix("suspect_"), word) for name, word in against.items())
    }


def _from_bus(gpus: Gpus, found: dict[str, _Signs]) -> None:
    for gpu in gpus.devices:
        signs = _of(found, pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
        problem = device_problem(gpu.problem_code)
        if problem is not None and problem.cause == CAUSE:
            words = phrase("sign", "fault-windows", problem=problem.name, code=str(problem.code))
            signs.add(f"Windows: {problem.name} ({problem.code})", words, grave=True, confidence=0.6)
        if gpu.revision == "ff":
            signs.add("PCI revision ff", phrase("sign", "fault-no-registers"), grave=True, confidence=0.9)


def _must_see_all(os: OsFacts | None, environment: EnvironmentVariables | None) -> bool:
    """Whether NVML here shows every GPU of the bus: a container or a scheduler's job is handed some of them only."""
    if os is None or os.container != "":
        return False
    return environment is None or not any(name in environment.values for name in _JOB_VARIABLES)


def _missing_in_nvml(gpus: Gpus, nvidia: NvidiaFacts, found: dict[str, _Signs]) -> None:
    if nvidia.nvml != "ok" or nvidia.devices is None:
        return
    for gpu in gpus.nvidia:
        if gpu.driver != "nvidia" or is_given_away(gpu) or in_nvml(gpu, nvidia) is not None:
            continue
        architecture = nvidia_architecture(gpu)
        if (
            architecture is None
            or not nvidia.driver_version
            or right_flavour(architecture, nvidia.kernel_module_flavour)
        ):
            continue
        if driver_fit(architecture, nvidia.driver_version) is Fit.FITS:
            signs = _of(found, pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
            signs.add("not in NVML", phrase("sign", "fault-not-in-nvml"), grave=True, confidence=0.75)

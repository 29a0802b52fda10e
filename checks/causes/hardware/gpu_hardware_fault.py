"""The GPU itself reports a fault.

Detects:      NVML's errors for a lost or damaged GPU; a GPU that is on the bus with the driver bound, but not in NVML,
              or whose bus registers read as ff; Xid events whose first suspect is no program; uncorrectable ECC errors;
              row remaps and page retirements that failed or wait for a restart; a recovery action; CUDA error 214;
              Windows codes 10 and 43; errors of AMD's memory that could not be corrected, and resets of AMD's and
              Intel's cards that failed, in the kernel log. Xids come from the kernel log or Windows' event log. Under
              Naosu's own load: results with a wrong bit where whole numbers are computed exactly, in two loads, Xid
              events, memory errors and resets that came meanwhile, a lost device; a device that was lost between two
              operations; and repeated operations that vary where no order of computing changes a result, and do so
              again in a new process.
Why it bites: results may be wrong, programs die at random, or the GPU is gone until the next start.
Blind spots:  a container or a scheduler's job is handed some GPUs only: what NVML does not show says nothing there.
              Cards without ECC do not notice flipped bits; a short load shows a rare one seldom. One Xid alone is weak
              evidence: a program's fault can look like the hardware's, and the kernel log is not always readable.
Knowledge:    resources/knowledge/errors/hardware_errors.toml, gpu_log.toml,
              windows_device_problems.toml, cuda_errors.toml
"""

from collections import Counter
from collections.abc import Iterator

from checks.analysis.gpu.load import CPU
from checks.analysis.gpu.signs import (
    NOT_THE_HARDWARE,
    REPAIRED,
    Signs,
    add_event,
    computed_signs,
    signs_of,
    xid_words,
)
from checks.analysis.gpu.state import (
    error_name,
    gpu_name,
    in_nvml,
    is_given_away,
    nvidia_architecture,
    only_with_a_gpu,
    seen_cuda_errors,
)
from checks.causes.registry import check
from checks.facts import (
    EnvironmentVariables,
    Frameworks,
    Gpus,
    Measurements,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    SystemLog,
)
from checks.facts.finding import Evidence, Finding
from checks.facts.machine import canonical_pci_address
from checks.knowledge.errors.gpu_log import sign_of_kind
from checks.knowledge.errors.hardware_errors import HardwareErrors, xid
from checks.knowledge.errors.windows_device_problems import device_problem
from checks.knowledge.gpu.cuda_driver import Fit, driver_fit, right_flavour
from checks.knowledge.phrases import phrase

CAUSE = "gpu-hardware-fault"

_LOST = ("NVML_ERROR_GPU_IS_LOST", "NVML_ERROR_RESET_REQUIRED", "NVML_ERROR_INSUFFICIENT_POWER")
_DAMAGED = ("NVML_ERROR_CORRUPTED_INFOROM",)
# Slurm sets these; with its ConstrainDevices a job may open the GPUs that it was given, and NVML shows no others.
_JOB_VARIABLES = ("SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_GPUS")


@check(CAUSE)
def gpu_hardware_fault(
    nvidia: NvidiaFacts | None,
    gpus: Gpus | None,
    frameworks: Frameworks | None,
    os: OsFacts | None,
    environment: EnvironmentVariables | None,
    measurements: Measurements | None,
    log: SystemLog | None,
) -> Iterator[Finding]:
    """One finding per GPU, with all its signs."""
    found = computed_signs(measurements, frameworks, gpus, None, of_processor=False)
    if not any(signs.any for signs in found.values()):
        only_with_a_gpu(gpus, nvidia, next(iter(seen_cuda_errors(frameworks)), None))
    _from_driver(nvidia, found, gpus)
    _from_system_log(log, found, gpus)
    if gpus is not None:
        _from_bus(gpus, found)
        if nvidia is not None and _must_see_all(os, environment):
            _missing_in_nvml(gpus, nvidia, found)
    for seen in seen_cuda_errors(frameworks):
        if seen.error.cause == CAUSE:
            name = error_name(seen.error)
            words = phrase("fault-cuda", error=name)
            signs_of(found, "cuda", seen.framework).add(name, words, grave=True, confidence=0.9)
    for subject, signs in found.items():
        if signs.any:
            yield _finding(subject, signs, nvidia)


def _from_driver(nvidia: NvidiaFacts | None, found: dict[str, Signs], gpus: Gpus | None) -> None:
    if nvidia is not None:
        for gpu in nvidia.devices or ():
            place = canonical_pci_address(gpu.pci_address) or str(gpu.index)
            _from_nvml(gpu, signs_of(found, place, gpu.name or f"GPU {gpu.index}"))
        for index, error in nvidia.device_errors.items():
            if error in _LOST + _DAMAGED:
                signs_of(found, f"index {index}", f"GPU {index}").add(
                    error, phrase("fault-nvml", error=error), grave=True, confidence=0.9
                )
        if nvidia.nvml is not None and nvidia.nvml in _LOST:
            words = phrase("fault-nvml", error=nvidia.nvml)
            signs_of(found, "nvml", "NVIDIA GPU").add(nvidia.nvml, words, grave=True, confidence=0.9)
        _from_log(nvidia, found, gpus)


def _finding(subject: str, signs: Signs, nvidia: NvidiaFacts | None) -> Finding:
    listed_signs = dict(signs.grave + signs.mild + signs.harmless)
    return Finding(
        severity=signs.severity,
        confidence=signs.confidence,
        subject=subject,
        evidence=(
            Evidence("gpu", signs.name, nvidia.origin if nvidia else ""),
            Evidence("signs", "; ".join(listed_signs), HardwareErrors.read().title, HardwareErrors.read().source),
        ),
        values={"signs": phrase("signs", signs=tuple(listed_signs.values()))},
    )


def _from_nvml(gpu: NvidiaGpu, signs: Signs) -> None:
    for error in sorted(set(gpu.unread.values())):
        if error in _LOST + _DAMAGED:
            signs.add(error, phrase("fault-nvml", error=error), grave=True, confidence=0.9)
    remaps = gpu.row_remaps
    if remaps and remaps.failure:
        signs.add("row remap failure", phrase("fault-remap-failed"), grave=True, confidence=0.95)
    if remaps and remaps.pending:
        signs.add("row remap pending", phrase("fault-remap-pending"), grave=False, confidence=0.9)
    if gpu.retired_pages_pending:
        signs.add("retired pages pending", phrase("fault-retired-pending"), grave=False, confidence=0.9)
    if gpu.ecc and gpu.ecc.uncorrected_volatile:
        count = str(gpu.ecc.uncorrected_volatile)
        words = phrase("fault-ecc", count=count)
        signs.add(f"ECC uncorrected (volatile) = {count}", words, grave=True, confidence=0.9)
    action = next((row for row in HardwareErrors.read().recovery_action if row.id == gpu.recovery_action), None)
    if action is not None and action.value != 0:
        words = phrase("fault-recovery", action=action.id)
        signs.add(f"recovery action: {action.id}", words, grave=False, confidence=0.8)


def _from_log(nvidia: NvidiaFacts, found: dict[str, Signs], gpus: Gpus | None) -> None:
    names = {canonical_pci_address(gpu.address): gpu_name(gpu) for gpu in (gpus.nvidia if gpus else ())}
    names |= {canonical_pci_address(gpu.pci_address): gpu.name for gpu in nvidia.devices or () if gpu.name}
    counted = Counter((canonical_pci_address(event.pci_address), event.code) for event in nvidia.xids or ())
    recent = {
        (canonical_pci_address(event.pci_address), event.code) for event in nvidia.xids or () if not event.before_start
    }
    for (address, code), times in counted.items():
        row = xid(code)
        if row is None or not row.likely or row.likely[0] in NOT_THE_HARDWARE:
            continue
        repeated = f" (x{times})" if times > 1 else ""
        signs = signs_of(found, address or "log", names.get(address) or "NVIDIA GPU")
        is_grave = row.severity == "fatal" and code not in REPAIRED and (address, code) in recent
        words = xid_words(code, row.likely[0], repeated)
        signs.add(f"Xid {code}{repeated}: {row.meaning}", words, grave=is_grave, confidence=0.85 if is_grave else 0.7)


def _from_system_log(log: SystemLog | None, found: dict[str, Signs], gpus: Gpus | None) -> None:
    """What speaks against the hardware whatever ran; resets that a program may have caused do not."""
    names = {canonical_pci_address(gpu.address): gpu_name(gpu) for gpu in (gpus.devices if gpus else ())}
    counted = Counter(
        (canonical_pci_address(event.pci_address), event.kind) for event in (log.events if log else None) or ()
    )
    for (address, kind), times in counted.items():
        row = sign_of_kind(kind)
        if row is None or row.vendor == CPU or row.likely[0] in NOT_THE_HARDWARE:
            continue
        signs = signs_of(found, address or "log", names.get(address) or "GPU")
        add_event(kind, times, signs, confidence=0.85)


def _from_bus(gpus: Gpus, found: dict[str, Signs]) -> None:
    for gpu in gpus.devices:
        signs = signs_of(found, canonical_pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
        problem = device_problem(gpu.problem_code)
        if problem is not None and problem.cause == CAUSE:
            words = phrase("fault-windows", problem=problem.name, code=str(problem.code))
            signs.add(f"Windows: {problem.name} ({problem.code})", words, grave=True, confidence=0.6)
        if gpu.revision == "ff":
            signs.add("PCI revision ff", phrase("fault-no-registers"), grave=True, confidence=0.9)


def _must_see_all(os: OsFacts | None, environment: EnvironmentVariables | None) -> bool:
    """Whether NVML here shows every GPU of the bus: a container or a scheduler's job is handed some of them only."""
    if os is None or os.container != "":
        return False
    return environment is None or not any(name in environment.values for name in _JOB_VARIABLES)


def _missing_in_nvml(gpus: Gpus, nvidia: NvidiaFacts, found: dict[str, Signs]) -> None:
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
            signs = signs_of(found, canonical_pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
            signs.add("not in NVML", phrase("fault-not-in-nvml"), grave=True, confidence=0.75)

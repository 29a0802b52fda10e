"""The GPU itself reports a fault.

Detects:      NVML's errors for a lost or damaged GPU; a GPU that is on the bus with the driver bound, but not in NVML,
              or whose bus registers read as ff; Xid events whose first suspect is no program; uncorrectable ECC errors;
              row remaps and page retirements that failed or wait for a restart; a recovery action; CUDA error 214;
              Windows codes 10 and 43; errors of AMD's memory that could not be corrected, and resets of AMD's and
              Intel's cards that failed, in the kernel log. Xids come from the kernel log or Windows' event log. Under
              Naosu's own load, also of the processor: results with a wrong bit where whole numbers are computed
              exactly, Xid events, memory errors and resets that came meanwhile, a lost device; a device that was lost
              between two operations; and repeated operations that vary where no order of computing changes a result.
Why it bites: results may be wrong, programs die at random, or the GPU is gone until the next start.
Blind spots:  a container or a scheduler's job is handed some GPUs only: what NVML does not show says nothing there.
              Cards without ECC do not notice flipped bits; a short load shows a rare one seldom. One Xid alone is weak
              evidence: a program's fault can look like the hardware's, and the kernel log is not always readable.
Knowledge:    resources/knowledge/errors/hardware_errors.toml, gpu_log.toml,
              windows_device_problems.toml, cuda_errors.toml
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from checks.analysis.gpu.load import (
    CPU,
    device_address,
    device_name,
    ended_badly,
    events_under_load,
    loads,
    lost_while_computing,
    xids_under_load,
)
from checks.analysis.gpu.state import (
    LINE,
    error_name,
    gpu_name,
    in_nvml,
    is_given_away,
    nvidia_architecture,
    only_with_a_gpu,
    seen_cuda_errors,
)
from checks.analysis.numbers.repeats import Repeated, Variation, by_device, is_control, is_device, repeated, versions_of
from checks.causes.registry import check
from checks.facts import (
    CpuFacts,
    EnvironmentVariables,
    Frameworks,
    Gpus,
    Health,
    Measured,
    Measurements,
    NvidiaFacts,
    NvidiaGpu,
    OsFacts,
    SystemLog,
)
from checks.facts.finding import Evidence, Finding, Severity
from checks.facts.machine import canonical_pci_address
from checks.facts.phrase import Phrase
from checks.knowledge.errors.gpu_log import sign_of_kind
from checks.knowledge.errors.hardware_errors import HardwareErrors, xid
from checks.knowledge.errors.windows_device_problems import device_problem
from checks.knowledge.gpu.cuda_driver import Fit, driver_fit, right_flavour
from checks.knowledge.phrases import phrase

CAUSE = "gpu-hardware-fault"

# Suspects that are no fault of the GPU, its memory, its slot or its power. "firmware" stays in: only a reset helps.
_NOT_THE_HARDWARE = ("app", "driver", "consequence", "none", "system")
_NO_FAULT = ("none", "consequence")  # those that follow from another one also follow from ending a process
# Codes of [[xid]] that the catalog itself answers with "no action": a memory row was replaced, as it should be.
_REPAIRED = (63, 92, 93, 94, 156, 160, 162, 164)
_LOST = ("NVML_ERROR_GPU_IS_LOST", "NVML_ERROR_RESET_REQUIRED", "NVML_ERROR_INSUFFICIENT_POWER")
_DAMAGED = ("NVML_ERROR_CORRUPTED_INFOROM",)
# Slurm sets these; with its ConstrainDevices a job may open the GPUs that it was given, and NVML shows no others.
_JOB_VARIABLES = ("SLURM_JOB_ID", "SLURM_JOB_GPUS", "SLURM_GPUS")


Sign = tuple[str, Phrase]


@dataclass
class _Signs:
    """What speaks against one GPU, by how bad it is."""

    name: str
    grave: list[Sign] = field(default_factory=list)
    mild: list[Sign] = field(default_factory=list)
    harmless: list[Sign] = field(default_factory=list)  # alone; beside another sign they say the same again
    confidence: float = 0.6

    def add(self, raw: str, words: Phrase, *, grave: bool, confidence: float) -> None:
        """Add a sign: as it came (``raw``), and the words for it."""
        (self.grave if grave else self.mild).append((raw, words))
        self.confidence = max(self.confidence, confidence)

    @property
    def any(self) -> bool:
        """Whether anything speaks against it."""
        return bool(self.grave or self.mild or self.harmless)

    @property
    def severity(self) -> Severity:
        """How bad the worst of them is."""
        return Severity.BLOCKING if self.grave else Severity.WARNING if self.mild else Severity.NOTE


@check(CAUSE)
def gpu_hardware_fault(
    nvidia: NvidiaFacts | None,
    gpus: Gpus | None,
    frameworks: Frameworks | None,
    os: OsFacts | None,
    environment: EnvironmentVariables | None,
    measurements: Measurements | None,
    cpu: CpuFacts | None,
    log: SystemLog | None,
) -> Iterator[Finding]:
    """One finding per GPU (or processor that was put under load), with all its signs."""
    found: dict[str, _Signs] = {}
    for health in loads(measurements):
        signs = _of(found, _place(health, frameworks), device_name(health, frameworks, cpu))
        _from_load(health, signs, frameworks, gpus)
    for run, error, says_so in lost_while_computing(measurements):
        signs = _of(found, _place(run, frameworks), device_name(run, frameworks, cpu))
        _from_operation(run, error, signs, says_so=says_so)
    for _, _, operations in by_device(repeated(measurements.all if measurements else (), versions_of(frameworks))):
        if is_device(operations):
            first = next(operation.default for operation in operations if operation.default is not None)
            _from_repeats(operations, _of(found, _place(first, frameworks), device_name(first, frameworks, cpu)))
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
            _of(found, "cuda", seen.framework).add(name, words, grave=True, confidence=0.9)
    for subject, signs in found.items():
        if signs.any:
            yield _finding(subject, signs, nvidia)


def _from_driver(nvidia: NvidiaFacts | None, found: dict[str, _Signs], gpus: Gpus | None) -> None:
    if nvidia is not None:
        for gpu in nvidia.devices or ():
            _from_nvml(
                gpu,
                _of(found, canonical_pci_address(gpu.pci_address) or str(gpu.index), gpu.name or f"GPU {gpu.index}"),
            )
        for index, error in nvidia.device_errors.items():
            if error in _LOST + _DAMAGED:
                _of(found, f"index {index}", f"GPU {index}").add(
                    error, phrase("fault-nvml", error=error), grave=True, confidence=0.9
                )
        if nvidia.nvml is not None and nvidia.nvml in _LOST:
            words = phrase("fault-nvml", error=nvidia.nvml)
            _of(found, "nvml", "NVIDIA GPU").add(nvidia.nvml, words, grave=True, confidence=0.9)
        _from_log(nvidia, found, gpus)


def _of(found: dict[str, _Signs], key: str, name: str) -> _Signs:
    return found.setdefault(key, _Signs(name))


def _finding(subject: str, signs: _Signs, nvidia: NvidiaFacts | None) -> Finding:
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


def _from_nvml(gpu: NvidiaGpu, signs: _Signs) -> None:
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


def _place(measured: Measured, frameworks: Frameworks | None) -> str:
    """The address of the device that was measured, by which its other signs are kept, too."""
    return device_address(measured, frameworks) or measured.device


def _from_load(health: Health, signs: _Signs, frameworks: Frameworks | None, gpus: Gpus | None) -> None:
    if health.wrong:
        first, count = health.wrong[0], health.samples[-1].wrong if health.samples else len(health.wrong)
        load = {"count": str(max(count, len(health.wrong))), "checked": str(health.checked)}
        load |= {"second": f"{first.second:.0f}", "operation": first.operation}
        raw = f"wrong bits under load: {load['count']}/{load['checked']}, {first.operation} {list(first.index)}"
        signs.add(raw, phrase("fault-wrong-bits", **load), grave=True, confidence=0.95)
    error = ended_badly(health)
    for code in sorted({event.code for event in xids_under_load(health, frameworks, gpus)}):
        row = xid(code)
        if row is None or not row.likely or row.likely[0] in _NO_FAULT:
            continue
        # The driver does not tell whose it was: another program on this GPU may have made a mistake. Our own load
        # accesses nothing that it should not; where it ended with an error, too, the Xid speaks against the hardware.
        is_of_programs = row.likely[0] in _NOT_THE_HARDWARE
        if not is_of_programs or error or health.wrong:
            words = _xid_words(code, "hardware" if is_of_programs else row.likely[0], "")
            is_grave = code not in _REPAIRED and not (is_of_programs and health.reason == "crashed")
            signs.add(f"Xid {code} under load: {row.meaning}", words, grave=is_grave, confidence=0.8)
    # What a program may cause, too, ours does not: its products are short, and it touches what is its own.
    counted = Counter(event.kind for event in events_under_load(health, frameworks, gpus))
    for kind, times in counted.items():
        _from_event(kind, times, signs, confidence=0.85 if _is_grave(kind) else 0.6)
    if health.ecc_uncorrected:
        words = phrase("fault-ecc", count=str(health.ecc_uncorrected))
        signs.add(f"ECC uncorrected under load = {health.ecc_uncorrected}", words, grave=True, confidence=0.9)
    if health.ecc_corrected:
        words = phrase("fault-ecc-corrected", count=str(health.ecc_corrected))
        signs.harmless.append((f"ECC corrected under load = {health.ecc_corrected}", words))
    if health.remapped_rows:
        words = phrase("fault-remapped", count=str(health.remapped_rows))
        signs.add(f"rows remapped under load = {health.remapped_rows}", words, grave=False, confidence=0.85)
    if error:
        words = phrase("fault-lost-under-load", error=error.splitlines()[0][:LINE])
        # What the driver says of a kernel is of the device; a process dies of its libraries' faults, too.
        is_grave = health.reason != "crashed"
        signs.add(f"load ended: {error.splitlines()[0][:LINE]}", words, grave=is_grave, confidence=0.7)


def _from_operation(run: Measured, error: str, signs: _Signs, *, says_so: bool) -> None:
    error = error.splitlines()[0][:LINE]
    words = phrase("fault-lost-while-computing", operation=run.operation, error=error)
    signs.add(f"{run.operation}: {error}", words, grave=says_so, confidence=0.9 if says_so else 0.6)


def _from_repeats(operations: Sequence[Repeated], signs: _Signs) -> None:
    wrong = [operation.operation for operation in operations if operation.variation is Variation.WRONG]
    words = phrase("fault-varies", count=str(len(wrong)))
    signs.add(f"results vary: {', '.join(wrong)}", words, grave=any(map(is_control, wrong)), confidence=0.75)


def _from_log(nvidia: NvidiaFacts, found: dict[str, _Signs], gpus: Gpus | None) -> None:
    names = {canonical_pci_address(gpu.address): gpu_name(gpu) for gpu in (gpus.nvidia if gpus else ())}
    names |= {canonical_pci_address(gpu.pci_address): gpu.name for gpu in nvidia.devices or () if gpu.name}
    counted = Counter((canonical_pci_address(event.pci_address), event.code) for event in nvidia.xids or ())
    recent = {
        (canonical_pci_address(event.pci_address), event.code) for event in nvidia.xids or () if not event.before_start
    }
    for (address, code), times in counted.items():
        row = xid(code)
        if row is None or not row.likely or row.likely[0] in _NOT_THE_HARDWARE:
            continue
        repeated = f" (x{times})" if times > 1 else ""
        signs = _of(found, address or "log", names.get(address) or "NVIDIA GPU")
        is_grave = row.severity == "fatal" and code not in _REPAIRED and (address, code) in recent
        words = _xid_words(code, row.likely[0], repeated)
        signs.add(f"Xid {code}{repeated}: {row.meaning}", words, grave=is_grave, confidence=0.85 if is_grave else 0.7)


def _from_system_log(log: SystemLog | None, found: dict[str, _Signs], gpus: Gpus | None) -> None:
    """What speaks against the hardware whatever ran; resets that a program may have caused do not."""
    names = {canonical_pci_address(gpu.address): gpu_name(gpu) for gpu in (gpus.devices if gpus else ())}
    counted = Counter(
        (canonical_pci_address(event.pci_address), event.kind) for event in (log.events if log else None) or ()
    )
    for (address, kind), times in counted.items():
        row = sign_of_kind(kind)
        if row is None or row.vendor == CPU or row.likely[0] in _NOT_THE_HARDWARE:
            continue
        signs = _of(found, address or "log", names.get(address) or "GPU")
        _from_event(kind, times, signs, confidence=0.85)


def _from_event(kind: str, times: int, signs: _Signs, *, confidence: float) -> None:
    repeated = f" (x{times})" if times > 1 else ""
    words = phrase(f"fault-log-{kind}", times=repeated)
    signs.add(f"system log: {kind}{repeated}", words, grave=_is_grave(kind), confidence=confidence)


def _is_grave(kind: str) -> bool:
    row = sign_of_kind(kind)
    return row is not None and row.grave


def _xid_words(code: int, suspect: str, repeated: str) -> Phrase:
    """The words for an Xid: its number, and what it speaks against."""
    return phrase("fault-xid", code=str(code), suspect=phrase(f"suspect-{suspect}"), times=repeated)


def _from_bus(gpus: Gpus, found: dict[str, _Signs]) -> None:
    for gpu in gpus.devices:
        signs = _of(found, canonical_pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
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
            signs = _of(found, canonical_pci_address(gpu.address) or gpu_name(gpu), gpu_name(gpu))
            signs.add("not in NVML", phrase("fault-not-in-nvml"), grave=True, confidence=0.75)

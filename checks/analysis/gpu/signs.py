"""What speaks against a device: the signs that its own load, its operations and the system's log give.

A wrong result is called a fault only where it comes again: in a second load, or when the operation is repeated in a new
process on the same device. One alone may be a fault, a particle that hit a memory without error correction, or a race
in a library, and is told as what it is. Of processors, too, faults come again in the same unit: Hochschild et al.,
"Cores that don't count", HotOS 2021.
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
from checks.analysis.gpu.state import LINE
from checks.analysis.numbers.repeats import (
    FRESH,
    Repeated,
    by_device,
    is_control,
    is_device,
    is_processor,
    repeated,
    versions_of,
    wrong_again,
)
from checks.facts import CpuFacts, Frameworks, Gpus, Health, Measured, Measurements
from checks.facts.finding import Severity
from checks.facts.phrase import Phrase
from checks.knowledge.errors.gpu_log import sign_of_kind
from checks.knowledge.errors.hardware_errors import xid
from checks.knowledge.phrases import phrase

# Suspects that are no fault of the hardware, its memory, slot or power. "firmware" stays in: only a reset helps.
NOT_THE_HARDWARE = ("app", "driver", "consequence", "none", "system")
NO_FAULT = ("none", "consequence")  # those that follow from another one also follow from ending a process
# Codes of [[xid]] that the catalog itself answers with "no action": a memory row was replaced, as it should be.
REPAIRED = (63, 92, 93, 94, 156, 160, 162, 164)
_AGAIN, _UNTRIED, _ONCE = 0.95, 0.6, 0.4  # of wrong results under load that came again, or did not
_HARMLESS = 0.6


Sign = tuple[str, Phrase]


@dataclass
class Signs:
    """What speaks against one device, by how bad it is."""

    name: str
    grave: list[Sign] = field(default_factory=list)
    mild: list[Sign] = field(default_factory=list)
    harmless: list[Sign] = field(default_factory=list)  # alone; beside another sign they say the same again
    sureness: float = 0.0  # that of the surest sign

    def add(self, raw: str, words: Phrase, *, grave: bool, confidence: float) -> None:
        """Add a sign: as it came (``raw``), and the words for it."""
        (self.grave if grave else self.mild).append((raw, words))
        self.sureness = max(self.sureness, confidence)

    @property
    def confidence(self) -> float:
        """How surely the device is at fault."""
        return self.sureness or _HARMLESS

    @property
    def any(self) -> bool:
        """Whether anything speaks against it."""
        return bool(self.grave or self.mild or self.harmless)

    @property
    def severity(self) -> Severity:
        """How bad the worst of them is."""
        return Severity.BLOCKING if self.grave else Severity.WARNING if self.mild else Severity.NOTE


def signs_of(found: dict[str, Signs], key: str, name: str) -> Signs:
    """The signs of one device, by its address or another key."""
    return found.setdefault(key, Signs(name))


def computed_signs(
    measurements: Measurements | None,
    frameworks: Frameworks | None,
    gpus: Gpus | None,
    cpu: CpuFacts | None,
    *,
    of_processor: bool,
) -> dict[str, Signs]:
    """What was seen while Naosu computed: of processors or of all other devices, by their addresses or names."""
    found: dict[str, Signs] = {}
    for health in _loads(measurements, of_processor=of_processor):
        signs = signs_of(found, _place(health, frameworks), device_name(health, frameworks, cpu))
        _from_load(health, signs, frameworks, gpus, _again(health, measurements))
    for run, error, says_so in lost_while_computing(measurements):
        if is_processor(run.device) is of_processor:
            signs = signs_of(found, _place(run, frameworks), device_name(run, frameworks, cpu))
            _from_operation(run, error, signs, says_so=says_so)
    for _, device, operations in by_device(repeated(measurements.all if measurements else (), versions_of(frameworks))):
        if is_processor(device) is of_processor and is_device(operations):
            first = next(operation.default for operation in operations if operation.default is not None)
            _from_repeats(operations, signs_of(found, _place(first, frameworks), device_name(first, frameworks, cpu)))
    return found


def _loads(measurements: Measurements | None, *, of_processor: bool) -> Iterator[Health]:
    return (run for run in loads(measurements) if is_processor(run.device) is of_processor)


def _again(health: Health, measurements: Measurements | None) -> Health | None:
    """The load of the same device in another process, where there was one that came to its end."""
    others = (run for run in loads(measurements) if run.device == health.device and run.setting != health.setting)
    return next((run for run in others if run.checked and not run.reason), None)


def _place(measured: Measured, frameworks: Frameworks | None) -> str:
    """The address of the device that was measured, by which its other signs are kept, too."""
    return device_address(measured, frameworks) or (CPU if is_processor(measured.device) else measured.device)


def _from_load(
    health: Health, signs: Signs, frameworks: Frameworks | None, gpus: Gpus | None, again: Health | None
) -> None:
    if health.wrong:
        _from_wrong_bits(health, signs, again)
    error = ended_badly(health)
    for code in sorted({event.code for event in xids_under_load(health, frameworks, gpus)}):
        row = xid(code)
        if row is None or not row.likely or row.likely[0] in NO_FAULT:
            continue
        # The driver does not tell whose it was: another program on this GPU may have made a mistake. Our own load
        # accesses nothing that it should not; where it ended with an error, too, the Xid speaks against the hardware.
        is_of_programs = row.likely[0] in NOT_THE_HARDWARE
        if not is_of_programs or error or health.wrong:
            words = xid_words(code, "hardware" if is_of_programs else row.likely[0], "")
            is_grave = code not in REPAIRED and not (is_of_programs and health.reason == "crashed")
            signs.add(f"Xid {code} under load: {row.meaning}", words, grave=is_grave, confidence=0.8)
    # What a program may cause, too, ours does not: its products are short, and it touches what is its own.
    counted = Counter(event.kind for event in events_under_load(health, frameworks, gpus))
    for kind, times in counted.items():
        add_event(kind, times, signs, confidence=0.85 if _is_grave(kind) else 0.6)
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


def _from_wrong_bits(health: Health, signs: Signs, again: Health | None) -> None:
    """Wrong results of a load: grave where another load had them, too."""
    first, count = health.wrong[0], health.samples[-1].wrong if health.samples else len(health.wrong)
    load = {"count": str(max(count, len(health.wrong))), "checked": str(health.checked)}
    load |= {"second": f"{first.second:.0f}", "operation": first.operation}
    raw = f"wrong bits under load: {load['count']}/{load['checked']}, {first.operation} {list(first.index)}"
    came_again = bool(again and again.wrong)
    confidence = _UNTRIED if again is None else _AGAIN if came_again else _ONCE
    signs.add(raw, phrase("fault-wrong-bits", **load), grave=came_again, confidence=confidence)
    if again is not None and health.setting != FRESH:
        seconds = f"{again.length or 0:.0f}"
        raw = f"another load of {seconds} s in a new process: {len(again.wrong)}/{again.checked}"
        words = phrase("fault-again" if came_again else "fault-not-again", seconds=seconds)
        signs.harmless.append((raw, words))


def _from_operation(run: Measured, error: str, signs: Signs, *, says_so: bool) -> None:
    error = error.splitlines()[0][:LINE]
    words = phrase("fault-lost-while-computing", operation=run.operation, error=error)
    signs.add(f"{run.operation}: {error}", words, grave=says_so, confidence=0.9 if says_so else 0.6)


def _from_repeats(operations: Sequence[Repeated], signs: Signs) -> None:
    wrong = [operation.operation for operation in operations if wrong_again(operation)]
    words = phrase("fault-varies", count=str(len(wrong)))
    signs.add(f"results vary: {', '.join(wrong)}", words, grave=any(map(is_control, wrong)), confidence=0.75)


def add_event(kind: str, times: int, signs: Signs, *, confidence: float) -> None:
    """Add an event of the system's log."""
    repeated = f" (x{times})" if times > 1 else ""
    words = phrase(f"fault-log-{kind}", times=repeated)
    signs.add(f"system log: {kind}{repeated}", words, grave=_is_grave(kind), confidence=confidence)


def _is_grave(kind: str) -> bool:
    row = sign_of_kind(kind)
    return row is not None and row.grave


def xid_words(code: int, suspect: str, repeated: str) -> Phrase:
    """The words for an Xid: its number, and what it speaks against."""
    return phrase("fault-xid", code=str(code), suspect=phrase(f"suspect-{suspect}"), times=repeated)

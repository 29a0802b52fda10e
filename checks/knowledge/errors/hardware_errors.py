"""Signs of trouble in an NVIDIA GPU: Xid codes, clock reasons, NVML return codes, recovery actions."""

from typing import Literal

from checks.knowledge import Row, Table

Suspect = Literal[
    "app", "driver", "firmware", "hardware", "memory", "pcie", "power", "nvlink", "system", "consequence", "none"
]


class Xid(Row):
    """One code of the kernel log's "NVRM: Xid" lines."""

    code: int
    name: str
    meaning: str = ""
    old: str = ""  # the meaning in documents before the catalog, where it differs
    unused: bool = False
    likely: tuple[Suspect, ...] = ()  # in order of suspicion
    likely_basis: Literal["source", "judgement", ""] = ""
    immediate: str = ""  # action code, see ``HardwareErrors.action``
    followup: str = ""
    severity: Literal["info", "warning", "fatal", ""] = ""
    disagree: str = ""


class ClockReason(Row):
    """Why the clocks are lower than they could be: one bit of NVML's clock event reasons."""

    bit: int
    name: str
    meaning: str
    sign_of_trouble: bool


class RecoveryAction(Row):
    """What NVML says a GPU needs; ``id`` is the spelling in the facts."""

    value: int
    id: str
    meaning: str


class NvmlReturn(Row):
    """An NVML return code that names a machine problem."""

    value: int
    name: str
    meaning: str


class NvmlEvent(Row):
    """One bit of NVML's event types."""

    bit: int
    meaning: str


class MemoryTerm(Row):
    """A word about damaged GPU memory, and what to do."""

    term: str
    meaning: str
    act: str
    applies: str = ""


class HardwareErrors(Table):
    action: dict[str, str]
    xid: tuple[Xid, ...]
    clock_reason: tuple[ClockReason, ...]
    recovery_action: tuple[RecoveryAction, ...]
    nvml_return: tuple[NvmlReturn, ...]
    nvml_event: tuple[NvmlEvent, ...]
    memory_term: tuple[MemoryTerm, ...]


def xid(code: int) -> Xid | None:
    """What an Xid code means; None where the catalog does not have it."""
    return next((row for row in HardwareErrors.read().xid if row.code == code), None)


def action(code: str) -> str | None:
    """What one of the catalog's action codes asks for ("RESET_GPU"); None for an unknown code."""
    return HardwareErrors.read().action.get(code)


def clock_reason(name: str) -> ClockReason | None:
    """A clock reason by its name ("HwThermalSlowdown")."""
    return next((row for row in HardwareErrors.read().clock_reason if row.name == name), None)


def clock_reasons(mask: int) -> tuple[str, ...]:
    """The names of the set bits of NVML's clock event reasons; a bit without a row is named by its value ("0x800")."""
    names = {row.bit: row.name for row in HardwareErrors.read().clock_reason}
    bits = (1 << place for place in range(mask.bit_length()))
    return tuple(names.get(bit, hex(bit)) for bit in bits if mask & bit)


def recovery_action(value: int) -> RecoveryAction | None:
    """An NVML recovery action by its number; None where nvml.h did not have it."""
    return next((row for row in HardwareErrors.read().recovery_action if row.value == value), None)


def nvml_return(name: str) -> NvmlReturn | None:
    """What an NVML error says about the machine ("NVML_ERROR_GPU_IS_LOST"); None for errors of the caller."""
    return next((row for row in HardwareErrors.read().nvml_return if row.name == name), None)

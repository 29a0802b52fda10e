"""How a virtual machine and a container show themselves."""

from collections.abc import Iterable

from checks.knowledge import Row, Table


class Beginning(Row):
    """A text that begins so names this virtual machine."""

    begins: str
    id: str


class Piece(Row):
    """A text that holds this piece names this container."""

    piece: str
    id: str


class Variable(Row):
    """An environment variable that names this container."""

    name: str
    id: str


class VirtualMachines(Table):
    dmi: tuple[Beginning, ...]
    log: tuple[Beginning, ...]
    cgroup: tuple[Piece, ...]
    variable: tuple[Variable, ...]


def machine_of_firmware(texts: Iterable[str]) -> str | None:
    """The virtual machine that the firmware's texts name ("kvm"); None where they name a computer."""
    known = [text for text in texts if text]
    if any(".metal" in text for text in known):
        return None
    rows = VirtualMachines.read().dmi
    return next((row.id for row in rows for text in known if text.startswith(row.begins)), None)


def machine_of_log(name: str) -> str | None:
    """The virtual machine that the kernel detected ("Microsoft Hyper-V" -> "hyper-v")."""
    return next((row.id for row in VirtualMachines.read().log if name.startswith(row.begins)), None)


def container_of_cgroup(text: str) -> str | None:
    """The container that /proc/1/cgroup names."""
    return next((row.id for row in VirtualMachines.read().cgroup if row.piece in text), None)


def container_of_variables(names: Iterable[str]) -> str | None:
    """The container whose environment variable is set."""
    present = set(names)
    return next((row.id for row in VirtualMachines.read().variable if row.name in present), None)

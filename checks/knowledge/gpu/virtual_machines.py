"""How a virtual machine and a container show themselves."""

from __future__ import annotations

import functools
from collections.abc import Iterable

import msgspec

from checks.knowledge import Table, load


class Beginning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that begins so names this virtual machine."""

    begins: str
    id: str


class Piece(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that holds this piece names this container."""

    piece: str
    id: str


class Variable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An environment variable that names this container."""

    name: str
    id: str


class VirtualMachines(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/virtual_machines.toml."""

    dmi: tuple[Beginning, ...]
    log: tuple[Beginning, ...]
    cgroup: tuple[Piece, ...]
    variable: tuple[Variable, ...]


@functools.cache
def virtual_machines() -> VirtualMachines:
    """The table."""
    return load("virtual_machines", VirtualMachines)


def machine_of_firmware(texts: Iterable[str]) -> str | None:
    """The virtual machine that the firmware's texts name ("kvm"); None where they name a computer."""
    known = [each for each in texts if each]
    if any(".metal" in each for each in known):
        return None
    rows = virtual_machines().dmi
    return next((row.id for row in rows for text in known if text.startswith(row.begins)), None)


def machine_of_log(name: str) -> str | None:
    """The virtual machine that the kernel detected ("Microsoft Hyper-V" -> "hyper-v")."""
    return next((row.id for row in virtual_machines().log if name.startswith(row.begins)), None)


def container_of_cgroup(text: str) -> str | None:
    """The container that /proc/1/cgroup names."""
    return next((row.id for row in virtual_machines().cgroup if row.piece in text), None)


def container_of_variables(names: Iterable[str]) -> str | None:
    """The container whose environment variable is set."""
    present = set(names)
    return next((row.id for row in virtual_machines().variable if row.name in present), None)

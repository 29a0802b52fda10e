"""How large /dev/shm is by default, and how much is tight."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class ShmDefault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A container runtime's default size of /dev/shm, in bytes."""

    runtime: str
    size: int
    source: str


class SharedMemory(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/shared_memory.toml. ``tight`` in bytes."""

    tight: int
    default: tuple[ShmDefault, ...]


@functools.cache
def shared_memory() -> SharedMemory:
    """The limits."""
    return load("shared_memory", SharedMemory)

"""OpenMP runtimes, and which of them may not meet in one process."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class OpenMpRuntime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A runtime by the start of its file name, and its family."""

    file: str
    family: str


class OpenMp(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/openmp.toml."""

    runtime: tuple[OpenMpRuntime, ...]
    exclusive: tuple[str, ...]


@functools.cache
def openmp() -> OpenMp:
    """The runtimes."""
    return load("openmp", OpenMp)


def is_exclusive_runtime(file_name: str) -> bool:
    """Whether a file is an OpenMP runtime that bears no second copy in its process."""
    family = next((row.family for row in openmp().runtime if file_name.lower().startswith(row.file)), None)
    return family in openmp().exclusive

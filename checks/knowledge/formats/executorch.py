"""ExecuTorch's backends."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class ExecuTorchBackend(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A backend by the name that programs call it. ``dependence``: of a program that uses it."""

    id: str
    runs_on: str
    dependence: str


class ExecuTorchTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/executorch.toml."""

    backend: tuple[ExecuTorchBackend, ...]


@functools.cache
def executorch_table() -> ExecuTorchTable:
    """The table."""
    return load("executorch", ExecuTorchTable)


def executorch_backend(name: str) -> ExecuTorchBackend | None:
    """The row of a backend; None for one that somebody has written for himself."""
    return next((row for row in executorch_table().backend if row.id == name), None)

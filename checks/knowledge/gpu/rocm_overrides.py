"""AMD GPUs that ROCm builds serve as another GPU of the same instruction set."""

from __future__ import annotations

import functools

import msgspec

from checks.knowledge import Table, load


class Override(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``version`` is the value of HSA_OVERRIDE_GFX_VERSION."""

    gfx: str
    runs_as: str
    version: str
    source: str


class RocmOverrides(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/rocm_overrides.toml."""

    row: tuple[Override, ...]


@functools.cache
def rocm_overrides() -> RocmOverrides:
    """The table."""
    return load("rocm_overrides", RocmOverrides)


def rocm_override(gfx: str, targets: tuple[str, ...]) -> Override | None:
    """The override for a GPU, if a build with these targets carries the code that it leads to."""
    return next((row for row in rocm_overrides().row if row.gfx == gfx and row.runs_as in targets), None)

"""JAX's CUDA plugins."""

from __future__ import annotations

import functools

import msgspec

from checks.facts.versions import release
from checks.knowledge import Table, load


class JaxPlugin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a CUDA plugin needs, and the extra that installs it: "jax[cuda12]"."""

    cuda_major: int
    driver_min: str
    compute_capability_min: str
    extra: str
    source: str


class JaxTable(Table, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """resources/knowledge/jax.toml."""

    plugin: tuple[JaxPlugin, ...]


@functools.cache
def jax_table() -> JaxTable:
    """The table."""
    return load("jax", JaxTable)


def fitting_plugin(capabilities: tuple[str, ...], driver: str | None) -> JaxPlugin | None:
    """The newest CUDA plugin that serves all these GPUs on this driver; an unknown driver rules nothing out."""
    return next(
        (
            row
            for row in jax_table().plugin
            if all(release(capability) >= release(row.compute_capability_min) for capability in capabilities)
            and (not driver or release(driver) >= release(row.driver_min))
        ),
        None,
    )

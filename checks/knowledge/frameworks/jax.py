"""JAX's CUDA plugins."""

from checks.facts.versions import release
from checks.knowledge import Row, Table


class JaxPlugin(Row):
    """What a CUDA plugin needs, and the extra that installs it: "jax[cuda12]"."""

    cuda_major: int
    driver_min: str
    compute_capability_min: str
    extra: str
    source: str


class JaxTable(Table):
    plugin: tuple[JaxPlugin, ...]


def fitting_plugin(capabilities: tuple[str, ...], driver: str | None) -> JaxPlugin | None:
    """The newest CUDA plugin that serves all these GPUs on this driver; an unknown driver rules nothing out."""
    return next(
        (
            row
            for row in JaxTable.read().plugin
            if all(release(capability) >= release(row.compute_capability_min) for capability in capabilities)
            and (not driver or release(driver) >= release(row.driver_min))
        ),
        None,
    )

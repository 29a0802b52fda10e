"""AMD GPUs that ROCm builds serve as another GPU of the same instruction set."""

from checks.knowledge import Row, Table


class Override(Row):
    """``version`` is the value of HSA_OVERRIDE_GFX_VERSION."""

    gfx: str
    runs_as: str
    version: str
    source: str


class RocmOverrides(Table):
    row: tuple[Override, ...]


def rocm_override(gfx: str, targets: tuple[str, ...]) -> Override | None:
    """The override for a GPU, if a build with these targets carries the code that it leads to."""
    return next((row for row in RocmOverrides.read().row if row.gfx == gfx and row.runs_as in targets), None)

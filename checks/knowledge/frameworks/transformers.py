"""transformers: which release knows which kind of model."""

import functools

from checks.knowledge import Row, Table


class TransformersRelease(Row):
    """The first release of a minor version: the kinds of models that came and went with it."""

    version: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class TransformersTable(Table):
    """The oldest release comes first."""

    release: tuple[TransformersRelease, ...]


@functools.cache
def _ranges() -> dict[str, tuple[str, str | None]]:
    ranges: dict[str, tuple[str, str | None]] = {}
    for row in TransformersTable.read().release:
        for kind in row.added:
            ranges[kind] = (row.version, None)
        for kind in row.removed:
            ranges[kind] = (ranges[kind][0], row.version)
    return ranges


def model_type_releases(model_type: str) -> tuple[str, str | None] | None:
    """(the first release that knows the kind, the first that no longer does); None where the table has none."""
    return _ranges().get(model_type)

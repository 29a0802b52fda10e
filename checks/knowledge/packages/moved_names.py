"""Names that a package removed or moved, read by people: what no comparison of syntax trees shows."""

from checks.knowledge import Row, Table


class MovedRow(Row):
    """``names`` of a ``module`` (none: the module itself), with the releases that have them and their new place."""

    package: str
    module: str
    source: str
    names: tuple[str, ...] = ()
    first: str = ""  # the oldest release that has them
    gone: str = ""  # the oldest release that has them no longer
    instead: str = ""  # the new place, as code: "np.trapezoid"
    backport: str = ""  # a distribution that brings the module where it is gone


class MovedNames(Table):
    """resources/knowledge/packages/moved_names.toml."""

    row: tuple[MovedRow, ...]

"""Where tools keep Python interpreters and environments."""

from checks.knowledge import Row, Table


class ToolPlaces(Row):
    """Path patterns of one tool on some systems; the head of the table explains how they are written."""

    found_by: str
    systems: tuple[str, ...]
    paths: tuple[str, ...]
    source: str


class JupyterPlaces(Row):
    """Folders of Jupyter's data, which hold kernels/<name>/kernel.json."""

    systems: tuple[str, ...]
    paths: tuple[str, ...]
    source: str


class InterpreterPlaces(Table):
    place: tuple[ToolPlaces, ...]
    jupyter: tuple[JupyterPlaces, ...]

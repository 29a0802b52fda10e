"""ExecuTorch's backends."""

from checks.knowledge import Row, Table


class ExecuTorchBackend(Row):
    """A backend by the name that programs call it. ``dependence``: of a program that uses it."""

    id: str
    runs_on: str
    dependence: str


class ExecuTorchTable(Table):
    backend: tuple[ExecuTorchBackend, ...]


def executorch_backend(name: str) -> ExecuTorchBackend | None:
    """The row of a backend; None for one that somebody has written for himself."""
    return next((row for row in ExecuTorchTable.read().backend if row.id == name), None)

"""PyTorch's files: marks of the release that wrote them, PyTorch's own operators, the types of torch.export."""

from collections.abc import Container

from checks.knowledge import Row, Table


class ArchiveMark(Row):
    """A member of an archive that releases from ``since`` on write. The rows are in order, the newest first."""

    member: str
    since: str
    source: str


class Operators(Row):
    """Namespaces of operators: PyTorch's own, and the packages that bring others."""

    builtin: tuple[str, ...]
    packages: dict[str, str]


class TorchSerializationTable(Table):
    archive_mark: tuple[ArchiveMark, ...]
    operators: Operators
    export_dtypes: dict[str, str]


def written_since(members: Container[str]) -> str | None:
    """The least release that can have written an archive of torch.save with these members."""
    return next((row.since for row in TorchSerializationTable.read().archive_mark if row.member in members), None)


def is_builtin(namespace: str) -> bool:
    """Whether every PyTorch has the operators of a namespace."""
    return namespace in TorchSerializationTable.read().operators.builtin

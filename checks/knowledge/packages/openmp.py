"""OpenMP runtimes, and which of them may not meet in one process."""

from checks.knowledge import Row, Table


class OpenMpRuntime(Row):
    """A runtime by the start of its file name, and its family."""

    file: str
    family: str


class OpenMp(Table):
    runtime: tuple[OpenMpRuntime, ...]
    exclusive: tuple[str, ...]


def is_exclusive_runtime(file_name: str) -> bool:
    """Whether a file is an OpenMP runtime that bears no second copy in its process."""
    family = next((row.family for row in OpenMp.read().runtime if file_name.lower().startswith(row.file)), None)
    return family in OpenMp.read().exclusive

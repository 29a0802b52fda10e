"""How large /dev/shm is by default, and how much is tight."""

from checks.knowledge import Row, Table


class ShmDefault(Row):
    """A container runtime's default size of /dev/shm, in bytes."""

    runtime: str
    size: int
    source: str


class SharedMemory(Table):
    """``tight`` in bytes."""

    tight: int
    default: tuple[ShmDefault, ...]

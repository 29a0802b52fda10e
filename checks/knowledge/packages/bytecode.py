"""Which Python wrote a compiled file, by the number with which it begins."""

from checks.knowledge import Row, Table


class MagicRow(Row):
    """From the number ``first`` on: the release of Python; "" where a newer one is not known."""

    first: int
    python: str


class Bytecode(Table):
    """resources/knowledge/packages/bytecode.toml."""

    row: tuple[MagicRow, ...]


def python_of_magic(magic: bytes) -> str:
    """The release of Python ("3.9") that writes this magic number; "" where the table does not tell."""
    if len(magic) != 4 or magic[2:] != b"\r\n":
        return ""
    number = int.from_bytes(magic[:2], "little")
    return next((row.python for row in reversed(Bytecode.read().row) if row.first <= number), "")

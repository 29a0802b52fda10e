"""Releases whose generated code does not work with a newer protobuf."""

from checks.knowledge import Row, Table


class ProtobufRow(Row):
    """Releases of ``package`` below ``before`` fail with ``protobuf`` of this version and later."""

    package: str
    before: str
    protobuf: str
    source: str


class Protobuf(Table):
    row: tuple[ProtobufRow, ...]

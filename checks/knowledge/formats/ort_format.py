"""ONNX Runtime's own format: which releases load which version of it."""

from checks.knowledge import Row, Table


class OrtFormatReader(Row):
    """The versions of the format that ONNX Runtime loads from a release on, until the next row."""

    since: str
    formats: tuple[str, ...]


class OrtFormatTable(Table):
    reader: tuple[OrtFormatReader, ...]


def least_onnxruntime(version: str) -> str:
    """The release from which on all load a version of the format; "" where none of the table does."""
    least = ""
    for row in OrtFormatTable.read().reader:
        least = (least or row.since) if version in row.formats else ""
    return least

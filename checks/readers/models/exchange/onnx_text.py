"""ONNX models written as text: protobuf's text format, JSON, and ONNX's own syntax. The runtimes read none of them."""

from __future__ import annotations

import re

from checks.facts import Binding
from checks.readers.containers.folder import Folder
from checks.readers.containers.source import Damaged, Source
from checks.readers.models.reading import Reading
from checks.readers.models.registry import Rank, file_reader

_LOOKED_AT = 1 << 16  # bytes at each end: the versions stand there, the graph between them
_MOST_DIGITS = r"[0-9]{1,9}"

# How each form begins, up to the version of the format.
_FORMS = {
    "textproto": re.compile(rf"(?:\s*#[^\n]*\n)*\s*ir_version:\s*({_MOST_DIGITS})\s"),
    "json": re.compile(rf"\s*\{{\s*\"ir_?[vV]ersion\":\s*\"?({_MOST_DIGITS})\"?\s*,"),
    "onnxtxt": re.compile(rf"(?:\s*#[^\n]*\n)*\s*<\s*ir_version\s*:\s*({_MOST_DIGITS})\s*,"),
}
_OPSETS = {
    "textproto": re.compile(
        rf"opset_import\s*\{{\s*(?:domain:\s*\"([^\"]{{0,99}})\"\s*)?version:\s*({_MOST_DIGITS})\s"
    ),
    "json": re.compile(rf"\{{\s*(?:\"domain\":\s*\"([^\"]{{0,99}})\",\s*)?\"version\":\s*\"?({_MOST_DIGITS})\"?\s*\}}"),
    "onnxtxt": re.compile(rf"\"([^\"]{{0,99}})\"\s*:\s*({_MOST_DIGITS})\s*[,\]]"),
}
_PRODUCER = re.compile(r"\"?producer_?[nN]ame\"?\s*:\s*\"([^\"]{1,200})\"")
_PRODUCER_VERSION = re.compile(r"\"?producer_?[vV]ersion\"?\s*:\s*\"([^\"]{1,200})\"")


@file_reader("onnx", rank=Rank.STRUCTURE)
def onnx_text(source: Source, _beside: Folder) -> Reading | None:
    """A model in one of the three forms."""
    if source.size == 0 or source.read(0, 1) not in (b"i", b"{", b"<", b"#", b" ", b"\n", b"\r", b"\t"):
        return None
    size = min(_LOOKED_AT, source.size)
    head = source.read(0, size).decode("utf-8", "replace")
    for form, begins in _FORMS.items():
        if (found := begins.match(head)) is None:
            continue
        text = head if size == source.size else head + source.read(source.size - size, size).decode("utf-8", "replace")
        opsets = _opsets(form, text)
        if not opsets and "graph" not in text:
            return None
        producer = _PRODUCER.search(head)
        version = _PRODUCER_VERSION.search(head)
        return Reading(
            "onnx",
            version=f"IR {found[1]}",
            producer=producer[1] if producer else None,
            producer_version=version[1] if version else None,
            frameworks=("onnx",),
            opsets=opsets or None,
            bound_to=(
                Binding(kind="onnx-ir", value=found[1]),
                Binding(
                    kind="onnx-opset", value=", ".join(f"{opset or 'ai.onnx'} {opsets[opset]}" for opset in opsets)
                ),
            ),
            problem=Damaged("text-form", form),
        )
    return None


def _opsets(form: str, text: str) -> dict[str, int]:
    if form == "onnxtxt":
        stated = re.search(r"opset_import\s*:\s*\[[^\]]{0,2000}\]", text)
        text = stated[0] if stated else ""
    elif form == "json":
        start = re.search(r"\"opset_?[iI]mport\":\s*\[", text)
        text = text[start.end() : start.end() + 2000].split("]")[0] if start else ""
    return {
        ("" if domain == "ai.onnx" else domain or ""): int(version) for domain, version in _OPSETS[form].findall(text)
    }

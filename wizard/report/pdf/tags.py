"""The structure of the pages written into the file (ISO 32000-1, 14.7): marked content, elements, what points back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import cast

from pypdf import PdfWriter
from pypdf.generic import (
    BooleanObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
)

from wizard.report.pdf.structure import Content, Part, Structure

# A rectangle without an extent, outside the page: what Sheet.mark draws, as Qt writes it. It paints nothing.
MARK = (-31.0, -31.0)
_MARK = re.compile(rb"-31 -31 0 0 re\n[fSB]\n")


class _Written(PdfObject):
    """An object as it stands in the file. Thousands of elements are written many times faster than built."""

    def __init__(self, text: str) -> None:
        self.text = text

    def write_to_stream(self, stream: object, encryption_key: object = None) -> None:  # noqa: ARG002 - pypdf's own
        stream.write(self.text.encode("ascii"))  # type: ignore[attr-defined]


def write_tags(writer: PdfWriter, structure: Structure, links: Sequence[DictionaryObject]) -> None:
    """Put the operators where the marks are, and add the tree. ``links``: the annotations, as they were noted.

    Raises:
        ValueError: a page has not as many marks as were drawn.
    """
    for page, operators in zip(writer.pages, structure.operators, strict=True):
        _mark_content(cast("StreamObject", page["/Contents"].get_object()), operators)
    tree = _Written("")
    root = writer._add_object(tree)
    elements = {part: writer._add_object(_Written("")) for part in structure}
    places = [page.indirect_reference for page in writer.pages]
    for part in structure:
        written = cast("_Written", elements[part].get_object())
        written.text = _element(part, root, elements, cast("list[IndirectObject]", places), links)
    tree.text = (
        f"<</Type/StructTreeRoot/K {_ref(elements[structure.document])}{_parents(writer, structure, elements)}>>"
    )
    for number, page in enumerate(writer.pages):
        page[NameObject("/StructParents")] = NumberObject(number)
        page[NameObject("/Tabs")] = NameObject("/S")
    for number, link in enumerate(links, len(writer.pages)):
        link[NameObject("/StructParent")] = NumberObject(number)
    writer.root_object[NameObject("/StructTreeRoot")] = root
    writer.root_object[NameObject("/MarkInfo")] = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})


def _mark_content(content: StreamObject, operators: Sequence[bytes]) -> None:
    parts = _MARK.split(content.get_data())
    if len(parts) != len(operators):  # the first stands at the beginning, without a mark
        raise ValueError(f"{len(parts)} marks for {len(operators)} operators")
    content.set_data(b"".join(piece for pair in zip(operators, parts, strict=True) for piece in pair) + b"\nEMC\n")


def _element(
    part: Part,
    root: IndirectObject,
    elements: dict[Part, IndirectObject],
    pages: Sequence[IndirectObject],
    links: Sequence[DictionaryObject],
) -> str:
    own = next((kid.page for kid in part.kids if isinstance(kid, Content)), None)
    above = root if part.kind == "Document" else elements[part.within or next(iter(elements))]
    kids = []
    for kid in part.kids:
        if isinstance(kid, Part):
            kids.append(_ref(elements[kid]))
        elif not isinstance(kid, Content):
            link = links[kid.number]
            kids.append(f"<</Type/OBJR/Obj {_ref(link.indirect_reference)}/Pg {_ref(link.raw_get('/P'))}>>")
        elif kid.page == own:
            kids.append(str(kid.number))
        else:
            kids.append(f"<</Type/MCR/Pg {_ref(pages[kid.page])}/MCID {kid.number}>>")
    return "".join(
        (
            f"<</S/{part.kind}/P {_ref(above)}",
            f"/Pg {_ref(pages[own])}" if own is not None else "",
            f"/Alt {_text(part.alt)}" if part.alt else "",
            f"/A <<{part.attributes}>>" if part.attributes else "",
            f"/K [{' '.join(kids)}]>>" if kids else ">>",
        )
    )


def _parents(writer: PdfWriter, structure: Structure, elements: dict[Part, IndirectObject]) -> str:
    """From each page and each link to its elements."""
    rows = [" ".join(_ref(elements[part]) for part in owners) for owners in structure.owners]
    numbers = [f"{page} {_ref(writer._add_object(_Written(f'[{row}]')))}" for page, row in enumerate(rows)]
    numbers += [f"{number} {_ref(elements[part])}" for number, part in enumerate(structure.links, len(rows))]
    return f"/ParentTree <</Nums [{' '.join(numbers)}]>>/ParentTreeNextKey {len(numbers)}"


def _ref(made: PdfObject | None) -> str:
    return f"{cast('IndirectObject', made).idnum} 0 R"


def _text(text: str) -> str:
    return f"<feff{text.encode('utf-16-be', 'replace').hex()}>"

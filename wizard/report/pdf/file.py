"""The PDF as a file: what Qt does not write (outline, links, language, attachment). No Qt here."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from pypdf import PdfWriter
from pypdf.annotations import Link
from pypdf.generic import (
    BooleanObject,
    DictionaryObject,
    Fit,
    IndirectObject,
    NameObject,
    NumberObject,
    StreamObject,
    TextStringObject,
)

from wizard.report.content.blocks import Document
from wizard.report.pdf.packed import packed
from wizard.report.pdf.structure import Structure
from wizard.report.pdf.tags import write_tags
from wizard.words import words

ATTACHMENT = "naosu-case.json"


# A line of a ToUnicode table: two glyph numbers, then the characters for them.
_RANGE = re.compile(rb"^(<[0-9A-F]{4}> <[0-9A-F]{4}> )(.*)$", re.MULTILINE)
_CODE = re.compile(rb"<([0-9A-F]{4})>")


@dataclass(frozen=True)
class Heading:
    """An entry of the outline. ``y`` in points from the bottom of the page."""

    title: str
    level: int
    page: int
    y: float


@dataclass(frozen=True)
class LinkArea:
    """A link: left, bottom, right, top in points."""

    page: int
    area: tuple[float, float, float, float]
    url: str


def finished(
    pages: bytes,
    document: Document,
    case_json: bytes | None,
    headings: Sequence[Heading],
    links: Sequence[LinkArea],
    structure: Structure,
) -> bytes:
    """Qt's pages with metadata, outline, links, structure and, where there is one, the attached case."""
    writer = PdfWriter(clone_from=io.BytesIO(pages))
    writer.add_metadata({"/Subject": document.verdict.word})
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject(document.language)
    root[NameObject("/PageMode")] = NameObject("/UseOutlines")
    root[NameObject("/ViewerPreferences")] = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    _mend_copied_text(writer)
    parents: dict[int, IndirectObject] = {}
    for heading in headings:
        parent = parents.get(heading.level - 1)
        fit = Fit.xyz(left=0, top=heading.y)
        parents[heading.level] = writer.add_outline_item(
            title=heading.title, page_number=heading.page, parent=parent, fit=fit, is_open=False
        )
    write_tags(writer, structure, [_annotation(writer, link) for link in links])
    if case_json is not None:
        attached = writer.add_attachment(ATTACHMENT, case_json)
        attached.description = TextStringObject(words("report.attachment", document.language, name=ATTACHMENT))
        attached.alternative_name = TextStringObject(ATTACHMENT)
        attached.subtype = NameObject("/application/json")
    return packed(writer)


def _annotation(writer: PdfWriter, link: LinkArea) -> DictionaryObject:
    made = Link(rect=link.area, url=link.url, border=[0, 0, 0])
    made[NameObject("/F")] = NumberObject(4)  # printed like the text that it lies on
    made[NameObject("/Contents")] = TextStringObject(link.url)
    return writer.add_annotation(link.page, made)


def _mend_copied_text(writer: PdfWriter) -> None:
    """Let a reader copy and search the characters that were written.

    Qt (6.11) notes for each glyph one of the characters that it stands for, and picks the wrong one of several: the
    Kangxi radical for a kanji, the tabulator for a space. The tables of the fonts are corrected.
    """
    fonts = {
        font.idnum: font.get_object()
        for page in writer.pages
        for font in cast("DictionaryObject", cast("DictionaryObject", page["/Resources"]).get("/Font", {})).values()
    }
    for font in fonts.values():
        table = cast("DictionaryObject", font).get("/ToUnicode")
        if table is not None:
            stream = cast("StreamObject", table.get_object())
            stream.set_data(_RANGE.sub(_mended_range, stream.get_data()))


def _mended_range(found: re.Match[bytes]) -> bytes:
    return found[1] + _CODE.sub(_mended_code, found[2])


def _mended_code(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16)
    if code in (0x09, 0xA0):
        code = 0x20
    elif 0x2E80 <= code <= 0x2FDF or 0xF900 <= code <= 0xFAFF:
        composed = unicodedata.normalize("NFKC", chr(code))
        code = ord(composed) if len(composed) == 1 else code
    return b"<%04X>" % code

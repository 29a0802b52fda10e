"""The PDF as a file: what Qt does not write (outline, links, language, attachment), and reading the case back.

No Qt here. A PDF that somebody sends is hostile: only its attachment is read, nothing in it is run or drawn, and
what it unpacks to is limited.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pypdf import PdfReader, PdfWriter, apply_configuration
from pypdf.annotations import Link
from pypdf.errors import PyPdfError
from pypdf.generic import (
    BooleanObject,
    DictionaryObject,
    Fit,
    IndirectObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from checks.case import Case, CaseError, decode
from wizard.report.model import Report

ATTACHMENT = "naosu-case.json"
UNPACKED_LIMIT = 64 * 1024 * 1024  # bytes of the attached case


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
    pages: bytes, report: Report, case_json: bytes, headings: Sequence[Heading], links: Sequence[LinkArea]
) -> bytes:
    """Qt's pages with metadata, outline, links and the attached case."""
    writer = PdfWriter(clone_from=io.BytesIO(pages))
    writer.add_metadata(
        {"/Title": f"{report.title}, {report.created}", "/Creator": "Naosu", "/Subject": report.verdict.word}
    )
    root = writer.root_object
    root[NameObject("/Lang")] = TextStringObject(report.language)
    root[NameObject("/PageMode")] = NameObject("/UseOutlines")
    root[NameObject("/ViewerPreferences")] = DictionaryObject({NameObject("/DisplayDocTitle"): BooleanObject(True)})
    parents: dict[int, IndirectObject] = {}
    for each in headings:
        parent = parents.get(each.level - 1)
        fit = Fit.xyz(left=0, top=each.y)
        parents[each.level] = writer.add_outline_item(
            title=each.title, page_number=each.page, parent=parent, fit=fit, is_open=False
        )
    for link in links:
        annotation = Link(rect=link.area, url=link.url, border=[0, 0, 0])
        annotation[NameObject("/F")] = NumberObject(4)  # printed like the text that it lies on
        writer.add_annotation(link.page, annotation)
    attached = writer.add_attachment(ATTACHMENT, case_json)
    attached.subtype = NameObject("/application/json")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def read_pdf(data: bytes) -> Case:
    """The case that is attached to a PDF, judged again.

    Raises:
        CaseError: "pdf-damaged"; "pdf-not-ours" (no case inside); those of :func:`checks.case.decode`.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its advice on damaged files is not for our users
    try:
        # Without a limit a small attachment unpacks to gigabytes; and pypdf would start a program for one format.
        with apply_configuration(zlib_maximum_output_length=UNPACKED_LIMIT, jbig2dec_binary=None):
            reader = PdfReader(io.BytesIO(data), strict=False)
            attached = next((each for each in reader.attachment_list if each.name == ATTACHMENT), None)
            content = None if attached is None else attached.content
    except (PyPdfError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError,
            MemoryError, OSError, AssertionError) as error:  # fmt: skip  # a crafted file meets any of them in pypdf
        raise CaseError("pdf-damaged", str(error)) from error
    if content is None:
        raise CaseError("pdf-not-ours")
    return decode(content)

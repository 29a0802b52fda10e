"""The case in a PDF that others send: found, unpacked within bounds, and nothing else of it is read."""

import base64
import io
import zlib

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    StreamObject,
)

from checks.facts.case import Case
from checks.sharing.case import PACKED_LIMIT, CaseError
from wizard.report.content.report import build
from wizard.report.pdf.attached_case import read_pdf
from wizard.report.pdf.document import to_pdf
from wizard.report.pdf.file import ATTACHMENT
from wizard.report.prints.json_report import to_json

pytestmark = pytest.mark.usefixtures("qapp")

EMPTY = b'{"format": 1, "facts": {}}'


@pytest.fixture(scope="module")
def ours(case: Case, qapp: object) -> bytes:
    return to_pdf(build(case, "en"), to_json(case, "en"))


def pdf_with(*attached: StreamObject, name: str = ATTACHMENT) -> bytes:
    """A blank PDF with attachments whose streams are given."""
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    for content in attached:
        made = writer.add_attachment(name, b"{}")
        made._embedded_file.update(content)
        made._embedded_file._data = content._data
    return written(writer)


def written(writer: PdfWriter) -> bytes:
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def stream(data: bytes, *filters: str) -> StreamObject:
    made = DecodedStreamObject()
    made._data = data
    if len(filters) == 1:
        made[NameObject("/Filter")] = NameObject(filters[0])
    elif filters:
        made[NameObject("/Filter")] = ArrayObject(map(NameObject, filters))
    made[NameObject("/Length")] = NumberObject(len(data))
    return made


def reason(data: bytes) -> str:
    with pytest.raises(CaseError) as raised:
        read_pdf(data)
    return raised.value.reason


def test_a_foreign_pdf_is_not_ours() -> None:
    assert reason(pdf_with()) == "pdf-not-ours"
    assert reason(pdf_with(stream(b"{}"), name="invoice.json")) == "pdf-not-ours"
    assert reason(pdf_with(stream(b'{"a": 1}'))) == "pdf-not-ours"
    assert reason(pdf_with(stream(zlib.compress(b"<invoice/>"), "/FlateDecode"))) == "pdf-not-ours"


@pytest.mark.parametrize("content", [stream(EMPTY), stream(zlib.compress(EMPTY), "/FlateDecode")])
def test_the_last_case_among_attachments(content: StreamObject) -> None:
    other = stream(EMPTY.replace(b"{}", b'{"target": "/other"}'))
    assert read_pdf(pdf_with(stream(b"notes"), content, other, stream(b"{}"))).facts.target == "/other"
    assert read_pdf(pdf_with(stream(b"notes"), other, content, stream(b"{}"))).facts.target is None


def test_as_other_programs_save_it_again(case: Case, ours: bytes) -> None:
    """Packed, with the length in an object of its own, and with a text inside that ends no stream."""
    writer = PdfWriter(clone_from=io.BytesIO(ours))
    for name in writer.attachment_list:
        raw = name._embedded_file
        raw._data = zlib.compress(raw._data)
        raw[NameObject("/Filter")] = NameObject("/FlateDecode")
    again = written(writer)
    assert read_pdf(again).facts == case.facts
    assert read_pdf(pdf_with(stream(b'{"format": 1, "x": "endstream\\n", "facts": {}}'))).facts.machine is None


def chained(data: bytes, times: int) -> StreamObject:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, *["/FlateDecode"] * times)


@pytest.mark.parametrize(
    "packed",
    [
        pytest.param(chained(bytes(1 << 24), 2), id="two-layers"),
        pytest.param(chained(bytes(1 << 24), 4), id="four-layers"),
        pytest.param(stream(zlib.compress(b"\x80" + bytes(1 << 20)), "/FlateDecode", "/LZWDecode"), id="lzw-behind"),
        pytest.param(stream(b"\x80" + bytes(1 << 20), "/LZWDecode"), id="lzw"),
        pytest.param(stream(b"\x80" + bytes(1 << 20), "/LZW"), id="short-name"),
        pytest.param(stream(EMPTY.hex().encode() + b">", "/ASCIIHexDecode"), id="hex"),
        pytest.param(stream(base64.a85encode(EMPTY) + b"~>", "/ASCII85Decode"), id="base-85"),
        pytest.param(stream(b"\xff" * 100, "/RunLengthDecode"), id="run-length"),
        pytest.param(stream(EMPTY, "/JBIG2Decode"), id="jbig2"),
        pytest.param(stream(EMPTY, "/NoSuchDecode"), id="unknown"),
        pytest.param(stream(EMPTY, "/Crypt"), id="crypt"),
        pytest.param(stream(b"", *["/FlateDecode"] * 200), id="two-hundred-filters"),
        pytest.param(stream(EMPTY, "/FlateDecode"), id="not-packed"),
        pytest.param(stream(zlib.compress(EMPTY)[:-8], "/FlateDecode"), id="cut-off"),
        pytest.param(stream(zlib.compress(EMPTY[:-2] + b" " * PACKED_LIMIT + b"}}"), "/FlateDecode"), id="bomb"),
    ],
)
def test_what_is_packed_as_ours_never_is(packed: StreamObject) -> None:
    assert reason(pdf_with(packed)) == "pdf-damaged"


@pytest.mark.parametrize("version", [2, 5], ids=["RC4", "AES"])
def test_a_password(ours: bytes, version: int) -> None:
    writer = PdfWriter(clone_from=io.BytesIO(ours))
    writer.encrypt(user_password="secret", algorithm="RC4-128")
    assert reason(written(writer).replace(b"/V 2", b"/V %d" % version)) == "pdf-encrypted"


def test_damaged_files(ours: bytes) -> None:
    whole = ours
    for data in (b"%PDF-1.7\n", b"%PDF-1.7\nxref\n" + b"\xff" * 100, whole[: len(whole) // 2], whole[:200], b""):
        assert reason(data) == "pdf-damaged"


def test_many_marks_and_no_stream() -> None:
    for mark in (b"/EmbeddedFile ", b"/EmbeddedFile stream\n", b"1 0 obj<</Type/EmbeddedFile/Filter["):
        assert reason(b"%PDF-1.7\n" + mark * 100_000 + b"%%EOF") in ("pdf-not-ours", "pdf-damaged")


def test_a_pdf_whose_objects_point_in_a_circle() -> None:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    names = DictionaryObject()
    reference = writer._add_object(names)
    names[NameObject("/Kids")] = reference
    names[NameObject("/EmbeddedFiles")] = reference
    writer.root_object[NameObject("/Names")] = reference
    assert reason(written(writer)) == "pdf-not-ours"


def test_any_other_reader_finds_the_same(case: Case, ours: bytes) -> None:
    (attached,) = PdfReader(io.BytesIO(ours)).attachments[ATTACHMENT]
    assert attached == to_json(case, "en")

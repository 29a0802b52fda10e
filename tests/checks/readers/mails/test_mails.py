"""One mail: Japanese ones, HTML alone, attachments, and MIME that is broken in the ways that it is in the world."""

from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.mails.mail import is_mail, mail_of

ERROR = "RuntimeError: CUDA out of memory"


def written(**headers: str) -> EmailMessage:
    mail = EmailMessage()
    for name, value in {"From": "Aoi <aoi@example.com>", "Subject": "No GPU", **headers}.items():
        mail[name.replace("_", "-")] = value
    return mail


def test_plain() -> None:
    mail = written(Date="Wed, 01 May 2024 12:30:05 +0900", Message_ID="<a@b>", References="<x@y> <z@y>")
    mail.set_content(ERROR)
    data = mail.as_bytes()
    read = mail_of(data)
    assert is_mail(data)
    assert (read.subject, read.text.strip(), read.created) == ("No GPU", ERROR, "2024-05-01T03:30:05")
    assert len(read.answers) == 2


def test_iso_2022_jp_in_subject_and_text() -> None:
    subject, text = "GPUが認識されません", "①ではなく、ﾄﾞﾗｲﾊﾞｰを更新しました。\nエラー: CUDA error"
    head = b"From: a@example.com\nTo: b@example.com\nSubject: " + subject.encode("iso-2022-jp")
    head += b"\nContent-Type: text/plain; charset=iso-2022-jp\n\n"
    read = mail_of(head + text.replace("①", "1").encode("iso2022_jp_ext"))
    assert read.subject == subject
    assert read.text == text.replace("①", "1")
    encoded = written(Subject="=?ISO-2022-JP?B?" + "R1BVGyRCJCwbKEI=" + "?=")
    assert mail_of(encoded.as_bytes()).subject == "GPUが"


def test_a_wrong_or_unknown_charset_is_read_by_what_is_there() -> None:
    text = "ドライバーが古いようです。更新すると直りました。"
    for charset in (b"x-nonsense", b"us-ascii", b"utf-8"):
        head = b"From: a@b.c\nTo: d@e.f\nContent-Type: text/plain; charset=" + charset + b"\n\n"
        assert mail_of(head + text.encode("cp932")).text == text, charset


def test_html_alone_is_read_without_its_tags() -> None:
    mail = written()
    page = f"<html><head><style>p {{}}</style></head><body><p>It fails:</p><pre>{ERROR}<br>a &lt;b&gt;</pre></body>"
    mail.set_content(page, subtype="html")
    assert mail_of(mail.as_bytes()).text.splitlines() == ["It fails:", "", ERROR, "a <b>"]


def test_of_two_forms_the_plain_one_is_read_and_logs_are_added() -> None:
    mail = written()
    mail.set_content("see the log")
    mail.add_alternative("<p>see the log</p>", subtype="html")
    mail.add_attachment(ERROR, filename="train.log")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="screen.png")
    mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="report.pdf")
    read = mail_of(mail.as_bytes())
    assert read.text.count("see the log") == 1
    assert f"train.log:\n{ERROR}" in read.text
    assert [name for name, _ in read.attached] == ["report.pdf"]


def test_broken_mime_still_tells_its_text() -> None:
    head = b"From: a@b.c\nTo: d@e.f\nSubject: =?utf-8?B?not base64!!?=\nDate: never\nContent-Type: multipart/mixed"
    for rest in (
        b"\n\n" + ERROR.encode(),  # no boundary
        b'; boundary="x"\n\n--x\n\n' + ERROR.encode(),  # which never ends
        b'; boundary="x"\n\n--x\nContent-Transfer-Encoding: base64\nContent-Type: text/plain\n\n%%%\n--x\n\n'
        + ERROR.encode(),
    ):
        read = mail_of(head + rest)
        assert ERROR in read.text
        assert read.created == ""


def test_a_thousand_nested_parts_have_an_end() -> None:
    head = b"From: a@b.c\nTo: d@e.f\n"
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
    assert mail_of(head + nested + b"\n" + ERROR.encode()).subject == ""


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    mail_of(data)
    mail_of(b"From: a@b.c\nSubject: " + data)
    mail_of(b'Content-Type: multipart/mixed; boundary="x"\n\n--x\n' + data + b"\n--x--")


@pytest.mark.parametrize(
    "text", [b"From here on nothing works: why?\nIt fails.", b"Subject matter\n", b"To: do\nlater\n"]
)
def test_a_text_is_no_mail(text: bytes) -> None:
    assert not is_mail(text)


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "raw-unicode-escape"])
def test_a_charset_of_python_alone_is_none(charset: str) -> None:
    head = f"From: a@b.c\nTo: d@e.f\nSubject: =?{charset}?Q?a=5Cud800-b?=\n"
    read = mail_of(f"{head}Content-Type: text/plain; charset={charset}\n\n{ERROR} \\ud800".encode())
    assert (read.subject, read.text) == (r"a\ud800-b", rf"{ERROR} \ud800")


def test_half_characters_are_written_out() -> None:
    read = mail_of(b"From: a@b.c\nSubject: =?utf-7?Q?+2AA-?=\nContent-Type: text/plain; charset=utf-7\n\n+2AA-")
    assert (read.subject, read.text) == (r"\ud800", r"\ud800")


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("From: " + "(" * 20_000, id="nested-comments"),
        pytest.param("From: a@b.c\nContent-Disposition: attachment; filename*" + "9" * 4500 + "=x", id="many-digits"),
    ],
)
def test_a_header_that_the_standard_library_breaks_at(head: str) -> None:
    """One such mail ended the whole desk."""
    read = mail_of(f"{head}\nSubject: No GPU\n\n{ERROR}\n".encode())
    assert (read.subject, read.text.strip()) == ("No GPU", ERROR)

"""Threads: mails and comments in their order, without what was quoted; broken ones, and what is none."""

import json
from email.message import EmailMessage

import pytest

from checks.readers.tickets.threads import MOST_MAILS, Mail, NotThread, SeveralThreads, read_thread, without_quotes


def mail(sender: str, text: str, charset: str = "utf-8") -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = sender, "GPU"
    message.set_content(text, charset=charset)
    return message.as_bytes()


def test_one_mail() -> None:
    assert read_thread(mail("Kim <kim@example.org>", "It fails.\n")) == (Mail("kim@example.org", "It fails."),)


def test_japanese_mail() -> None:
    assert read_thread(mail("kim@example.org", "動きません。\n", "iso-2022-jp"))[0].text == "動きません。"


def test_an_mbox_in_its_order() -> None:
    data = b"".join(
        b"From x@example.org Mon Jan  1 00:00:00 2024\n" + mail(sender, text) + b"\n"
        for sender, text in (("kim@example.org", "It fails."), ("desk@example.org", "How?"), ("kim@example.org", "So."))
    )
    assert [one.text for one in read_thread(data)] == ["It fails.", "How?", "So."]
    assert [one.author for one in read_thread(data.replace(b"\n", b"\r\n"))] == [
        "kim@example.org",
        "desk@example.org",
        "kim@example.org",
    ]


def test_a_mail_of_html_alone() -> None:
    message = EmailMessage()
    message["From"] = "kim@example.org"
    message.set_content("<style>p {}</style><p>It fails.</p><p>A &lt;b&gt; line</p>", subtype="html")
    assert read_thread(message.as_bytes())[0].text == "It fails.\n\nA <b> line"


def test_a_list_and_an_issue_of_github() -> None:
    said = [{"author": "kim", "text": "It fails."}, {"author": "desk", "text": "How?"}]
    assert read_thread(json.dumps(said).encode()) == (Mail("kim", "It fails."), Mail("desk", "How?"))
    issue = {
        "title": "No GPU",
        "body": "It fails.",
        "user": {"login": "kim"},
        "comments": [{"user": {"login": "desk"}, "body": "How?"}, {"author": {"login": "kim"}, "body": ""}],
    }
    assert read_thread(json.dumps(issue).encode()) == (Mail("kim", "No GPU\n\nIt fails."), Mail("desk", "How?"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Yes.\n\n> Did you set a seed?\n> Please say.", "Yes."),
        ("On Mon, Jan 1, 2024 at 10:00 AM Desk <desk@example.org> wrote:\n> Did you?\n\nYes.", "Yes."),
        ("Yes.\n\n-----Original Message-----\nFrom: Desk\nSent: Monday\nDid you?", "Yes."),
        ("Yes.\n\nFrom: Desk <desk@example.org>\nSent: Monday\nDid you?", "Yes."),
        ("はい。\n\n2024年1月1日 Desk <desk@example.org> のメール:\n> 固定しましたか", "はい。"),
        ("Yes.\n-- \nKim", "Yes."),
        (
            ">>> import torch\n>>> torch.__version__\n'2.5.1+cpu'",
            ">>> import torch\n>>> torch.__version__\n'2.5.1+cpu'",
        ),
        ("From: the log\nall is well", "From: the log\nall is well"),
        ("<!-- template -->It fails.", "It fails."),
        ("> only a quote", ""),
    ],
)
def test_what_was_quoted_is_left_out(text: str, wanted: str) -> None:
    assert without_quotes(text) == wanted


@pytest.mark.parametrize(
    "data", [b"", b"It fails.", b"[]", b"[1]", b'{"a"', b"[" * 100_000, b"{}", b"From here on all is well\nreally"]
)
def test_what_is_no_thread(data: bytes) -> None:
    with pytest.raises(NotThread):
        read_thread(data)


def test_broken_mails_are_read_as_far_as_they_can_be() -> None:
    assert read_thread(b"From: kim@example.org\nContent-Type: text/plain; charset=none-such\n\nIt \xff fails.\n")[
        0
    ].text
    assert read_thread(b"From: =?bad?=\nContent-Transfer-Encoding: quoted-printable\n\nIt fails=.\n")[0].text
    with pytest.raises(NotThread):
        read_thread(b"From: kim@example.org\nContent-Type: multipart/mixed; boundary=x\n\n--x\n")


def test_a_thread_has_an_end() -> None:
    said = [{"author": "kim", "text": "x"}] * (MOST_MAILS + 10)
    assert len(read_thread(json.dumps(said).encode())) == MOST_MAILS


def boxed(*mails: tuple[str, str, str, str]) -> bytes:
    """A mailbox of (sender, subject, what it answers, text); the place of each is its Message-ID."""
    parts = []
    for number, (sender, subject, answers, text) in enumerate(mails):
        message = EmailMessage()
        message["From"], message["Subject"], message["Message-ID"] = sender, subject, f"<{number}@example.org>"
        if answers:
            message["In-Reply-To"] = f"<{answers}@example.org>"
        message.set_content(text)
        parts.append(b"From x@example.org Mon Jan  1 00:00:00 2024\n" + message.as_bytes() + b"\n")
    return b"".join(parts)


def test_of_several_conversations_one_is_asked_for() -> None:
    data = boxed(
        ("kim@example.org", "No GPU", "", "It fails."),
        ("lee@example.org", "Other results", "", "It differs."),
        ("desk@example.org", "Re: No GPU", "0", "How?"),
        ("desk@example.org", "AW: Other results", "", "By how much?"),
        ("kim@example.org", "thanks", "2", "So."),
    )
    with pytest.raises(SeveralThreads) as several:
        read_thread(data)
    assert [(one.subject, len(one.mails)) for one in several.value.conversations] == [
        ("No GPU", 3),
        ("Other results", 2),
    ]
    assert [mail.text for mail in read_thread(data, 1)] == ["It fails.", "How?", "So."]
    assert [mail.author for mail in read_thread(data, 2)] == ["lee@example.org", "desk@example.org"]
    with pytest.raises(NotThread):
        read_thread(data, 3)


def test_parts_within_parts_have_an_end() -> None:
    parts = (f"Content-Type: multipart/mixed; boundary=b{number}\n\n--b{number}\n" for number in range(1100))
    (read,) = read_thread(f"From: kim@example.org\nSubject: GPU\n{''.join(parts)}\nIt fails.\n".encode())
    assert (read.author, read.text[-9:]) == ("kim@example.org", "It fails.")


def test_marks_that_never_end_are_gone_through_once() -> None:
    assert len(without_quotes("<!--" * 400_000)) == 1_600_000

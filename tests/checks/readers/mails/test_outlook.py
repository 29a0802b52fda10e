"""A mail that Outlook saved, and files that only begin as one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.readers.containers.source import Damaged
from checks.readers.mails.outlook import MAGIC, outlook_mail

SAVED = Path(__file__).parents[3] / "recordings" / "mails" / "outlook.msg"


def test_a_saved_mail() -> None:
    mail = outlook_mail(SAVED.read_bytes())
    assert (mail.subject, mail.text) == ("This is the subject", "This is a message")


@given(st.integers(0, 8703), st.binary(min_size=1, max_size=40))
def test_a_damaged_one_is_read_or_refused(at: int, bytes_instead: bytes) -> None:
    data = bytearray(SAVED.read_bytes())
    data[at : at + len(bytes_instead)] = bytes_instead
    for damaged in (bytes(data), bytes(data[: at + 1]), MAGIC + bytes_instead):
        try:
            outlook_mail(damaged)
        except Damaged as problem:
            assert problem.reason == "outlook-damaged"  # noqa: PT017 - it may be read, too


def test_no_mail_at_all() -> None:
    with pytest.raises(Damaged):
        outlook_mail(b"")

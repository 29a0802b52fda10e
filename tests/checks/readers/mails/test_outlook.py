"""A mail that Outlook saved, and files that only begin as one."""

import io
from pathlib import Path
from typing import ClassVar

import olefile
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


def test_what_is_attached_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Attached(olefile.OleFileIO):
        """The saved mail with two files more: no program here writes such a file with attachments."""

        more: ClassVar = {
            "__attach_version1.0_#00000000": {"3707001F": "run.log".encode("utf-16-le"), "37010102": b"CUDA error"},
            "__attach_version1.0_#00000001": {"3704001F": "a.zip".encode("utf-16-le"), "37010102": b"PK\x03\x04rest"},
        }

        def listdir(self, **which: bool) -> list[list[str]]:
            more = [[folder, f"__substg1.0_{name}"] for folder, inner in self.more.items() for name in inner]
            return [*super().listdir(**which), *more]

        def openstream(self, names: list[str]) -> io.BytesIO:
            inner = self.more.get(names[0])
            return super().openstream(names) if inner is None else io.BytesIO(inner[names[1][-8:]])

    monkeypatch.setattr(olefile, "OleFileIO", Attached)
    mail = outlook_mail(SAVED.read_bytes())
    assert mail.text == "This is a message\n\nrun.log:\nCUDA error"
    assert mail.attached == (("a.zip", b"PK\x03\x04rest"),)

"""A mailbox: mail by mail as the standard library finds them, in bounded memory, and whose mails are tickets."""

import io
import mailbox
import subprocess
import sys
from pathlib import Path

import pytest

from checks.readers.mails import mailbox as ours
from checks.readers.mails.mail import mail_of
from checks.readers.mails.mailbox import Threads, is_mailbox, mails_in

ROOT = Path(__file__).resolve().parents[4]
BODIES = ("It fails.\n\nFrom here on nothing works at 12:30.", "second\n>From quoted\n", "", "日本語です。\n\n\n")


def boxed(path: Path, bodies: tuple[str, ...] = BODIES) -> bytes:
    """A mailbox as the standard library writes it."""
    box = mailbox.mbox(path)
    for number, body in enumerate(bodies):
        mail = mailbox.mboxMessage()
        mail["Subject"] = f"ticket {number}"
        mail.set_payload(body, "utf-8")
        box.add(mail)
    box.close()
    return path.read_bytes()


def test_finds_what_the_standard_library_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = boxed(tmp_path / "box")
    assert is_mailbox(data)
    for piece in (1 << 20, 700, 501):  # also where a mail begins in one piece and its line before it in another
        monkeypatch.setattr(ours, "_PIECE", piece)
        found = [mail_of(mail) for mail in mails_in(io.BytesIO(data))]
        assert [mail.subject for mail in found] == [f"ticket {number}" for number in range(4)]
        assert "nothing works at 12:30" in found[0].text
        assert "From quoted" in found[1].text
        assert found[3].text.strip() == "日本語です。"


def test_windows_line_ends_are_the_same(tmp_path: Path) -> None:
    data = boxed(tmp_path / "box").replace(b"\n", b"\r\n")
    assert len(list(mails_in(io.BytesIO(data)))) == 4


def test_a_mail_that_is_too_long_is_cut_and_the_next_one_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "MOST", 1 << 16)
    monkeypatch.setattr(ours, "_PIECE", 1 << 14)
    mark = b"From a@b Thu May  2 10:00:00 2024\nSubject: %d\n\n"
    data = mark % 1 + b"x" * (5 << 16) + b"\n\n" + mark % 2 + b"small\n"
    found = list(mails_in(io.BytesIO(data)))
    assert len(found[0]) <= 1 << 16
    assert found[1] == b"Subject: 2\n\nsmall\n"


_BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]), int(sys.argv[1])))
from checks.readers.mails.mailbox import mails_in
from checks.readers.mails.mail import mail_of
class Endless:  # as much as is asked for, and never all at once
    left = int(sys.argv[2])
    mail = b"From a@b Thu May  2 10:00:00 2024\\nSubject: x\\n\\n" + b"line of a log\\n" * 70000 + b"\\n"
    at = 0
    def read(self, size):
        size = min(size, self.left)
        whole = self.mail[self.at:] + self.mail * (size // len(self.mail) + 1)
        self.left -= size
        self.at = (self.at + size) % len(self.mail)
        return whole[:size]
count = 0
for mail in mails_in(Endless()):
    count += 1
    assert count % 50 or mail_of(mail).subject == "x"
print(count)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of memory that is kept to")
def test_memory_is_bounded_whatever_the_size() -> None:
    run = [sys.executable, "-c", _BOUNDED, str(350 << 20), str(400 << 20)]
    done = subprocess.run(
        run, cwd=ROOT, env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()[-500:]
    assert int(done.stdout) > 400  # 400 MB of them, within 350 MB of addresses


def mail(own: str, sender: str, *answers: str) -> bytes:
    references = f"References: {' '.join(f'<{answer}>' for answer in answers)}\n" if answers else ""
    return f"From: {sender}\nTo: desk@x.y\nMessage-ID: <{own}>\n{references}\nhello".encode()


def test_a_conversation_is_one_ticket_of_whoever_began_it() -> None:
    threads = Threads()
    first = threads.thread_of(mail_of(mail("1", "Customer <c@x.y>")))
    assert first is not None
    assert threads.thread_of(mail_of(mail("2", "desk@x.y", "1"))) is None  # our answer is advice, and no ticket
    assert threads.thread_of(mail_of(mail("3", "C@x.y", "1", "2"))) == first
    assert threads.thread_of(mail_of(mail("4", "other@x.y"))) not in (None, first)
    assert threads.answers == 1

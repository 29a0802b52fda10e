"""The texts of one ticket, read together."""

import pytest

from checks.facts import Facts, SentFile
from checks.facts.case import Answers
from checks.judgement.judge import judged
from checks.readers.tickets import reported
from checks.readers.tickets.read import pasted, read_ticket
from wizard.report.content.report import build

LOG = SentFile(name="error.log", kind="log", text=f"{'x' * 9000}\nRuntimeError: CUDA error\n")
LIST = "hello\ntorch==2.1.0+cu121\n"


def origin_of_torch(*sent: SentFile) -> str:
    facts = read_ticket(*sent)
    assert facts.frameworks is not None
    assert facts.frameworks.torch is not None
    return facts.frameworks.torch.origin


def test_of_several_texts_the_one_that_tells_is_named() -> None:
    assert origin_of_torch(LOG, pasted(LIST)) == "pip freeze, line 2 of pasted"
    assert origin_of_torch(pasted(LIST), LOG) == "pip freeze, line 2 of pasted"


def test_of_one_text_the_line_is_enough() -> None:
    assert origin_of_torch(pasted(LIST)) == "pip freeze, line 2"


def test_what_two_texts_tell_of_one_thing_is_told_of_both() -> None:
    other = SentFile(name="list.txt", kind="log", text="torch==2.1.0+cu121\ntorchvision==0.16.0\n")
    facts = read_ticket(pasted(LIST), other)
    (interpreter,) = facts.interpreters or ()
    assert interpreter.origin == "pip freeze, line 2 of pasted; pip freeze, line 2 of list.txt"


def test_a_file_that_could_not_be_read_is_kept_and_tells_nothing() -> None:
    picture = SentFile(name="screen.png", kind="log", unread={"text": "not-text"})
    assert origin_of_torch(picture, pasted(LIST)) == "pip freeze, line 2 of pasted"
    assert read_ticket(picture).logs == (picture,)


def test_a_log_is_read_once_for_the_judgement_and_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """A case may hold two hundred of them."""
    read: list[int] = []

    def counted(lines: reported.Sequence[reported.Line]) -> reported.ReportedFacts:
        read.append(len(lines))
        return reported.ReportedFacts(facts=Facts())

    monkeypatch.setattr(reported, "reported_in", counted)
    logs = tuple(SentFile(name=f"{n}.log", kind="log", text=f"step {n} of test_read\n" * n) for n in range(1, 4))
    build(judged(Facts(logs=logs), Answers()), "en")
    assert sorted(read) == [2, 3, 4]

"""Every question on a terminal is answered by what is typed behind it."""

import io
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import wizard
from checks.facts import InterpreterFacts
from wizard.cli import questions
from wizard.cli.arguments import Parser
from wizard.cli.target import choose_target

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.FileIO]:
    users, ours = os.openpty()
    with os.fdopen(users, "wb", buffering=0) as typed, os.fdopen(ours) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        yield typed


def answered(keyboard: io.FileIO, early: bytes, late: bytes) -> None:
    keyboard.write(early)
    threading.Timer(0.3, keyboard.write, (late,)).start()


@pytest.mark.parametrize(("late", "is_yes"), [(b"n\n", False), (b"y\n", True), (b"\n", False)])
def test_what_was_typed_before_the_question_is_no_answer(keyboard: io.FileIO, late: bytes, is_yes: bool) -> None:
    answered(keyboard, b"y\n", late)
    assert questions.is_agreed("Do it?") is is_yes


def test_what_was_typed_before_chooses_no_python(keyboard: io.FileIO, monkeypatch: pytest.MonkeyPatch) -> None:
    named = InterpreterFacts(path="/usr/bin/python3", version="3.12.3", packages=(), found_by=("PATH",))
    near = InterpreterFacts(path="/sent/.venv/bin/python", version="3.11.1", packages=(), found_by=("folder",))
    monkeypatch.setattr("checks.interpreters.find_interpreters", lambda places: (near, named))
    monkeypatch.setattr("checks.interpreters.target.is_of_another", lambda interpreter: False)
    monkeypatch.setattr("wizard.cli.target.can_ask", lambda: True)
    chosen = Parser(prog="naosu").parse_args([])
    chosen.target, chosen.yes, chosen.lang = None, False, "en"
    answered(keyboard, b"y\n", b"n\n")
    choose_target(chosen)
    assert chosen.target == named.path


def test_no_other_place_reads_an_answer() -> None:
    folder = Path(wizard.__file__).parent
    readers = [path.name for path in folder.rglob("*.py") if "stdin.readline" in path.read_text("utf-8")]
    assert readers == ["questions.py"]

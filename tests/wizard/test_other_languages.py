"""A third language is files alone; and what is said in none of its files was written into the program."""

import dataclasses
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)
from support.pseudo_language import CODE, NOTE, english_sentences, pseudo, write_language

from checks import languages
from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.knowledge import catalogue
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.sharing.case import decode
from wizard.case_model import CaseModel
from wizard.flow import STEPS
from wizard.report.content.document import document_of
from wizard.report.content.report import build
from wizard.report.prints.json_report import to_json
from wizard.window.main_window import Window
from wizard.window.menus import LANGUAGE_NAMES
from wizard.words import system_language, words

ROOT = Path(__file__).resolve().parents[2]
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_language(tmp_path_factory.mktemp("languages"), without="The GPU can be used.")


def forget() -> None:
    languages.languages.cache_clear()
    languages._sentences.cache_clear()
    catalogue._translated.cache_clear()


@pytest.fixture
def third(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A language that was added as files."""
    monkeypatch.setenv("NAOSU_LANGUAGES", str(folder))
    monkeypatch.setitem(LANGUAGE_NAMES, CODE, "Pséûdó")  # as it would be at the next start
    forget()
    yield CODE
    forget()


def case_of(name: str) -> Case:
    if name == "ticket":
        return judged(read_ticket(pasted(OOM)), Answers(symptom=TICKET))
    return decode((ROOT / "tests" / "cases" / f"{name}.json").read_bytes())


# What is no sentence: commands, what was sent, ids.
_RAW = {"Code", "Quote", "SentText", "Sources"}
_IDS = {"id", "state", "language", "kind", "mark", "created", "symbol", "group"}


def texts(block: Any) -> Iterator[str]:
    """What a reader sees of a document."""
    if isinstance(block, str):
        yield block
    elif isinstance(block, tuple):
        for part in block:
            yield from texts(part)
    elif dataclasses.is_dataclass(block) and type(block).__name__ not in _RAW and not isinstance(block, Enum):
        for field in dataclasses.fields(block):
            if field.name not in _IDS:
                yield from texts(getattr(block, field.name))


def unbracketed(text: str) -> str:
    """What stands outside of all brackets."""
    while text != (inner := re.sub(r"\[[^\[\]]*\]", " ", text)):
        text = inner
    return text


def hard_coded(text: str, known: str) -> list[str]:
    """The words outside of brackets that are no values of the case."""
    return [word for word in re.findall(r"[A-Za-z]{3,}", unbracketed(text)) if word.lower() not in known]


@pytest.mark.parametrize("name", ["ticket", "failing-hbm-a100", "recorded-onnxruntime-gpu-without-gpu"])
def test_no_sentence_of_a_report_is_written_into_the_program(third: str, name: str) -> None:
    case = case_of(name)
    known = to_json(case, "en").decode().lower() + " ".join(_NAMES)
    document = document_of(build(case, third))
    found = {word: text for text in texts(document) for word in hard_coded(text, known)}
    assert found == {}
    assert document.notes[0] == NOTE


def shown(window: QWidget) -> Iterator[tuple[QWidget, str]]:
    """What can be read on a window, and what a screen reader is told."""
    yield from ((window, action.text()) for action in window.findChildren(QAction))
    for widget in filter(QWidget.isVisible, window.findChildren(QWidget)):
        if isinstance(widget, (QLabel, QAbstractButton)):
            yield widget, widget.text()
        if isinstance(widget, QComboBox):
            yield from ((widget, widget.itemText(at)) for at in range(widget.count()))
        if isinstance(widget, (QLineEdit, QPlainTextEdit)):
            yield widget, widget.placeholderText()
        yield from (
            (widget, text) for text in (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
        )


def is_cut(widget: QWidget) -> bool:
    """Whether a text has less room than it needs, and no tool tip tells it."""
    if isinstance(widget, QLabel) and widget.text() and not widget.wordWrap():
        return widget.width() < widget.sizeHint().width() and not widget.toolTip()
    if isinstance(widget, QLabel) and widget.text():
        return widget.height() < widget.heightForWidth(widget.width()) and not widget.toolTip()
    if isinstance(widget, QPushButton) and widget.text():
        return widget.width() < widget.sizeHint().width() and not widget.toolTip()
    return False


def overlapping(window: QWidget) -> Iterator[tuple[str, str]]:
    """Texts and controls that lie on one another in the same place."""
    kinds = (QLabel, QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit)
    for parent in window.findChildren(QWidget):
        beside = [kid for kid in parent.children() if isinstance(kid, kinds) and kid.isVisible()]
        for one, other in itertools.combinations(beside, 2):
            if one.geometry().intersects(other.geometry()):
                yield one.objectName() or type(one).__name__, other.objectName() or type(other).__name__


@pytest.fixture
def model(third: str, dressed: object) -> CaseModel:
    return CaseModel(third)


def test_every_page_speaks_it_and_nothing_is_cut_off(qapp: QApplication, at_report: Window, script: Path) -> None:
    at_report.resize(1024, 700)
    at_report.case.add_files([script])
    cut: set[object] = set()
    known = to_json(at_report.case.case, "en").decode().lower() + " ".join(_NAMES) + str(script).lower()
    for step in STEPS:
        at_report.go(step)
        qapp.processEvents()
        found = {word: text for _, text in shown(at_report) for word in hard_coded(text, known)}
        assert found == {}, step
        there = (widget for widget in at_report.findChildren(QWidget) if widget.isVisible() and is_cut(widget))
        cut |= {(step.value, widget.text()) for widget in there}  # type: ignore[attr-defined]
        assert list(overlapping(at_report)) == [], step
    assert cut == set()
    assert (at_report.width(), at_report.height()) == (1024, 700)


_NAMES = ("gib", "mib", "naosu", "english", "pdf", "json", "letter", "linux", "windows", "macos")


def test_a_command_and_its_pdf_speak_it(folder: Path, tmp_path: Path) -> None:
    """As it is at a start: its name in the help, the answer, the PDF; what is not translated is said in English."""
    ticket, made = tmp_path / "ticket.txt", tmp_path / "made.pdf"
    ticket.write_text(OOM)
    environment = {**os.environ, "NAOSU_LANGUAGES": str(folder)}
    command = [sys.executable, "-m", "wizard", "--lang", CODE, "diagnose", str(ticket), "--pdf", str(made)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert pseudo("The memory of the GPU is full") in done.stdout, done.stderr
    assert NOTE in done.stdout
    commands = "nvidia-smi --query-compute-apps=pid,name,used_memory --query-gpu=memory.free,memory.total --format=csv"
    assert hard_coded(done.stdout, f"{OOM} {commands} {made} naosu markdown".lower()) == []
    read = subprocess.run(["pdftotext", str(made), "-"], capture_output=True, text=True, check=True).stdout
    assert "".join(NOTE.split()) in "".join(read.split())


def test_what_it_lacks_or_gets_wrong_is_english(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "yy"
    own.mkdir()
    (own / "language.toml").write_text('name = "Y"')
    (own / "more.toml").write_text('"Page {page}" = "Y {count}"\n"Report" = "Ypsilon"\n')
    monkeypatch.setenv("NAOSU_LANGUAGES", str(tmp_path))
    forget()
    assert languages.languages()["yy"] == languages.Language("Y")
    assert languages.translated("Page {page}", "yy") == "Page {page}"
    assert languages.translated("Report", "yy") == words("window.step-report", "yy") == "Ypsilon"
    assert words("window.step-run", "yy") == "Examination"
    for wrong in ('title = "Y"', "name = 3", "name = "):
        (own / "language.toml").write_text(wrong)
        forget()
        with pytest.raises(ValueError, match=r"language\.toml"):
            languages.languages()
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize(
    ("locale", "spoken"),
    [
        ("pt_BR.UTF-8", "pt-BR"),
        ("pt-BR", "pt-BR"),
        ("pt_PT.UTF-8", "en"),
        ("fil_PH", "fil"),
        ("fi_FI.UTF-8@euro", "en"),
        ("ja_JP.UTF-8", "ja"),
        ("Japanese_Japan.932", "ja"),
        ("C.UTF-8", "en"),
    ],
)
def test_it_is_that_of_the_system(locale: str, spoken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wizard.words.LANGUAGES", ("en", "ja", "fil", "pt-BR"))
    monkeypatch.setenv("NAOSU_LANG", locale)
    assert system_language() == spoken


def test_the_languages_that_are_shipped_translate_what_there_is() -> None:
    """A sentence that is not English any more, or that names other values, is a leftover."""
    there = {*english_sentences()}
    for own in languages._folders():
        files = (path for path in own.glob("*.toml") if path.name != "language.toml")
        told = {english for path in files for english in languages._read(path)}
        assert told - there == set()
        assert languages._sentences(own.name).keys() == told

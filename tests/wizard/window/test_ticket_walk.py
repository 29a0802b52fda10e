"""A ticket in the window: paste, diagnose, the marked lines, the question, the answer to paste back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot
from support.extent import ALL

from wizard.case_model import Search
from wizard.evidence_files import Kind
from wizard.flow import TICKET, Step
from wizard.pages.evidence import EvidencePage
from wizard.pages.report import ReportPage
from wizard.pages.symptom import SymptomPage
from wizard.window.file_acts import file_name
from wizard.window.main_window import Window

LEFT = Qt.MouseButton.LeftButton
TEXT = """After we exchanged the card nothing works any more.

Traceback (most recent call last):
  File "train.py", line 3, in <module>
    x = torch.ones(1, device="cuda")
RuntimeError: CUDA error: no kernel image is available for execution on the device

GPU: NVIDIA GeForce RTX 5070 Ti, torch 2.5.1+cu121
"""


def diagnosed(qtbot: QtBot, window: Window, text: str) -> ReportPage:
    window.case.set_symptom(TICKET)
    window.go(Step.EVIDENCE)
    window.case.set_text(text)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(window.next, LEFT)
    assert window.step is Step.REPORT
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    return page


def texts_of(page: ReportPage) -> Iterator[str]:
    yield from (label.text() for label in page.findChildren(QLabel) if label.isVisible())


def sent_texts(page: ReportPage) -> Iterator[QPlainTextEdit]:
    """The boxes with what was sent, not those in which something is written."""
    yield from (box for box in page.findChildren(QPlainTextEdit) if box.isReadOnly())


def unfold_text(page: ReportPage) -> None:
    next(fold for key, fold in page._folds.items() if key.startswith("text/")).unfold()


def test_from_the_card_to_the_report(qtbot: QtBot, window: Window) -> None:
    window.case.set_symptom(TICKET)
    visible = [step for step, button in window._rail.steps.items() if button.isVisible()]
    assert visible == [Step.SYMPTOM, Step.EVIDENCE, Step.REPORT]
    window.go_next()
    assert window.next.text() == "&Diagnose"
    assert not window.next.isEnabled()
    assert "ticket" in window._hint.text()
    evidence = window.page(Step.EVIDENCE)
    assert isinstance(evidence, EvidencePage)
    assert "Paste what was sent" in evidence.intro.text()
    assert not evidence._exactness_part.isVisible()
    assert window.case.search is Search.IDLE  # no interpreter is needed, so none is looked for
    page = diagnosed(qtbot, window, TEXT)
    case = window.case.case
    assert case is not None
    assert case.findings[0].cause == "build-lacks-newer-gpu-arch"
    assert any("RTX 5070 Ti" in text for text in texts_of(page))
    assert any("No machine was examined" in text for text in texts_of(page))
    qtbot.mouseClick(window.back, LEFT)
    assert window.step is Step.EVIDENCE


def test_the_proving_lines_are_marked(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    unfold_text(page)
    (box,) = (each for each in sent_texts(page) if each.toPlainText() == TEXT)
    marked = {extraselection.cursor.block().text() for extraselection in box.extraSelections()}
    assert "RuntimeError: CUDA error: no kernel image is available for execution on the device" in marked
    assert "Traceback (most recent call last):" not in marked


def answer(qtbot: QtBot, page: ReportPage) -> str:
    """What is offered to be sent back."""
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        qtbot.mouseClick(page._reply, LEFT)
    return page.reply.text.toPlainText()


def test_the_answer_is_seen_changed_and_copied(qtbot: QtBot, window: Window, qapp: QApplication) -> None:
    page = diagnosed(qtbot, window, TEXT)
    assert not page.reply.isVisible()
    text = answer(qtbot, page)
    assert page.reply.isVisible()
    assert text.startswith("Thank you")
    assert "no kernel image" in text
    page.reply.text.setPlainText("Dear Sarah, " + text)
    qtbot.mouseClick(page.reply.copy, LEFT)
    assert qapp.clipboard().text().startswith("Dear Sarah, Thank you")
    qtbot.mouseClick(page.reply.close_button, LEFT)
    assert not page.reply.isVisible()


def test_the_answer_speaks_the_language_of_the_ticket(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, "新しいカードに交換したら動かなくなりました。\n" + TEXT)
    assert "ありがとうございます" in answer(qtbot, page)
    english = page.reply.language.findData("en")
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        page.reply.language.setCurrentIndex(english)
        page.reply.language.activated.emit(english)
    assert page.reply.text.toPlainText().startswith("Thank you")


def test_the_answer_to_one_ticket_is_not_that_to_the_next(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    answer(qtbot, page)
    diagnosed(qtbot, window, TEXT + "\nIt is urgent.")
    assert not page.reply.isVisible()


def test_what_comes_back_is_judged_with_the_rest(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, "It does not work.")
    assert page.asking.isVisible()
    assert not page.asking.add.isEnabled()
    page.asking.text.setPlainText(TEXT)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.mouseClick(page.asking.add, LEFT)
    assert window.case.answers.text.startswith("It does not work.")
    assert window.case.case is not None
    assert window.case.case.findings[0].cause == "build-lacks-newer-gpu-arch"
    assert page.asking.text.toPlainText() == ""


def test_from_a_text_to_the_computer_on_which_it_happened(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    qtbot.mouseClick(page._here, LEFT)
    assert window.step is Step.TARGET
    assert window.case.answers.symptom == "does-not-start"
    assert window.case.answers.text == TEXT


def test_a_text_that_tells_nothing_leads_to_a_question(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, "It does not work.")
    assert page.asking.isVisible()
    assert "whole error text" in page.asking.question.text()
    assert "Worth asking next" not in set(texts_of(page))  # once is enough
    assert not any("Ask for the details" in text for text in texts_of(page))


def test_a_second_ticket(qtbot: QtBot, window: Window) -> None:
    diagnosed(qtbot, window, "It does not work.")
    window.go_back()
    page = diagnosed(qtbot, window, TEXT)
    assert any("RTX 5070 Ti" in text for text in texts_of(page))
    assert window.case.case_before is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_ticket_and_an_examination_keep_their_own_answers(
    qtbot: QtBot, window: Window, tmp_path: Path, language: str
) -> None:
    """Else somebody else's error would be found on this machine."""
    window.case.set_language(language)
    (tmp_path / "theirs.log").write_text(TEXT)
    (tmp_path / "mine.py").write_text("import torch")
    window.case.add_files([tmp_path / "theirs.log"])
    diagnosed(qtbot, window, TEXT)  # what was given before the first choice goes along with it
    assert [file.path.name for file in window.case.answers.given] == ["theirs.log"]
    window.go(Step.SYMPTOM)
    window.case.set_symptom("results-change")
    assert not window.case.answers.text
    assert not window.case.answers.given
    assert ("ticket" if language == "en" else "チケット") in window._notice.text.text()
    evidence = window.page(Step.EVIDENCE)
    assert isinstance(evidence, EvidencePage)
    assert not evidence._text.toPlainText()
    window.case.add_files([tmp_path / "mine.py"])
    window.case.set_text("my own")
    window.case.set_symptom("not-on-gpu")  # another question about the same machine
    assert window.case.answers.text == "my own"
    assert window.case.notice is not None
    window.case.set_symptom(TICKET)
    assert evidence._text.toPlainText() == TEXT
    assert [file.path.name for file in window.case.answers.given] == ["theirs.log"]
    window.case.set_symptom("not-on-gpu")
    assert evidence._text.toPlainText() == "my own"
    assert [file.path.name for file in window.case.answers.given] == ["mine.py"]


def test_nothing_is_said_to_stay_where_nothing_was_given(window: Window) -> None:
    window.case.set_symptom(TICKET)
    window.case.set_symptom("not-on-gpu")
    window.case.set_symptom(TICKET)
    assert window.case.notice is None


def test_no_second_examination_is_offered_for_a_ticket(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    assert not page._again.isVisible()
    assert page._reply.isVisible()
    assert page._here.isVisible()


def test_the_answers_are_for_tickets_only(at_report: Window) -> None:
    page = at_report.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert not page._reply.isVisible()
    assert not page._here.isVisible()
    assert page._again.isVisible()


def drop(window: Window, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none = Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, LEFT, none))


def test_a_dropped_log_is_a_ticket_and_answered(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    log.write_text(TEXT)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        drop(window, log)
    assert window.case.answers.symptom == TICKET
    assert [(file.path, file.kind) for file in window.case.answers.given] == [(log, Kind.LOG)]
    assert window.step is Step.REPORT


def test_a_log_dropped_on_a_report_is_another_case(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    diagnosed(qtbot, window, TEXT)
    log = tmp_path / "other.log"
    log.write_text("ModuleNotFoundError: No module named 'torch'")
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        drop(window, log)
    assert window.case.answers.text == ""
    assert window.case.case is not None
    assert [sent.name for sent in window.case.case.facts.logs] == ["other.log"]


def test_what_is_no_text_is_refused(window: Window, tmp_path: Path) -> None:
    log = tmp_path / "picture.log"
    log.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    drop(window, log)
    assert not window.case.busy
    assert window.case.notice is not None
    assert "picture.log" in window.case.sentence(window.case.notice)


def test_the_language_is_switched_on_the_report(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    window.case.set_language("ja")
    qtbot.waitUntil(lambda: any("RTX 5070 Ti" in text and "対応" in text for text in texts_of(page)))
    assert [button.text() for button in page.findChildren(QPushButton) if "返信文" in button.text()]


# What looks like a line's end elsewhere; together, and each alone before a release.
BREAKS = ["10%\r20%\r30%\n", "one\u2029two\n", "a\x0b\x0cb\x85c\u2028d\n", "a\r\n\r\n\n", "x" * 9000 + "\n"]


@pytest.mark.parametrize("before", ["".join(BREAKS), *(BREAKS if ALL else BREAKS[:1])])
def test_what_breaks_a_line_elsewhere_moves_no_mark(qtbot: QtBot, window: Window, tmp_path: Path, before: str) -> None:
    """A progress bar in a log file goes back to the beginning of its line, which is no new one."""
    log = tmp_path / "error.log"
    log.write_bytes((before + TEXT).encode())
    window.case.add_files([log], Kind.LOG)
    page = diagnosed(qtbot, window, "")
    unfold_text(page)
    (box,) = (each for each in sent_texts(page) if "RTX 5070 Ti" in each.toPlainText())
    marked = {extraselection.cursor.block().text() for extraselection in box.extraSelections()}
    assert "RuntimeError: CUDA error: no kernel image is available for execution on the device" in marked


def test_a_ticket_is_compared_with_no_earlier_examination(qtbot: QtBot, at_report: Window) -> None:
    at_report.case.case_before = at_report.case.case
    diagnosed(qtbot, at_report, TEXT)
    assert at_report.case.case_before is None


def test_a_report_is_read_from_its_beginning(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    bar = page.scroller.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    window.go_back()
    diagnosed(qtbot, window, TEXT + "\nIt is urgent.")
    assert bar.value() == 0


def test_what_was_unfolded_of_one_ticket_is_not_of_the_next(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    for fold in page._folds.values():
        fold.unfold()
    window.go_back()
    diagnosed(qtbot, window, TEXT + "\nIt is urgent.")
    assert not page._folds["build-lacks-newer-gpu-arch/0"].header.isChecked()  # the answer stands above


def test_the_text_takes_the_room_that_it_needs(qtbot: QtBot, window: Window) -> None:
    error = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    for lines, shown in ((1, 3), (5, 5), (400, 14)):
        text = "\n".join([error] * lines)
        page = diagnosed(qtbot, window, text)
        unfold_text(page)
        (box,) = (each for each in sent_texts(page) if each.toPlainText() == text and each.isVisible())
        assert 0 <= box.viewport().height() / box.fontMetrics().lineSpacing() - shown < 2, lines


def test_the_next_ticket_begins_empty(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    log = tmp_path / "error.log"
    log.write_text(TEXT)
    window.case.add_files([log], Kind.LOG)
    page = diagnosed(qtbot, window, TEXT)
    assert page._next.isVisible()
    qtbot.mouseClick(page._next, LEFT)
    assert window.step is Step.SYMPTOM
    assert (window.case.answers.text, window.case.answers.given) == ("", ())
    first = window.page(Step.SYMPTOM)
    assert isinstance(first, SymptomPage)
    assert first.text.toPlainText() == ""
    assert window.case.case is None


def test_the_next_ticket_is_offered_for_tickets_only(at_report: Window) -> None:
    page = at_report.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    assert not page._next.isVisible()


def test_no_button_moves_when_one_says_that_it_copied(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    qtbot.mouseClick(page.more, LEFT)
    places = {button: button.geometry() for button in (page._save, page._markdown, page.paper)}
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        qtbot.mouseClick(page._markdown, LEFT)
    assert page._markdown.text() == "Copied"
    layout = page.body.layout()
    assert layout is not None
    layout.activate()
    assert {place: place.geometry() for place in places} == places


def test_an_opened_ticket_has_the_steps_of_a_ticket(qtbot: QtBot, window: Window) -> None:
    page = diagnosed(qtbot, window, TEXT)
    case = window.case.case
    assert case is not None
    window.case.set_symptom("everything")
    window.case.show_opened(case, Path("naosu-ticket.pdf"))
    window.go(Step.REPORT)
    visible = [step for step, button in window._rail.steps.items() if button.isVisible()]
    assert visible == [Step.SYMPTOM, Step.EVIDENCE, Step.REPORT]
    qtbot.waitUntil(lambda: any("a ticket that somebody sent" in text for text in texts_of(page)))
    assert not any("the machine on which it was made" in text for text in texts_of(page))
    window.go(Step.SYMPTOM)
    assert window._rail.steps[Step.TARGET].isVisible()  # where one's own walk goes on


def dropped_on_zone(window: Window, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    none = Qt.KeyboardModifier.NoModifier
    page.drop.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, LEFT, none))


def test_a_picture_is_no_part_of_a_ticket(window: Window, tmp_path: Path) -> None:
    picture, log = tmp_path / "screen.png", tmp_path / "dmesg"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    log.write_text("NVRM: Xid (PCI:0000:01:00): 79")
    window.case.set_symptom(TICKET)
    window.go(Step.EVIDENCE)
    dropped_on_zone(window, picture, log)
    assert [(file.path, file.kind) for file in window.case.answers.given] == [(log, Kind.LOG)]
    assert window.case.notice is not None
    assert "screen.png" in window.case.sentence(window.case.notice)
    assert "dmesg" not in window.case.sentence(window.case.notice)


@pytest.mark.parametrize("kind", ["json", "pdf"])
def test_a_report_dropped_on_a_ticket_is_opened(qtbot: QtBot, window: Window, tmp_path: Path, kind: str) -> None:
    diagnosed(qtbot, window, TEXT)
    report = tmp_path / f"report.{kind}"
    window.work.export(report, kind, "a4", hide=())
    qtbot.waitUntil(lambda: window.case.notice is not None and not window.case.notice.is_error, timeout=20_000)
    window.begin()
    window.case.set_symptom(TICKET)
    window.go(Step.EVIDENCE)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        dropped_on_zone(window, report)
    assert window.case.opened == report
    assert window.step is Step.REPORT


def test_ctrl_enter_in_the_text_diagnoses(qtbot: QtBot, window: Window) -> None:
    window.case.set_symptom(TICKET)
    window.go(Step.EVIDENCE)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page = window.page(Step.EVIDENCE)
    assert isinstance(page, EvidencePage)
    qtbot.keyClick(page._text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not window.case.busy  # there is nothing to diagnose yet
    page._text.setPlainText(TEXT)
    with qtbot.waitSignal(window.work.finished_opening, timeout=20_000):
        qtbot.keyClick(page._text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert window.step is Step.REPORT


def test_the_files_of_tickets_are_told_apart_by_their_cause(qtbot: QtBot, window: Window) -> None:
    diagnosed(qtbot, window, TEXT)
    case = window.case.case
    assert case is not None
    assert file_name(case) == f"naosu-ticket-build-lacks-newer-gpu-arch-{case.created[:10]}"

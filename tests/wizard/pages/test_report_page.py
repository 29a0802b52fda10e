"""The fifth page."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit, QPushButton, QTreeWidget
from pytestqt.qtbot import QtBot
from support.played_engine import TOO_OLD, case

from checks.facts import SentFile
from checks.facts.case import Case
from checks.remedies.plan import plan_remedies
from wizard.case_model import CaseModel
from wizard.jobs.background import Work
from wizard.pages.fact_tree import children
from wizard.pages.report import ReportPage

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work) -> ReportPage:
    page = ReportPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def show(page: ReportPage, one: Case, before: Case | None = None) -> None:
    if before is not None:
        page.case.set_target(before.facts.target or "")
        page.case.run_began()
        page.case.run_ended(before)
    page.case.run_began()
    page.case.run_ended(one)


def words(page: ReportPage) -> list[str]:
    """What the labels say, in the order of reading; new widgets are shown by a posted event."""
    QGuiApplication.sendPostedEvents()
    return [label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page)]


def unfold(page: ReportPage, key: str) -> None:
    page._folds[key].unfold()


def buttons(page: ReportPage, start: str) -> Iterator[QPushButton]:
    return (button for button in page.findChildren(QPushButton) if button.accessibleName().startswith(start))


def test_without_a_case(page: ReportPage) -> None:
    assert not page._export.isEnabled()
    assert not page._again.isEnabled()


def test_the_verdict_comes_first(page: ReportPage) -> None:
    show(page, case(TOO_OLD, symptom="not-on-gpu"))
    sentence = page.findChild(QLabel, "verdict")
    assert "The NVIDIA driver is too old for torch 2.6.0+cu124" in sentence.text()
    QGuiApplication.sendPostedEvents()
    assert any(button.isVisibleTo(page) for button in buttons(page, "Copy: "))  # what to do stands beside it
    assert not any(fold.header.isChecked() for fold in page._folds.values())  # all else is behind it


def test_what_is_not_run_is_not_shown_as_fine(page: ReportPage) -> None:
    show(page, case())
    assert "Tested and fine (1)" in words(page)
    assert "Not checked (1)" in words(page)
    unfold(page, "not-run")
    assert any("not collected" in text for text in words(page))


def test_an_incomplete_case_says_so(page: ReportPage) -> None:
    show(page, case(complete=False))
    assert any("cancelled" in text for text in words(page))


def test_copy(qtbot: QtBot, page: ReportPage, monkeypatch: pytest.MonkeyPatch) -> None:
    later: list[Callable[[], object]] = []
    monkeypatch.setattr("wizard.pages.report.QTimer.singleShot", lambda _, __, act: later.append(act))
    show(page, case(TOO_OLD))
    button = next(candidate for candidate in buttons(page, "Copy: ") if "nvidia-smi" in candidate.accessibleName())
    qtbot.mouseClick(button, LEFT)
    assert "nvidia-smi" in QGuiApplication.clipboard().text()
    assert button.text() == "Copied"
    (again,) = later
    again()
    assert button.text() == "Copy"


def test_what_came_from_outside_is_never_markup(page: ReportPage) -> None:
    evil = "<img src=http://example.invalid/x.png>"
    evidence = (msgspec.structs.replace(TOO_OLD.evidence[0], value=evil), *TOO_OLD.evidence[1:])
    show(page, case(msgspec.structs.replace(TOO_OLD, evidence=evidence)))
    shown = [label for label in page.findChildren(QLabel) if evil in label.text()]
    assert shown
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in shown)
    assert not any(label.openExternalLinks() for label in page.findChildren(QLabel))


def test_facts_are_filtered(page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    unfold(page, "facts")
    tree = page.findChild(QTreeWidget)
    (search,) = (field for field in page.findChildren(QLineEdit) if field is not page.words)
    everything = len(visible(tree))
    search.setText("470.256")
    assert 0 < len(visible(tree)) < everything
    assert all("470.256" in text for text in visible(tree))
    search.setText("nothing has this")
    assert visible(tree) == []
    search.setText("")
    assert len(visible(tree)) == everything


def visible(tree: QTreeWidget) -> list[str]:
    sections = [child for child in children(tree.invisibleRootItem()) if not child.isHidden()]
    return [row.text(1) for section in sections for row in children(section) if not row.isHidden()]


def test_what_changed_since_the_last_run(page: ReportPage) -> None:
    show(page, case(), before=case(TOO_OLD))
    assert "✓ Fixed: The NVIDIA driver is too old for torch 2.6.0+cu124" in words(page)
    show(page, case(TOO_OLD))
    assert "! New: The NVIDIA driver is too old for torch 2.6.0+cu124" in words(page)


def test_an_opened_report_is_not_run_again(page: ReportPage) -> None:
    page.case.show_opened(case(TOO_OLD), Path("sent.pdf"))
    assert not page._again.isVisible()
    assert page._export.isEnabled()


def test_what_is_open_stays_open_in_the_other_language(page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    unfold(page, "facts")
    page.case.set_language("ja")
    page.retranslate()
    assert page._folds["facts"].header.isChecked()
    assert "すべての情報" in words(page)


@pytest.mark.parametrize(("kind", "start"), [("json", b"{"), ("pdf", b"%PDF-")])
def test_export(qtbot: QtBot, page: ReportPage, tmp_path: Path, kind: str, start: bytes) -> None:
    show(page, case(TOO_OLD))
    target = tmp_path / f"report.{kind}"
    assert page.case.lost_by_quitting() == "quit-unsaved"
    page.work.export(target, kind, "letter", hide=())
    assert page.case.busy
    qtbot.waitUntil(lambda: page.case.notice is not None, timeout=20_000)
    assert not page.case.notice.is_error
    assert target.read_bytes().startswith(start)
    assert not page.case.busy
    assert not page.case.lost_by_quitting()


def test_words_of_the_users_own_are_hidden(qtbot: QtBot, page: ReportPage, tmp_path: Path) -> None:
    known = case(TOO_OLD)
    logs = (SentFile(name="x.log", kind="log", text="at Bluebird and 青い鳥社"),)
    show(page, msgspec.structs.replace(known, facts=msgspec.structs.replace(known.facts, logs=logs)))
    page.words.setText("bluebird、 青い鳥")
    assert page.words_to_hide == ("bluebird", "青い鳥")
    page.work.export(tmp_path / "case.json", "json", "a4", hide=page.words_to_hide)
    qtbot.waitUntil(lambda: page.case.notice is not None, timeout=20_000)
    (log,) = json.loads((tmp_path / "case.json").read_bytes())["facts"]["logs"]
    assert log["text"] == "at <word-1> and <word-2>社"
    page.redact.setChecked(False)
    assert page.words_to_hide is None
    assert not page.words.isEnabled()


def test_saved_and_opened_again(qtbot: QtBot, page: ReportPage, tmp_path: Path) -> None:
    show(page, case(TOO_OLD))
    target = tmp_path / "case.json"
    page.work.export(target, "json", "a4", hide=None)
    qtbot.waitUntil(lambda: page.case.notice is not None, timeout=20_000)
    assert json.loads(target.read_bytes())["findings"][0]["cause"] == "driver-too-old-for-cuda"
    with qtbot.waitSignal(page.work.finished_opening, timeout=20_000):
        page.work.open(target)
    assert page.case.case.facts.machine == case(TOO_OLD).facts.machine


def test_a_place_that_cannot_be_written(qtbot: QtBot, page: ReportPage, tmp_path: Path) -> None:
    show(page, case(TOO_OLD))
    page.work.export(tmp_path / "missing" / "report.json", "json", "a4", hide=())
    qtbot.waitUntil(lambda: page.case.notice is not None, timeout=20_000)
    assert page.case.notice.is_error
    for language in ("en", "ja"):
        page.case.set_language(language)
        assert str(tmp_path) in page.case.sentence(page.case.notice)
    assert page.case.case == case(TOO_OLD)  # nothing is lost


def test_markdown_to_the_clipboard(qtbot: QtBot, page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        qtbot.mouseClick(page._markdown, LEFT)
    assert "470.256.02" in QGuiApplication.clipboard().text()
    assert page._markdown.text() == "Copied"


def test_a_copy_button_keeps_the_language_that_was_chosen_meanwhile(
    page: ReportPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    later: list[Callable[[], None]] = []
    monkeypatch.setattr("wizard.pages.report.QTimer.singleShot", lambda wait, button, act: later.append(act))
    show(page, case(TOO_OLD))
    page.work.rendered.emit("markdown-en", "text")
    page.case.set_language("ja")
    page.retranslate()
    japanese = page._markdown.text()
    later[0]()
    assert page._markdown.text() == japanese


def test_the_keyboard_stays_where_it_was(qtbot: QtBot, page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    page._markdown.setFocus()
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        qtbot.keyClick(page._markdown, Qt.Key.Key_Space)
        assert page._markdown.hasFocus()
    assert page._markdown.hasFocus()


def test_how_a_remedy_was_tried_is_not_shown(page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    plans = plan_remedies(TOO_OLD, case(TOO_OLD).facts, "en")
    assert not set(words(page)) & {plan.tested for plan in plans}


@pytest.mark.parametrize("name", ["damaged.json", "other.json", "gone.json", "no.pdf"])
def test_what_cannot_be_opened_is_one_sentence(qtbot: QtBot, page: ReportPage, tmp_path: Path, name: str) -> None:
    contents = {"damaged.json": b'{"format": 1, ', "other.json": b'{"a": 1}', "no.pdf": b"%PDF-1.7 broken"}
    path = tmp_path / name
    if name in contents:
        path.write_bytes(contents[name])
    show(page, case(TOO_OLD))
    page.work.open(path)
    qtbot.waitUntil(lambda: page.case.notice is not None, timeout=20_000)
    assert page.case.notice.is_error
    assert page.case.sentence(page.case.notice)
    assert page.case.case == case(TOO_OLD)


def test_nothing_widens_the_page(qtbot: QtBot, page: ReportPage) -> None:
    long = "C:\\" + "a_folder_name_without_any_end" * 12
    evidence = tuple(msgspec.structs.replace(each, value=long, origin=long, source=long) for each in TOO_OLD.evidence)
    page.case.set_language("ja")
    page.retranslate()
    show(page, case(msgspec.structs.replace(TOO_OLD, evidence=evidence)))
    for key in page._folds:
        unfold(page, key)
    column = page.scroller.widget()
    for width in (520, 700):
        page.resize(width, 600)
        qtbot.waitUntil(lambda width=width: column.width() <= width)
        assert column.minimumSizeHint().width() <= width


def test_back_to_the_own_report(qtbot: QtBot, page: ReportPage) -> None:
    show(page, case(TOO_OLD))
    assert not page._own.isVisible()
    page.case.show_opened(case(), Path("sent.pdf"))
    page.case.show_opened(case(), Path("another.pdf"))
    assert page._own.isVisible()
    qtbot.mouseClick(page._own, LEFT)
    assert (page.case.case, page.case.opened) == (case(TOO_OLD), None)
    assert not page._own.isVisible()


def test_a_given_log_is_shown_as_it_came(page: ReportPage) -> None:
    log = SentFile(name="train.log", kind="log", text="<b>RuntimeError</b>\n" * 3)
    one = case(TOO_OLD)
    show(page, msgspec.structs.replace(one, facts=msgspec.structs.replace(one.facts, logs=(log,))))
    (key,) = (key for key in page._folds if key.startswith("text/"))
    unfold(page, key)
    assert page._folds[key].findChild(QPlainTextEdit).toPlainText() == log.text


def test_it_is_drawn_anew_only_when_the_colours_change(
    qtbot: QtBot, page: ReportPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(page, case(TOO_OLD))
    drawn = []
    monkeypatch.setattr(page, "_fill", drawn.append)
    page.setPalette(page.palette())
    assert drawn == []
    page.setPalette(QPalette(QColor("#2b2d30"), QColor("#1f2123")))
    qtbot.waitUntil(lambda: len(drawn) == 1)

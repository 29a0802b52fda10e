"""The answer to a ticket, as people read it."""

import errno
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot
from support.cases_list import paste, wait_for

from checks.history.cases import Cases
from wizard.desktop import settings
from wizard.flow import Step
from wizard.pages.panels.replying import ReplyPanel
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window


@pytest.fixture
def reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, window: Window) -> ReplyPanel:
    """The answer to a ticket, in English."""
    monkeypatch.setenv("NAOSU_HISTORY", str(tmp_path / "kept"))
    paste(window, "ModuleNotFoundError: No module named 'torch'")
    wait_for(qtbot, window._rail.cases, lambda headings: len(headings) == 1)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    ask(qtbot, page)
    return page.reply


def ask(qtbot: QtBot, page: ReportPage) -> None:
    with qtbot.waitSignal(page.work.rendered, timeout=20_000):
        page._reply.click()


def test_an_answer_that_was_changed_is_there_again(
    qtbot: QtBot, window: Window, reply: ReplyPanel, tmp_path: Path
) -> None:
    written = reply.text.toPlainText()
    assert reply.anew.isHidden()
    reply.text.setPlainText("Dear Ms Sato, install torch.")
    assert not reply.anew.isHidden()
    name, of = window.case.case_id, window.case.headings[0].changed
    window.begin()  # at once: nothing waits for a clock
    assert reply.isHidden()
    assert Cases(tmp_path / "kept" / "cases").reply(name, "en", of) == "Dear Ms Sato, install torch."
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(name)
    ask(qtbot, window.page(Step.REPORT))  # type: ignore[arg-type]
    assert reply.text.toPlainText() == "Dear Ms Sato, install torch."
    reply.anew.click()
    assert reply.text.toPlainText() == written
    reply.text.undo()
    assert reply.text.toPlainText() == "Dear Ms Sato, install torch."
    reply.text.redo()
    reply.keep()
    assert Cases(tmp_path / "kept" / "cases").reply(name, "en", of) == ""


def test_each_language_has_its_own(qtbot: QtBot, window: Window, reply: ReplyPanel) -> None:
    reply.text.setPlainText("Install torch.")
    reply.language.setCurrentIndex(reply.language.findData("ja"))
    with qtbot.waitSignal(window.work.rendered, timeout=20_000):
        reply.language.activated.emit(reply.language.currentIndex())
    assert "torch" in reply.text.toPlainText()
    assert reply.text.toPlainText() != "Install torch."
    of = window.case.headings[0].changed
    assert window.work.cases.reply("en", of) == "Install torch."
    assert window.work.cases.reply("ja", of) == ""


def test_an_answer_is_saved_when_the_window_is_closed(window: Window, reply: ReplyPanel) -> None:
    reply.text.setPlainText("Install torch.")
    window.close()
    assert window.work.cases.reply("en", window.case.headings[0].changed) == "Install torch."


def test_whoever_wants_markdown_has_it_also_the_next_time(window: Window, reply: ReplyPanel) -> None:
    assert "**" not in reply.text.toPlainText()
    reply.markdown.click()
    assert "**" in reply.text.toPlainText()
    assert reply.anew.isHidden()
    assert settings.writes_markdown()
    reply.text.setPlainText("Install torch.")
    reply.markdown.click()
    assert reply.text.toPlainText() == "Install torch."  # what its writer has changed stays
    reply.anew.click()
    assert "**" not in reply.text.toPlainText()


def test_it_is_in_the_language_that_was_rendered(window: Window, reply: ReplyPanel) -> None:
    reply.language.setCurrentIndex(reply.language.findData("ja"))  # while the English one is on its way
    window.work.rendered.emit("reply-en", "Install torch.")
    assert reply.language.currentData() == "en"
    reply.text.setPlainText("Mine.")
    reply.keep()
    of = window.case.headings[0].changed
    assert (window.work.cases.reply("en", of), window.work.cases.reply("ja", of)) == ("Mine.", "")


def test_an_answer_that_cannot_be_saved_is_told_and_tried_again(
    window: Window, reply: ReplyPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    reply.text.setPlainText("Install torch.")
    with monkeypatch.context() as patch:
        patch.setattr(Cases, "keep_reply", full)
        reply.keep()
    assert window.case.notice is not None
    assert "Read-only file system" in window.case.sentence(window.case.notice)
    reply.keep()
    assert window.work.cases.reply("en", window.case.headings[0].changed) == "Install torch."


def test_what_was_written_before_the_case_was_judged_anew_is_kept(window: Window, reply: ReplyPanel) -> None:
    before = window.case.case
    assert before is not None
    reply.text.setPlainText("Install torch.")
    window.case.run_ended(msgspec.structs.replace(before, created="2026-12-01T10:00:00+00:00"))
    assert reply.isHidden()
    assert window.work.cases.reply("en", before.created) == "Install torch."
    assert window.work.cases.reply("en", "2026-12-01T10:00:00+00:00") == ""

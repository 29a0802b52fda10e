"""The answer to a ticket, as people read it."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from support.cases_list import paste, wait_for

from checks.history.cases import Cases
from wizard.desktop import settings
from wizard.flow import Step
from wizard.pages.panels.replying import ReplyPanel, language_of, plain
from wizard.pages.report import ReportPage
from wizard.window.main_window import Window


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (r"1\.5 GiB", "1.5 GiB"),
        (r"libcudnn\*.so.9 and cudnn\_8.dll", "libcudnn*.so.9 and cudnn_8.dll"),
        (r"Lib\\site-packages", r"Lib\site-packages"),
        ("so:\n\n```sh\necho \\*\n```\n\n1\\. or `sm_50`", "so:\n\n    echo \\*\n\n1. or sm_50"),
        ("**The cause:** see <https://example.org/a_b>, @\u200bname", "The cause: see https://example.org/a_b, @name"),
        ("`` a`b `` and 2 \\* 3", "a`b and 2 * 3"),
        ("plain", "plain"),
    ],
)
def test_marks_of_markdown_are_not_shown(markdown: str, shown: str) -> None:
    assert plain(markdown) == shown


def test_the_language_of_a_ticket() -> None:
    assert language_of("動かなくなりました", "en") == "ja"
    assert language_of("It fails", "ja") == "en"
    assert language_of("  ", "ja") == "ja"


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
    name = window.case.case_id
    window.begin()  # at once: nothing waits for a clock
    assert reply.isHidden()
    assert Cases(tmp_path / "kept" / "cases").reply(name, "en") == "Dear Ms Sato, install torch."
    with qtbot.waitSignal(window.work.cases.opened, timeout=20_000):
        window.work.cases.open(name)
    ask(qtbot, window.page(Step.REPORT))  # type: ignore[arg-type]
    assert reply.text.toPlainText() == "Dear Ms Sato, install torch."
    reply.anew.click()
    assert reply.text.toPlainText() == written
    reply.keep()
    assert Cases(tmp_path / "kept" / "cases").reply(name, "en") == ""


def test_each_language_has_its_own(qtbot: QtBot, window: Window, reply: ReplyPanel) -> None:
    reply.text.setPlainText("Install torch.")
    reply.language.setCurrentIndex(reply.language.findData("ja"))
    with qtbot.waitSignal(window.work.rendered, timeout=20_000):
        reply.language.activated.emit(reply.language.currentIndex())
    assert "torch" in reply.text.toPlainText()
    assert reply.text.toPlainText() != "Install torch."
    assert window.work.cases.reply("en") == "Install torch."
    assert window.work.cases.reply("ja") == ""


def test_an_answer_is_saved_when_the_window_is_closed(window: Window, reply: ReplyPanel) -> None:
    reply.text.setPlainText("Install torch.")
    window.close()
    assert window.work.cases.reply("en") == "Install torch."


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

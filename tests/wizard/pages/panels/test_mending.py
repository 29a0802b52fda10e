"""What was proven is carried out on a click and a yes, the report says what came of it, and a click undoes it."""

import shutil
import sys
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from support.broken_environment import broken_environment, failed_case, killed_at, tree

from checks.facts.case import Case
from checks.mending import permission
from checks.mending.journal import journals
from wizard.flow import Step
from wizard.pages.panels.mending import MendingPanel
from wizard.pages.report import ReportPage
from wizard.window.half_done import offer_undo
from wizard.window.main_window import Window

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="remedies are carried out on Linux and macOS so far")
PATIENCE = 60_000


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(permission, "is_administrator", lambda: False)
    return broken_environment(tmp_path, monkeypatch)


def shown(qtbot: QtBot, window: Window, case: Case) -> MendingPanel:
    window.case.run_began()
    window.case.run_ended(case)
    window.go(Step.REPORT)
    page = window.page(Step.REPORT)
    assert isinstance(page, ReportPage)
    with qtbot.waitSignal(window.case.changed, timeout=PATIENCE):
        window.work.mending.look()
    return page.mending


def texts(window: Window) -> str:
    page = window.page(Step.REPORT)
    return "\n".join(label.text() for label in page.findChildren(QLabel) if label.isVisibleTo(page))


def are_said(window: Window, **texts_of: str) -> None:
    """The texts by their languages, in one of which the window goes on."""
    for language, text in texts_of.items():
        window.case.set_language(language)
        assert text in texts(window)


def test_it_asks_with_every_command_does_it_checks_and_undoes(qtbot: QtBot, window: Window, environment: Path) -> None:
    before = tree(environment)
    panel = shown(qtbot, window, failed_case(environment))
    assert panel.ask.isVisibleTo(window)
    assert not panel.start.isVisibleTo(window)
    panel.ask.click()
    are_said(window, ja="あなたの環境", en="This will be done in your own environment")
    assert f"'{environment}/bin/python' -m pip install six==2.0" in texts(window)
    panel.leave.click()
    assert not panel.start.isVisibleTo(window)
    panel.ask.click()
    panel.start.click()
    assert panel.stop.isVisibleTo(window)
    assert window.case.lost_by_quitting() == "quit-while-mending"
    qtbot.waitUntil(lambda: not window.case.is_mending, timeout=PATIENCE)
    are_said(window, en="works now", ja="動くようになりました")
    for language, text in {"en": "This was wrong, before", "ja": "対処を実行する前は、次の状態"}.items():
        window.case.set_language(language)
        qtbot.waitUntil(lambda text=text: text in texts(window), timeout=PATIENCE)
    assert "six is broken" in texts(window), "before and after are shown"
    assert panel.undo.isVisibleTo(window)
    assert not panel.ask.isVisibleTo(window)
    panel.undo.click()
    qtbot.waitUntil(lambda: not window.case.is_mending, timeout=PATIENCE)
    are_said(window, ja="そのあと元に戻しました", en="undone again")
    assert not panel.undo.isVisibleTo(window)
    assert tree(environment) == before


def test_where_a_new_environment_is_made_the_button_says_so(qtbot: QtBot, window: Window, environment: Path) -> None:
    case = failed_case(environment)
    (environment.parent / "project" / "requirements.txt").write_text("six==2.0\n")
    lines = (f"'{environment}/bin/python' -m venv fresh-env", "fresh-env/bin/python -m pip install -r requirements.txt")
    made = {"remedy": "make-fresh-environment", "commands": lines, "way": "new", "releases": ("six==2.0",)}
    proof = msgspec.structs.replace(case.facts.proofs[0], **made)
    facts = msgspec.structs.replace(case.facts, proofs=(proof,))
    panel = shown(qtbot, window, msgspec.structs.replace(case, facts=facts))
    panel.ask.click()
    for language, text in {"en": "Yes, make the new environment", "ja": "はい、新しい環境を作る"}.items():
        window.case.set_language(language)
        assert panel.start.text() == text


def test_another_examination_leaves_the_undo(qtbot: QtBot, window: Window, environment: Path) -> None:
    before = tree(environment)
    case = failed_case(environment)
    panel = shown(qtbot, window, case)
    panel.ask.click()
    panel.start.click()
    qtbot.waitUntil(lambda: not window.case.is_mending, timeout=PATIENCE)
    again = msgspec.structs.replace(case, facts=msgspec.structs.replace(case.facts, proofs=(), mendings=()))
    panel = shown(qtbot, window, again)
    qtbot.waitUntil(lambda: panel.undo.isVisibleTo(window), timeout=PATIENCE)
    are_said(window, ja="今も元に戻せます", en="can still be undone")
    panel.undo.click()
    qtbot.waitUntil(lambda: not window.case.is_mending, timeout=PATIENCE)
    assert window.case.notice is not None
    assert "is as before" in window.case.sentence(window.case.notice)
    qtbot.waitUntil(lambda: not panel.undo.isVisibleTo(window), timeout=PATIENCE)
    assert tree(environment) == before


def test_a_stop_puts_everything_back(qtbot: QtBot, window: Window, environment: Path) -> None:
    before = tree(environment)
    panel = shown(qtbot, window, failed_case(environment))
    panel.ask.click()
    panel.start.click()
    qtbot.waitUntil(lambda: "changing your environment" in texts(window), timeout=PATIENCE)
    panel.stop.click()
    qtbot.waitUntil(lambda: not window.case.is_mending, timeout=PATIENCE)
    assert "it was stopped" in texts(window)
    assert tree(environment) == before
    assert journals() == ()


def test_root_is_told_why_not(qtbot: QtBot, window: Window, environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = failed_case(environment)
    monkeypatch.setattr(permission, "is_administrator", lambda: True)
    panel = shown(qtbot, window, case)
    assert panel.isVisibleTo(window)
    assert not panel.ask.isVisibleTo(window)
    assert "nothing is carried out as root" in texts(window)


def test_what_was_left_half_done_is_offered_at_the_start(
    qtbot: QtBot, window: Window, environment: Path, naosu_python: str
) -> None:
    before = tree(environment)
    killed_at("applied", environment, naosu_python)
    assert tree(environment) != before
    (environment / "bin" / "mine").write_text("my work")
    found = []
    window.work.mending.find_half_done(lambda *left: found.append(offer_undo(window, *left)))
    qtbot.waitUntil(lambda: bool(found), timeout=PATIENCE)
    assert "may be half changed" in found[0].text()
    assert "bin/mine" in found[0].text()
    found[0].defaultButton().click()
    qtbot.waitUntil(lambda: window.case.notice is not None, timeout=PATIENCE)
    assert "moved-aside" in window.case.sentence(window.case.notice)  # type: ignore[arg-type]
    shutil.rmtree(environment / ".naosu")
    assert {**tree(environment), ".": ()} == {**before, ".": ()}

"""A served model asked in the window: from the tool on the first page to the report."""

from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from support.played_server import TINY
from support.served_player import Reply, json_reply, serving

from checks.engine.served import plan
from wizard.case_model import CaseModel
from wizard.flow import SERVED, Answers, Progress, Step, next_step, steps_of
from wizard.jobs.background import Work
from wizard.pages.evidence import EvidencePage
from wizard.pages.symptom import SymptomPage

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work) -> EvidencePage:
    model.set_symptom(SERVED)
    page = EvidencePage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def answering(handler: BaseHTTPRequestHandler, _body: bytes) -> Reply:
    if handler.path == "/v1/models":
        return json_reply({"data": [{"id": "tiny"}]})
    return json_reply({"choices": [{"message": {"content": "one two"}, "finish_reason": "stop"}]})


def test_the_walk_needs_an_address_and_no_python() -> None:
    answers = Answers(symptom=SERVED)
    assert steps_of(answers) == (Step.SYMPTOM, Step.EVIDENCE, Step.RUN, Step.REPORT)
    assert next_step(Step.EVIDENCE, answers, Progress()) is None
    assert next_step(Step.EVIDENCE, Answers(symptom=SERVED, url="http://host"), Progress()) is Step.RUN


def test_the_tool_on_the_first_page(qtbot: QtBot, model: CaseModel, work: Work) -> None:
    first = SymptomPage(model, work)
    qtbot.addWidget(first)
    with qtbot.waitSignal(first.chosen) as chosen:
        qtbot.mouseClick(first.tools[SERVED], LEFT)
    assert chosen.args == [SERVED]


def test_only_what_matters_is_asked(page: EvidencePage) -> None:
    assert page.served.isVisible()
    assert not page.drop.isVisible()
    assert not page.watch.isVisible()
    assert not page._text.isVisible()
    assert page.first_focus() is page.served.url


def test_the_answers_go_into_the_model_and_it_is_said_what_will_be_sent(qtbot: QtBot, page: EvidencePage) -> None:
    panel = page.served
    qtbot.keyClicks(panel.url, "http://localhost:8000")
    qtbot.keyClicks(panel.model, "tiny")
    qtbot.mouseClick(panel.deterministic, LEFT)
    answers = page.case.answers
    assert (answers.url, answers.served_model, answers.is_deterministic) == ("http://localhost:8000", "tiny", True)
    panel._announce()
    assert "localhost:8000, and nobody else: at most" in panel.announced.text()
    page.case.set_language("ja")
    panel._announce()
    assert "localhost:8000だけに問い合わせます" in panel.announced.text()


def test_what_is_wrong_is_said_before_it_is_asked(qtbot: QtBot, page: EvidencePage) -> None:
    qtbot.keyClicks(page.served.url, "localhost:8000")
    page.served._announce()
    assert "write http://localhost:8000" in page.served.announced.text()
    page.work.run()
    assert not page.case.is_running
    assert page.case.notice is not None
    assert page.case.notice.key == "served.address-no-scheme"


def test_texts_that_are_dropped_are_prompts(page: EvidencePage, tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.txt", "b.md")]
    page.take(paths)
    page.take(paths[:1])
    assert page.case.answers.prompts == tuple(paths)
    assert "a.txt" in page.served._prompts.text()
    page.served.clear.click()
    assert page.case.answers.prompts == ()


def test_it_is_asked_and_its_case_can_be_asked_again(
    qtbot: QtBot, page: EvidencePage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(plan.AMOUNTS, "quick", TINY)
    with serving(answering) as url:
        page.case.answer(url=url, effort="quick")
        with qtbot.waitSignal(page.work.finished_run, timeout=20_000):
            page.work.run()
        case = page.case.case
        assert case is not None
        assert case.facts.served is not None
        assert case.facts.served.of("alone")
    page.case.show_kept(case, "")
    assert page.case.answers.symptom == SERVED
    assert page.case.answers.url == f"{url}/v1"

"""What every form of the report shares, over all recorded machines: risks before commands, and the questions."""

import functools
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot
from support.extent import some

from checks.facts.case import Answers, Case
from checks.judgement.judge import judged
from checks.readers.tickets.read import TICKET, pasted, read_ticket
from checks.remedies.plan import RemedyPlan
from checks.sharing.case import decode
from wizard.case_model import CaseModel
from wizard.jobs.background import Work
from wizard.pages.report import ReportPage
from wizard.report.content.report import build
from wizard.report.export import render
from wizard.report.prints.terminal import to_terminal
from wizard.words import words

CASES = sorted((Path(__file__).parents[2] / "cases").glob("*.json"))
FORMS = ("window", "pdf", "markdown", "terminal", "reply")


@functools.cache
def recorded(path: Path) -> tuple[Case, list[RemedyPlan]]:
    """A case, and its remedies that carry a risk."""
    case = decode(path.read_bytes())
    return case, [remedy for finding in build(case, "en").shown for remedy in finding.remedies if remedy.risk]


Shown = Callable[[str, Case], str]


@pytest.mark.parametrize("form", FORMS)
def test_a_risk_stands_before_the_first_command_of_its_remedy(form: str, shown: Shown) -> None:
    met = 0
    for path in some(CASES, 8 if form in ("window", "pdf") else 25):  # to draw all of them takes minutes
        case, remedies = recorded(path)
        text = squeezed(shown(form, case)) if remedies else ""
        for remedy in remedies:
            for part in described(text, remedy):
                risk = part.find(squeezed(remedy.risk))
                first = min(part.find(command) for command in commands_in(part, remedy))
                assert 0 <= risk < first, f"{path.stem}: {remedy.id}"
                met += 1
    assert met >= 8


def described(text: str, remedy: RemedyPlan) -> list[str]:
    """The places that describe a remedy with its commands, each from its title to how to see that it worked."""
    title, verify = squeezed(remedy.title), squeezed(words("report.verify", "en", expect=remedy.verify.expect))
    ends = [found.start() for found in re.finditer(re.escape(verify), text)]
    parts = [text[text.rfind(title, 0, end) : end] for end in ends if title in text[:end]]
    return [part for part in parts if commands_in(part, remedy)]


def commands_in(part: str, remedy: RemedyPlan) -> list[str]:
    return [code for code in (squeezed(step.code) for step in remedy.steps if step.code) if code in part]


@pytest.mark.parametrize("form", FORMS)
def test_the_questions_to_ask_next_are_in_every_form(form: str, shown: Shown) -> None:
    case = judged(read_ticket(pasted("It does not work. nvidia-smi shows the card.")), Answers(symptom=TICKET))
    questions = build(case, "en").questions
    assert questions
    text = squeezed(shown(form, case))
    assert [question for question in questions if squeezed(question) not in text] == []


def squeezed(text: str) -> str:
    """Without white space, and without the marks with which Markdown escapes and encloses code."""
    return re.sub(r"[\s\\\u200b`\"<>]", "", text)


@pytest.fixture
def shown(qtbot: QtBot, model: CaseModel, work: Work) -> Shown:
    """What one form of the report shows of a case, as text from top to bottom."""
    page = ReportPage(model, work)
    qtbot.addWidget(page)

    def text_of(form: str, case: Case) -> str:
        if form == "terminal":
            return to_terminal(build(case, "en"))
        if form == "window":
            return in_window(page, case)
        data = render(case, form, "en", "a4", hide=None)
        if form == "pdf":
            data = subprocess.run(["pdftotext", "-raw", "-", "-"], input=data, capture_output=True, check=True).stdout
        return data.decode()

    return text_of


def in_window(page: ReportPage, case: Case) -> str:
    """The texts of the report page with everything unfolded."""
    page.case.show_opened(case, Path("sent.json"))
    for fold in page._folds.values():
        fold.unfold()
    texts = (widget for widget in page.findChildren(QWidget) if isinstance(widget, (QLabel, QPlainTextEdit)))
    return "\n".join(text.text() if isinstance(text, QLabel) else text.toPlainText() for text in texts)

"""The model files on the report page."""

import html
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QPixmap
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from checks.analysis.models.side_by_side import compare_models
from checks.facts import Facts
from checks.facts.case import Answers
from checks.facts.question import MODELS
from checks.judgement.judge import judged
from checks.readers.models import read_model
from wizard.case_model import CaseModel
from wizard.desktop.looks import LOOKS
from wizard.jobs.background import Work
from wizard.pages.block_view import BlockWidgets
from wizard.pages.files_view import FilesView
from wizard.pages.report import ReportPage
from wizard.report.content.blocks import Files
from wizard.report.content.models.blocks import model_sections
from wizard.report.content.models.files import table_notes
from wizard.report.content.report import build
from wizard.words import words

RECORDED = Path(__file__).parents[2] / "recordings" / "models"
NAMES = ("onnx/abs.onnx", "onnx/light_bvlc_alexnet.onnx", "caffe/deploy.prototxt", "gone.onnx")


def say(key: str, **values: object) -> str:
    return words(f"window.{key}", "en", **values)


def facts(*names: str) -> Facts:
    return Facts(models=tuple(read_model(RECORDED / name) for name in names))


@pytest.fixture
def show(qtbot: QtBot, dressed: QApplication) -> object:
    def shown(*names: str, language: str = "en") -> FilesView:
        report = build(judged(facts(*names), Answers(symptom=MODELS)), language)
        (models,) = model_sections(report)
        widgets = BlockWidgets(say, lambda *_: QPixmap(16, 16), lambda *_: None, lambda: None, QColor("yellow"))
        files = models.blocks[0]
        assert isinstance(files, Files)
        view = FilesView(files, {state: QPixmap(16, 16) for state in LOOKS}, widgets.fill)
        qtbot.addWidget(view)
        view.resize(900, 700)
        view.show()
        return view

    return shown


def texts(view: FilesView) -> list[str]:
    QGuiApplication.sendPostedEvents()
    return [label.text() for label in view.page.findChildren(QLabel)]


def test_a_row_per_file_and_the_page_of_the_first_which_is_the_one_in_trouble(show) -> None:
    view = show(*NAMES)
    rows = [view.table.topLevelItem(index).text(0) for index in range(view.table.topLevelItemCount())]
    assert rows == ["deploy.prototxt", "gone.onnx", "abs.onnx", "light_bvlc_alexnet.onnx"]
    assert view.table.isVisible()
    assert "deploy.prototxt: Caffe" in texts(view)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_the_table_cannot_say_stands_below_it(show, language: str) -> None:
    view = show(*NAMES, language=language)
    report = build(judged(facts(*NAMES), Answers(symptom=MODELS)), language)
    notes = list(table_notes(report.models, language))
    assert notes
    shown = [view._layout.itemAt(index).widget() for index in range(1, 1 + len(notes))]
    assert [widget.text() if isinstance(widget, QLabel) else widget.toPlainText() for widget in shown] == notes
    single = show(NAMES[0], language=language)
    assert single._layout.count() == 2  # the table, which is hidden, and the page


def test_what_a_narrow_column_cuts_is_in_its_tip(show) -> None:
    view = show(*NAMES)
    item = view.table.topLevelItem(1)
    assert all(item.text(column) in html.unescape(item.toolTip(column)) for column in range(5))
    assert "gone.onnx" in item.toolTip(0)


def test_the_page_follows_the_chosen_row(show) -> None:
    view = show(*NAMES)
    view.table.setCurrentItem(view.table.topLevelItem(3))
    assert "light_bvlc_alexnet.onnx: ONNX" in texts(view)
    view.table.setCurrentItem(view.table.topLevelItem(2))
    assert "abs.onnx: ONNX" in texts(view)


def test_a_single_file_needs_no_table(show) -> None:
    view = show("onnx/abs.onnx")
    assert not view.table.isVisible()
    assert "abs.onnx: ONNX" in texts(view)


def test_all_rows_of_a_few_are_seen(show) -> None:
    view = show(*NAMES)
    last = view.table.visualItemRect(view.table.topLevelItem(len(NAMES) - 1))
    assert last.bottom() <= view.table.viewport().height()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_on_the_report_page_in_both_languages(qtbot: QtBot, model: CaseModel, work: Work, language: str) -> None:
    page = ReportPage(model, work)
    qtbot.addWidget(page)
    page.show()
    model.set_language(language)
    pair = facts("onnx/abs.onnx", "onnx/mul_1.onnx")
    case = Facts(models=pair.models, comparisons=(compare_models(*pair.models),))
    model.run_began()
    model.run_ended(judged(case, Answers(symptom=MODELS)))
    assert page._files is not None
    assert page._files.table.topLevelItemCount() == 2
    assert "compared/0" in page._folds
    assert page.first_focus() is page._files.table


def test_without_models_there_is_nothing(qtbot: QtBot, model: CaseModel, work: Work) -> None:
    page = ReportPage(model, work)
    qtbot.addWidget(page)
    model.run_began()
    model.run_ended(judged(Facts(), Answers()))
    assert page._files is None

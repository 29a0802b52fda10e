"""The blocks of a report as widgets, and what was measured on the report page."""

import functools
import html
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from support.played_engine import case

from checks.facts.case import Case
from wizard.case_model import CaseModel
from wizard.jobs.background import Work
from wizard.pages.block_view import BlockWidgets
from wizard.pages.page import in_reading_order
from wizard.pages.report import ReportPage
from wizard.pages.table_view import TableView
from wizard.plots.view import PlotView
from wizard.report.content.blocks import FEW_ROWS, MeasuredSection, Plot, Row, Series, Table
from wizard.report.text_columns import unbroken
from wizard.widgets.fold import Fold
from wizard.words import words

TABLE = Table(
    "Operations",
    ("what", "times"),
    (Row(("sort", "300"), "clear"), Row(("scatter", "17"), "warning"), Row(("plain", "1"))),
    numeric=(1,),
    note="A note.",
)
LONG = Table("All of them", ("what",), tuple(Row((str(n),)) for n in range(FEW_ROWS + 1)))
PLOT = Plot("Sums", "lines", "run", "sum", (Series("cpu", (1, 2), (1.0, 2.0)),), "It rises.")


def section(language: str = "en") -> MeasuredSection:
    return MeasuredSection("repeat", f"Repeated {language}", ("One sentence.", "Another."), (TABLE, LONG), (PLOT,))


@pytest.fixture
def holder(qtbot: QtBot, model: CaseModel) -> QWidget:
    holder = QWidget()
    qtbot.addWidget(holder)
    return holder


def fill(holder: QWidget, reshaped: Callable[[], object] = bool) -> None:
    say = functools.partial(_say, "en")
    widgets = BlockWidgets(say, lambda *_: QPixmap(16, 16), lambda *_: None, reshaped, QColor("yellow"))
    widgets.fill(QVBoxLayout(holder), section().blocks)
    holder.show()


def _say(language: str, key: str, **values: object) -> str:
    return words(f"window.{key}", language, **values)


def test_a_table_tells_the_state_of_a_row_in_words(holder: QWidget) -> None:
    fill(holder)
    (table,) = holder.findChildren(TableView)
    firsts = [table.item(number, 0) for number in range(3)]
    spoken = [item.data(Qt.ItemDataRole.AccessibleTextRole) for item in firsts]
    assert spoken == ["sort: as it should be", "scatter: warning", None]
    assert [item.icon().isNull() for item in firsts] == [False, False, True]
    assert all(table.item(number, 1).textAlignment() & Qt.AlignmentFlag.AlignRight for number in range(3))
    assert (table.accessibleName(), table.accessibleDescription()) == ("Operations", "A note.")


def test_a_long_table_is_folded_until_it_is_wanted(holder: QWidget) -> None:
    heard: list[bool] = []
    fill(holder, lambda: heard.append(True))
    (fold,) = holder.findChildren(Fold)
    assert fold.subtitle.text() == f"{FEW_ROWS + 1} rows"
    assert len(holder.findChildren(TableView)) == 1
    fold.unfold()
    assert len(holder.findChildren(TableView)) == 2
    assert heard == [True]


def test_a_wide_table_breaks_its_lines_instead_of_hiding_them(qtbot: QtBot, model: CaseModel) -> None:
    words_there = " ".join(["many words"] * 30)
    wide = Table("Wide", ("a", "b", "c"), (Row((words_there, words_there, "1e-07")),), numeric=(2,))
    table = TableView(wide, {}, functools.partial(_say, "en"))
    qtbot.addWidget(table)
    table.resize(600, 100)
    table.show()
    assert table.horizontalScrollBar().maximum() == 0
    one_line = table.fontMetrics().lineSpacing()
    assert table.rowHeight(0) > 3 * one_line
    assert table.height() > table.rowHeight(0)
    assert table.columnWidth(2) < table.columnWidth(0)


@pytest.mark.parametrize("width", [300, 600, 1000])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_word_is_cut_in_a_column_or_its_head(qtbot: QtBot, model: CaseModel, width: int, language: str) -> None:
    cells = {
        "en": ("Attention (as the framework computes it), float32", "may vary; deterministic mode", "4.2e-07"),
        "ja": (
            "アテンション(フレームワークの既定)、float32",
            "変わりうる。set_float32_matmul_precisionを指定",
            "4.2e-07、丸めの順序",
        ),
    }[language]
    heads = ("Operation", "What the documentation says", "Would have been seen from")
    table = TableView(
        Table("T", heads * 2, (Row(cells * 2, "clear"),), numeric=(2,)),
        {"clear": QPixmap(16, 16)},
        functools.partial(_say, "en"),
    )
    qtbot.addWidget(table)
    table.resize(width, 100)
    table.show()
    metrics = table.fontMetrics()
    for column in range(6):
        room = table.columnWidth(column) - (24 if not column else 8)  # less the symbol
        item, head = table.item(0, column), table.horizontalHeaderItem(column)
        assert item is not None
        assert head is not None
        longest = max(metrics.horizontalAdvance(word) for word in unbroken(item.text()))
        assert longest <= room
        assert head.text().split() == heads[column % 3].split()  # broken between words alone
        assert cells[column % 3] in html.unescape(item.toolTip())
        area = metrics.boundingRect(0, 0, room, 10_000, Qt.TextFlag.TextWordWrap, item.text())
        assert table.rowHeight(0) >= area.height()


COMPARED = "All optimisations against Without optimisation, on CPUExecutionProvider"
OF_MODEL = (COMPARED, "1 of 1 outputs differ", "2.5e-07", "rounding order", "conv1 (Conv)", "100 %")
HEADS = ("Compared", "Results", "Difference", "As large as", "First node", "Decided alike")


@pytest.mark.parametrize("count", [3, 8, 10, 30])
def test_a_table_that_is_scrolled_hides_no_column(qtbot: QtBot, model: CaseModel, count: int) -> None:
    """Else both bars appear, the one for the few pixels that the other takes."""
    rows = tuple(Row(OF_MODEL, "clear") for _ in range(count))
    pictures = {"clear": QPixmap(16, 16)}
    table = TableView(Table("T", HEADS, rows, numeric=(2, 5)), pictures, functools.partial(_say, "en"))
    qtbot.addWidget(table)
    table.resize(740, 100)
    table.show()
    qtbot.waitExposed(table)
    assert table.verticalScrollBar().isVisible() is (count == 30)
    assert not table.horizontalScrollBar().isVisible()
    assert table.rowHeight(0) < 4 * table.fontMetrics().lineSpacing()  # there is room for three lines


@pytest.fixture
def page(qtbot: QtBot, model: CaseModel, work: Work, monkeypatch: pytest.MonkeyPatch) -> ReportPage:
    monkeypatch.setattr("wizard.report.content.report.measured_sections", lambda case, language: (section(language),))
    page = ReportPage(model, work)
    qtbot.addWidget(page)
    page.show()
    return page


def shown(page: ReportPage, of: Case) -> Fold:
    page.case.run_ended(of)
    return page._folds["measured/repeat"]


def test_the_plots_are_drawn_where_results_are_the_question(page: ReportPage) -> None:
    fold = shown(page, case(symptom="results-change"))
    assert fold.subtitle.text() == "One sentence."  # and not once more below
    (view,) = page.findChildren(PlotView)
    assert view.plot == PLOT
    layout = page.scroller.widget().layout()
    assert layout is not None
    assert view.canvas in list(in_reading_order(layout))


def test_elsewhere_they_wait_folded(page: ReportPage) -> None:
    fold = shown(page, case(symptom="not-on-gpu"))
    assert not fold.header.isChecked()
    assert page.findChildren(PlotView) == []


def test_in_the_other_language_everything_is_built_anew(page: ReportPage) -> None:
    shown(page, case(symptom="results-change"))
    page.case.set_language("ja")
    page.retranslate()
    assert page._folds["measured/repeat"].title.text() == "Repeated ja"
    assert page._folds["measured/repeat"].header.isChecked()

"""A plot in the window."""

import functools
import itertools

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from wizard.desktop import theme
from wizard.plots.canvas import SYMBOL
from wizard.plots.look import DASHES, colour_of, dashes_of, hatch_of, is_filled, symbol_of
from wizard.plots.view import PlotView
from wizard.report.content.blocks import Plot, Series
from wizard.words import words

LINES = Plot(
    "Sums",
    "lines",
    "run",
    "sum",
    (Series("cpu", (1, 2, 3), (1.0, 2.0, 4.0)), Series("gpu", (1, 2), (3.0, 3.0))),
    "They differ.",
)
BARS = Plot(
    "ULP", "bars", "", "elements", (Series("cpu", (0, 1), (9.0, 1.0)),), "Few.", categories=("0", "1"), log_y=True
)
LONG = Plot("Cost", "bars", "", "times", (Series("cpu", (0, 1), (1.0, 3.0)),), "", categories=("a" * 90, "b" * 90))
POINTS = Plot("Error", "points", "n", "error", (Series("a", (1, 10), (0.0, 1e-7)),), "Small.", log_x=True, log_y=True)


def say(key: str, **values: object) -> str:
    return words(f"window.{key}", "en", **values)


@pytest.fixture
def view(qtbot: QtBot, dressed: QApplication) -> PlotView:
    view = PlotView(LINES, say)
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    return view


def test_it_says_what_it_shows(view: PlotView) -> None:
    assert view.canvas.accessibleName() == "Sums"
    assert view.canvas.accessibleDescription() == "They differ."
    assert view._summary.text() == "They differ."
    assert view.canvas.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_keyboard_reads_every_value(qtbot: QtBot, view: PlotView) -> None:
    heard = []
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Left):
        qtbot.keyClick(view.canvas, key)
        heard.append(view.canvas.accessibleDescription())
    assert heard == [
        "cpu: run 1, sum 1",
        "cpu: run 2, sum 2",
        "gpu: run 1, sum 3",
        "cpu: run 1, sum 1",
        "gpu: run 2, sum 3",
        "gpu: run 1, sum 3",
    ]


@pytest.mark.parametrize("highest", [2.0, 5.0, 6.0, 30.0])
def test_a_symbol_at_the_edge_is_seen_whole(view: PlotView, highest: float) -> None:
    results = Series("which", (1, 2, 3, 4), (1.0, 2.0, 1.0, highest))
    view.show_plot(Plot("Which result", "points", "repetition", "result", (results,), ""))
    box = view.canvas.getPlotItem().getViewBox()
    ground = box.sceneBoundingRect()
    for x, y in ((1.0, 1.0), (4.0, highest)):
        place = box.mapViewToScene(QPointF(x, y))
        assert ground.adjusted(SYMBOL / 2 + 1, SYMBOL / 2 + 1, -SYMBOL / 2 - 1, -SYMBOL / 2 - 1).contains(place)


def test_closer_and_back(qtbot: QtBot, view: PlotView) -> None:
    box = view.canvas.getPlotItem().getViewBox()
    whole = box.viewRange()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Plus)
    assert box.viewRange()[1][1] < whole[1][1]
    qtbot.keyClick(view.canvas, Qt.Key.Key_0)
    assert box.viewRange() == whole


@pytest.mark.parametrize(
    ("held", "is_taken"), [(Qt.KeyboardModifier.NoModifier, False), (Qt.KeyboardModifier.ControlModifier, True)]
)
def test_the_wheel_is_meant_for_the_page(view: PlotView, held: Qt.KeyboardModifier, is_taken: bool) -> None:
    event = QWheelEvent(
        QPointF(20, 20),
        QPointF(20, 20),
        QPoint(0, 120),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        held,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    view.canvas.wheelEvent(event)
    assert event.isAccepted() is is_taken


@pytest.mark.parametrize("plot", [LINES, BARS, LONG, POINTS, Plot("", "lines", "", "", (), "")])
def test_every_kind_is_drawn_light_and_dark(qtbot: QtBot, dressed: QApplication, plot: Plot) -> None:
    view = PlotView(plot, say)
    qtbot.addWidget(view)
    view.show()
    light = view.grab().toImage()
    dark = QPalette(QColor("#202124"))
    view.setPalette(dark)
    QApplication.sendEvent(view, QEvent(QEvent.Type.PaletteChange))
    assert view.grab().toImage() != light


def test_long_names_make_the_bars_lie(qtbot: QtBot, dressed: QApplication) -> None:
    view = PlotView(LONG, say)
    qtbot.addWidget(view)
    view.show()
    assert view.canvas._lying
    assert view._x_title.text() == "times"


def test_a_plot_grows_in_its_place(view: PlotView) -> None:
    more = Plot("Sums", "lines", "run", "sum", (Series("cpu", (1, 2, 3, 4), (1.0, 2.0, 4.0, 8.0)),), "One left.")
    view.show_plot(more)
    assert view.plot == more
    assert view._summary.text() == "One left."
    assert view.canvas.getPlotItem().getViewBox().viewRange()[1][1] > 8
    assert view._legend.isHidden()  # a single line needs none


def test_words_from_outside_are_no_markup(qtbot: QtBot, dressed: QApplication) -> None:
    view = PlotView(Plot("<b>x</b>", "lines", "<i>", "<u>y</u>", (), ""), say)
    qtbot.addWidget(view)
    assert view._y_title.text() == "&lt;u&gt;y&lt;/u&gt;"
    assert view._title.textFormat() is Qt.TextFormat.PlainText


def test_series_are_told_apart_without_colour() -> None:
    looks = [(dashes_of(n), n % 6, is_filled(n)) for n in range(24)]
    assert len(set(looks)) == 24
    assert len({hatch_of(n) for n in range(6)}) == 6
    assert all(symbol_of(n) != symbol_of(n + 1) for n in range(5))
    assert dashes_of(0) == DASHES[0] == ()


@pytest.mark.parametrize("dark", [False, True])
def test_colours_can_be_seen(dark: bool) -> None:
    grounds = [QColor("#2b2c30"), QColor("#17181a")] if dark else [QColor("#ffffff"), QColor("#f0f0f0")]
    for number, ground in itertools.product(range(6), grounds):
        assert theme.contrast(colour_of(number, dark=dark), ground) >= 3  # WCAG 2.2, 1.4.11


def test_nothing_is_left_behind(qtbot: QtBot, dressed: QApplication) -> None:
    gone = []
    view = PlotView(LINES, say)
    view.destroyed.connect(functools.partial(gone.append, True))
    view.show()
    view.grab()
    view.deleteLater()
    qtbot.waitUntil(lambda: gone == [True])

"""Tables whose long values stand below their row, over the whole width, and not in a tall narrow column."""

import pytest
from PySide6.QtGui import QPdfWriter

from wizard.report.pdf.fitted_table import fitted
from wizard.report.pdf.text import Run, Style
from wizard.report.pdf.typeset import Cell, Table

pytestmark = pytest.mark.usefixtures("qapp")
LONG = "does not have a deterministic implementation, but you set torch.use_deterministic_algorithms; " * 4


def made(device: QPdfWriter, *rows: tuple[str, ...], head: tuple[str, ...] = ("What", "Value", "Read from")) -> Table:
    def cells(texts: tuple[str, ...]) -> list[Cell]:
        return [[Run(each, Style(size=8.5))] for each in texts]

    return fitted(cells(head), [cells(row) for row in rows], device, numeric=(1,))


def text(cells: list[Cell]) -> list[str]:
    return ["".join(run.text for run in cell) for cell in cells]


def test_short_values_stay_in_their_columns(device: QPdfWriter) -> None:
    table = made(device, ("Driver", "535", "nvidia-smi"), ("CUDA", "13.0", "torch"))
    assert table.below == ()
    assert text(list(table.rows[0])) == ["Driver", "535", "nvidia-smi"]
    assert list(table.numeric) == [1]


def test_a_long_value_stands_below_its_row_with_the_name_of_its_column(device: QPdfWriter) -> None:
    table = made(device, ("Operation", "max_unpool2d", "probe"), ("Error text", LONG, "probe"))
    assert text(list(table.rows[1])) == ["Error text", "", "probe"]
    assert text(list(table.below[1])) == [f"Value:  {LONG}"]
    assert table.below[0] == []
    tall = made(device, ("Operation", "max_unpool2d", "probe"), ("Error text", "x", "probe"))
    assert table.height(480) < tall.height(480) + 80


def test_a_column_of_long_values_alone_is_no_column(device: QPdfWriter) -> None:
    table = made(device, ("a", LONG, "1"), ("b", LONG, "2"))
    assert text(list(table.head)) == ["What", "Read from"]
    assert len(table.below) == 2


def test_what_a_row_is_about_stays_in_its_place(device: QPdfWriter) -> None:
    table = made(device, ("", LONG, "1"), ("!", LONG, "2"), head=("", "Operation", "Times"))
    assert table.below == ()


def test_a_table_that_goes_on_takes_what_stands_below_with_it(device: QPdfWriter) -> None:
    table = made(device, *((str(number), LONG, "x") for number in range(20)))
    parts = table.split(480, 300)
    assert parts is not None
    first, rest = parts
    assert isinstance(first, Table)
    assert isinstance(rest, Table)
    assert len(first.rows) == len(first.below)
    assert len(first.below) + len(rest.below) == 20
    assert first.height(480) <= 300

"""Blocks in columns: nothing is lost or cut, and what must stay together does."""

import itertools

import pytest
from PySide6.QtGui import QPdfWriter

from wizard.report.pdf.columns import Columns
from wizard.report.pdf.pages import paginate
from wizard.report.pdf.text import Run
from wizard.report.pdf.typeset import Paragraph

pytestmark = pytest.mark.usefixtures("qapp")
WIDTH, HEIGHT = 400.0, 200.0


def lines(device: QPdfWriter, count: int, *, keep: int = -1, each: str = "line") -> list[Paragraph]:
    return [
        Paragraph([Run(f"{each} {number}")], device, after=2, keep_with_next=number == keep, anchor=(1, str(number)))
        for number in range(count)
    ]


def test_columns_are_about_equally_high(device: QPdfWriter) -> None:
    columns = Columns(lines(device, 10))
    one = Columns(lines(device, 10), count=1)
    assert one.height(WIDTH) * 0.45 <= columns.height(WIDTH) < one.height(WIDTH) * 0.6


def test_what_does_not_fit_goes_on_on_the_next_page(device: QPdfWriter) -> None:
    pages = paginate([Columns(lines(device, 100))], WIDTH, HEIGHT)
    assert len(pages) > 2
    parts = [placed.block for page in pages for placed in page]
    assert all(placed.y + placed.block.height(WIDTH) <= HEIGHT for page in pages for placed in page)
    titles = [title for part in parts if isinstance(part, Columns) for _, (_, title) in part.anchors(WIDTH)]
    assert titles == [str(number) for number in range(100)]


def test_a_heading_is_not_left_at_the_foot_of_a_column_or_page(device: QPdfWriter) -> None:
    for keep, height in itertools.product(range(4, 24), (90.0, 100.0, 110.0)):
        blocks = lines(device, 40, keep=keep)
        for page in paginate([Columns(blocks)], WIDTH, height):
            for placed in page:
                assert isinstance(placed.block, Columns)
                places = placed.block._placed(WIDTH)
                for here, following in itertools.pairwise([*places, None]):
                    if here is not None and here.block.keep_with_next:
                        assert following is not None
                        assert following.column == here.column


def test_a_block_that_is_too_high_for_any_column_ends_no_report(device: QPdfWriter) -> None:
    endless = Paragraph([Run("word " * 3000)], device)
    blocks = [*lines(device, 8), endless, *lines(device, 8)]
    pages = paginate([Columns(blocks)], WIDTH, HEIGHT)
    assert (
        sum(
            len(list(placed.block.anchors(WIDTH)))
            for page in pages
            for placed in page
            if isinstance(placed.block, Columns)
        )
        == 16
    )

"""Text set in a width: what is set once is the same for nothing but the same runs in the same width."""

import pytest
from PySide6.QtGui import QPdfWriter

from wizard.report.pdf.text import Run, Style, set_text

pytestmark = pytest.mark.usefixtures("qapp")
WORDS = "some words that are longer than a narrow column"


def test_the_same_is_set_once(device: QPdfWriter) -> None:
    text = set_text([Run(WORDS)], 400, device)
    assert set_text([Run(WORDS)], 400, device) is text


def test_another_width_or_style_or_text_is_set_anew(device: QPdfWriter) -> None:
    text = set_text([Run(WORDS)], 400, device)
    assert len(text.lines) == 1
    assert len(set_text([Run(WORDS)], 60, device).lines) > 3
    widths = {text.natural_width}
    for runs in ([Run(WORDS, Style(bold=True))], [Run(WORDS, Style(size=5))], [Run(WORDS[:9])], [Run(WORDS), Run("x")]):
        widths.add(set_text(runs, 400, device).natural_width)
    assert len(widths) == 5

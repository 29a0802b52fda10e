"""Text set in a width: what is set once is the same for nothing but the same runs in the same width."""

import pytest
from PySide6.QtGui import QPdfWriter

from wizard.report.pdf.text import Run, Style, set_text
from wizard.report.pdf.typeset import Code

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


COMMAND = (
    "python -m pip install torch==2.11.0 torchaudio==2.11.0 torchvision==0.26.0"
    " --index-url https://download.pytorch.org/whl/cu128"
)


def test_a_command_that_is_pasted_stays_in_one_line(device: QPdfWriter) -> None:
    """Copied from two it would be pasted as two, without the dashes at which it was broken."""
    width = 480.0
    assert len(Code([COMMAND], device)._set(width)[0].lines) == 2
    short, long = Code(["pip list", COMMAND], device, is_pasted=True)._set(width)
    assert (len(short.lines), len(long.lines)) == (1, 1)
    assert long.leading < Code.STYLE.size * Code.STYLE.leading
    assert short.leading == long.leading  # what is pasted together looks alike


def test_what_fits_is_not_set_smaller(device: QPdfWriter) -> None:
    (text,) = Code(["pip list"], device, is_pasted=True)._set(480)
    assert text.leading == Code.STYLE.size * Code.STYLE.leading


def test_what_fits_in_no_size_is_wrapped_in_the_usual_one(device: QPdfWriter) -> None:
    (text,) = Code([COMMAND * 3], device, is_pasted=True)._set(480)
    assert len(text.lines) > 1
    assert text.leading == Code.STYLE.size * Code.STYLE.leading

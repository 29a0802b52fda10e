"""The look is readable: contrast of every colour on every ground, in light and in dark."""

import re

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from wizard.desktop import icons, theme
from wizard.plots.look import colour_of
from wizard.report.pdf.setting import LINK
from wizard.report.pdf.signs import COLORS
from wizard.report.pdf.text import INK, MARKED, PAPER_GREY, SOFT

LIGHT = ("#efefef", "#ffffff", "#000000")
DARK = ("#202326", "#1b1e20", "#ffffff")


HIGH = ("#000000", "#000000", "#ffffff")
ACCENTS = ("#308cc6", "#0078d4", "#ffb900", "#ff8c00", "#e3008c", "#e95420", "#ffff00", "#000080", "#000000", "#ffffff")


def palette(window: str, base: str, text: str, accent: str = "#308cc6") -> QPalette:
    made = QPalette(QColor(window))
    made.setColor(QPalette.ColorRole.Window, QColor(window))
    made.setColor(QPalette.ColorRole.Base, QColor(base))
    made.setColor(QPalette.ColorRole.WindowText, QColor(text))
    made.setColor(QPalette.ColorRole.Accent, QColor(accent))
    return made


def test_contrast_as_the_guideline_counts_it() -> None:
    assert theme.contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert theme.contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.478, abs=0.001)
    assert theme.contrast(QColor("#0000ff"), QColor("#0000ff")) == 1


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "muted", "disabled", "accent", "blocking", "warning", "note", "fine"])
@pytest.mark.parametrize("ground", ["window", "card"])
def test_contrast(qapp: QApplication, colours: tuple[str, str, str], name: str, ground: str) -> None:
    made = palette(*colours)
    assert theme.contrast(theme.colour(name, made), theme.colour(ground, made)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK, HIGH], ids=["light", "dark", "high-contrast"])
@pytest.mark.parametrize("ground", ["window", "card"])
def test_the_edge_of_a_field_is_seen(qapp: QApplication, colours: tuple[str, str, str], ground: str) -> None:
    made = palette(*colours)
    assert theme.contrast(theme.colour("field", made), theme.colour(ground, made)) >= 3


def test_the_text_of_a_marked_line(qapp: QApplication) -> None:
    for colours in (LIGHT, DARK, HIGH):
        made = palette(*colours)
        assert theme.contrast(theme.colour("text", made), theme.colour("mark", made)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_every_text_of_the_stylesheet_can_be_read(qapp: QApplication, colours: tuple[str, str, str]) -> None:
    """Also what is disabled, selected, or only a hint; on the ground of the same rule, else on both grounds."""
    made = palette(*colours)
    for rule in re.findall(r"([^{}]+)\{([^}]*)\}", theme.stylesheet(made, qapp.font())):
        found = dict(re.findall(r"([\w-]+): ([^;]+);", rule[1]))
        for name, ground in (("color", "background"), ("selection-color", "selection-background-color")):
            grounds = [found[ground]] if found.get(ground, "")[:1] == "#" else []
            grounds = grounds or [theme.colour(usual, made).name() for usual in ("window", "card")]
            if name in found:
                assert all(theme.contrast(QColor(found[name]), QColor(tone)) >= 4.5 for tone in grounds), rule
        if hint := found.get("placeholder-text-color"):
            assert theme.contrast(QColor(hint), theme.colour("card", made)) >= 4.5


def test_plots_are_seen_on_screen_and_paper(qapp: QApplication) -> None:
    for number in range(6):
        assert theme.contrast(colour_of(number, dark=False), QColor("white")) >= 4.5
        assert theme.contrast(colour_of(number, dark=True), theme.colour("card", palette(*DARK))) >= 4.5


def test_the_paper_can_be_read(qapp: QApplication) -> None:
    for tone, ground in COLORS.values():
        assert theme.contrast(QColor(tone), QColor(ground)) >= 4.5  # the word of a state on its tint
        assert theme.contrast(QColor("white"), QColor(tone)) >= 3  # its sign
        assert theme.contrast(QColor(SOFT), QColor(ground)) >= 4.5
        assert theme.contrast(QColor(INK), QColor(ground)) >= 4.5
    for text, ground in ((SOFT, "white"), (SOFT, PAPER_GREY), (INK, PAPER_GREY), (INK, MARKED), (LINK, "white")):
        assert theme.contrast(QColor(text), QColor(ground)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK, HIGH], ids=["light", "dark", "high-contrast"])
@pytest.mark.parametrize("accent", ACCENTS)
def test_the_accent_that_the_user_chose(qapp: QApplication, colours: tuple[str, str, str], accent: str) -> None:
    """As a text, below the text of the first button, and tinting the ground of what is chosen."""
    made = palette(*colours, accent)
    tone, card = theme.colour("accent", made), theme.colour("card", made)
    written = re.search(r"QPushButton#primary {.*? color: (#\w+);", theme.stylesheet(made, qapp.font()))
    assert written is not None
    assert theme.contrast(tone, theme.colour("window", made)) >= 4.5
    assert theme.contrast(tone, card) >= 4.5
    assert theme.contrast(QColor(written[1]), tone) >= 4.5
    assert theme.contrast(theme.colour("text", made), theme.mixed(card, tone, 0.12)) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_the_stylesheet_has_no_gap(qapp: QApplication, colours: tuple[str, str, str]) -> None:
    sheet = theme.stylesheet(palette(*colours), qapp.font())
    assert "%(" not in sheet
    assert sheet.count("{") == sheet.count("}")


def test_dark_is_seen(qapp: QApplication) -> None:
    assert theme.is_dark(palette(*DARK))
    assert not theme.is_dark(palette(*LIGHT))


@pytest.mark.parametrize("path", sorted(icons.FOLDER.glob("*.svg")), ids=lambda path: path.stem)
def test_every_icon_draws_something(qapp: QApplication, path: object) -> None:
    image = icons.pixmap(path.stem, QColor("#112233"), 24, 2.0).toImage()
    assert image.width() == 48
    assert any(image.pixelColor(x, y).alpha() for x in range(0, 48, 2) for y in range(0, 48, 2))

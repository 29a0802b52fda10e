"""The look is readable: contrast of every colour on every ground, in light and in dark."""

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from wizard import icons, theme

LIGHT = ("#efefef", "#ffffff", "#000000")
DARK = ("#202326", "#1b1e20", "#ffffff")


def palette(window: str, base: str, text: str) -> QPalette:
    made = QPalette(QColor(window))
    made.setColor(QPalette.ColorRole.Window, QColor(window))
    made.setColor(QPalette.ColorRole.Base, QColor(base))
    made.setColor(QPalette.ColorRole.WindowText, QColor(text))
    made.setColor(QPalette.ColorRole.Accent, QColor("#308cc6"))
    return made


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4
        for each in (colour.redF(), colour.greenF(), colour.blueF())
    )
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def contrast(one: QColor, other: QColor) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "muted", "accent", "blocking", "warning", "note", "fine"])
@pytest.mark.parametrize("ground", ["window", "card"])
def test_contrast(qapp: QApplication, colours: tuple[str, str, str], name: str, ground: str) -> None:
    made = palette(*colours)
    assert contrast(theme.colour(name, made), theme.colour(ground, made)) >= 4.5


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

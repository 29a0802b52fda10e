"""Our own icons: SVG files drawn with one colour, tinted for the palette when they are shown."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPen, QPixmap

from checks.paths import ROOT

FOLDER = ROOT / "icons"


def pixmap(name: str, tint: QColor, size: int, ratio: float = 1.0) -> QPixmap:
    """resources/icons/<name>.svg in one colour, ``size`` logical pixels wide, for a screen of this pixel ratio.

    Raises:
        FileNotFoundError: there is no such icon.
    """
    return _drawn(name, tint.name(), size, ratio)


def icon(name: str, tint: QColor, size: int = 24, ratio: float = 1.0) -> QIcon:
    """The same as an icon of a button or a row."""
    return QIcon(pixmap(name, tint, size, ratio))


def badge(text: str, tint: QColor, background: QColor | None, font: QFont, size: int, ratio: float) -> QPixmap:
    """A number or sign in a circle; without a background only the circle's line is drawn."""
    return _badge(text, tint.name(), background.name() if background else "", font.toString(), size, ratio)


@functools.lru_cache(maxsize=256)
def _badge(text: str, tone: str, ground: str, letters: str, size: int, ratio: float) -> QPixmap:
    tint, background = QColor(tone), QColor(ground) if ground else None
    picture = _blank(size, ratio)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(background or tint, 1.4))
    painter.setBrush(background or Qt.BrushStyle.NoBrush)
    painter.drawEllipse(QRectF(1, 1, size - 2, size - 2))
    painter.setPen(tint)
    small = QFont()
    small.fromString(letters)
    small.setPixelSize(round(size * 0.56))
    small.setBold(True)
    painter.setFont(small)
    painter.drawText(QRectF(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return picture


def _blank(size: int, ratio: float) -> QPixmap:
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


@functools.lru_cache(maxsize=256)
def _drawn(name: str, tint: str, size: int, ratio: float) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    drawing = (FOLDER / f"{name}.svg").read_bytes().replace(b"currentColor", tint.encode())
    picture = _blank(size, ratio)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(drawing)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture

"""Our own icons: SVG files drawn with one colour, tinted for the palette when they are shown."""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from checks.resources import ROOT

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


@functools.lru_cache(maxsize=256)
def _drawn(name: str, tint: str, size: int, ratio: float) -> QPixmap:
    from PySide6.QtSvg import QSvgRenderer

    drawing = (FOLDER / f"{name}.svg").read_bytes().replace(b"currentColor", tint.encode())
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(drawing)).render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture

"""Our icon in the forms of each system, drawn from resources/icons/naosu.svg."""

from __future__ import annotations

import functools
import struct
from pathlib import Path

from application import contents

SVG = contents.ROOT / "resources" / "icons" / "naosu.svg"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
_ICNS = {128: b"ic07", 256: b"ic08", 512: b"ic09"}


@functools.cache
def png(size: int) -> bytes:
    """The icon as a PNG, so many pixels wide."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(SVG)).render(painter)
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    return bytes(data.data())


def ico() -> bytes:
    """All sizes that Windows shows, each a PNG: https://learn.microsoft.com/en-us/previous-versions/ms997538(v=msdn.10)."""
    pictures = [png(size) for size in SIZES if size <= 256]
    offset = 6 + 16 * len(pictures)
    table = struct.pack("<HHH", 0, 1, len(pictures))
    for size, picture in zip(SIZES, pictures, strict=False):
        table += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), offset)
        offset += len(picture)
    return table + b"".join(pictures)


def icns() -> bytes:
    """The sizes that macOS shows, each a PNG."""
    parts = b"".join(kind + struct.pack(">I", 8 + len(png(size))) + png(size) for size, kind in _ICNS.items())
    return b"icns" + struct.pack(">I", 8 + len(parts)) + parts


def written(path: Path, data: bytes) -> Path:
    """The path, once the data stand there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path

"""What was dropped on the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData


def dropped_files(data: QMimeData) -> list[Path]:
    """The local files of a drop; what lies elsewhere is not fetched."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []

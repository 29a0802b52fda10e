"""Collect garbage on the thread of the window alone.

Python collects on the thread that happens to allocate. What it frees may belong to Qt; freed on another thread, Qt's
lock of connections and Python's own wait for each other, and the window hangs (seen 2026-11-23 with PySide6 6.11).
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_LOOK = 100  # milliseconds: what has come together in these is collected without a pause that anybody notices


def collect_here(parent: QObject) -> None:
    """From now on collect on this thread, as long as ``parent`` lives."""
    gc.disable()
    timer = QTimer(parent, interval=_LOOK)
    timer.timeout.connect(collect_due)
    timer.start()


def collect_due() -> None:
    """Collect the oldest generation that Python would collect by now."""
    limits = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, most) in enumerate(limits) if count > most]
    if due:
        gc.collect(due[-1])

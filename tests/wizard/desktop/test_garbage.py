"""Objects of Qt are freed on the thread of the window, whichever thread makes garbage."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from wizard.desktop import garbage


@pytest.fixture
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(1_000, 1, 1)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("thresholds")
def test_garbage_of_a_job_is_collected_by_the_window(qtbot: QtBot) -> None:
    parent = QObject()
    freed: list[int] = []
    gc.enable()  # as Python begins
    garbage.collect_here(parent)

    class Ring(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.ring = self

        def __del__(self) -> None:
            freed.append(threading.get_ident())

    Ring()
    made: list[list[object]] = []
    job = threading.Thread(target=lambda: made.extend([] for _ in range(30_000)))
    job.start()
    job.join()
    assert freed == []  # though the job has made enough for Python to look
    qtbot.waitUntil(lambda: bool(freed))
    assert freed == [threading.get_ident()]


@pytest.mark.usefixtures("thresholds")
def test_nothing_is_looked_for_before_it_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    gc.collect()
    monkeypatch.setattr(gc, "collect", looked.append)
    garbage.collect_due()
    assert looked == []
    monkeypatch.setattr(gc, "get_count", lambda: (2_000, 3, 1))
    garbage.collect_due()
    assert looked == [1]

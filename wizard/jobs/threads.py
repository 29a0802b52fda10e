"""Functions on threads of their own, whose results come back to the thread of the window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot


class _Job(QThread):
    """One function on its own thread. ``ended`` with (job, result, exception)."""

    ended = Signal(object, object, object)

    def __init__(
        self, function: Callable[[], Any], done: Callable[[Any], object], failed: Callable[[Exception], object]
    ) -> None:
        super().__init__()
        self._function = function
        self.done = done
        self.failed = failed

    def run(self) -> None:
        """On the worker thread."""
        try:
            result = self._function()
        except Exception as error:  # noqa: BLE001 - handed to the window, which says it in one sentence
            self.ended.emit(self, None, error)
        else:
            self.ended.emit(self, result, None)


class Threads(QObject):
    """Starts jobs. Every job ends in exactly one call, with its result or with what went wrong."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs: set[_Job] = set()

    def start(
        self, function: Callable[[], Any], done: Callable[[Any], object], failed: Callable[[Exception], object]
    ) -> None:
        """One more, on a thread of its own."""
        job = _Job(function, done, failed)
        self._jobs.add(job)
        job.ended.connect(self._ended, Qt.ConnectionType.QueuedConnection)
        job.start()

    @property
    def running(self) -> int:
        """How many have not ended, or have not told their result yet."""
        return len(self._jobs)

    def wait(self) -> None:
        """Until every thread has ended."""
        for job in list(self._jobs):
            job.wait()

    @Slot(object, object, object)
    def _ended(self, job: _Job, result: Any, error: Exception | None) -> None:
        job.wait()
        self._jobs.discard(job)
        if error is None:
            job.done(result)
        else:
            job.failed(error)

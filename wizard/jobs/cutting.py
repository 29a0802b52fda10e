"""Look for the smallest part of the user's models that still shows a difference, in the background of the window."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from wizard.case_model import CaseModel, Notice
from wizard.evidence_files import input_among

if TYPE_CHECKING:  # loaded on a worker thread, after the first window
    from checks.facts.case import Case

    Start = Callable[[Callable[[], Any], Callable[[Any], object], Callable[[Exception], object]], None]

log = logging.getLogger(__name__)
BUSY = "busy-cutting"


class CuttingJobs(QObject):
    """What writes the part of a model. Nothing of it begins while something else is done."""

    def __init__(
        self,
        case: CaseModel,
        start: Start,
        is_taken: Callable[[], bool],
        keep: Callable[[Case], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._case, self._start, self._is_taken, self._keep = case, start, is_taken, keep
        self._stop = threading.Event()

    def cut(self, folder: Path) -> None:
        """Look for the parts of the models of the case that is shown, and write them to a folder of their own there."""
        case = self._case.case
        if case is None or self._is_taken():
            return
        self._stop.clear()
        self._case.set_busy(BUSY)
        inputs = input_among(self._case.answers.given)
        self._start(lambda: self._cut(case, _free_name(folder), inputs), self._ended, self._broke)

    def cancel(self) -> None:
        """Stop; nothing half done is left."""
        self._stop.set()

    def _cut(self, case: Case, folder: Path, inputs: Path | None) -> Case:
        from checks.engine.minimal import cut_down

        steps = cut_down(case, folder, inputs, cancelled=self._stop.is_set)
        try:
            while True:
                next(steps)
        except StopIteration as ended:
            found: Case = ended.value
            return found

    def _ended(self, case: Case) -> None:
        self._case.case_grew(case)
        self._keep(case)

    def _broke(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._case.set_notice(Notice("error-folder", {"error": error}))
            return
        log.error("the part of a model could not be looked for", exc_info=error)
        self._case.set_notice(Notice("error-ours", {"error": error}))


def _free_name(folder: Path) -> Path:
    """A folder in this one that is not there yet."""
    names = (f"naosu-minimal{f'-{number}' if number else ''}" for number in range(1000))
    return next(place for name in names if not (place := folder / name).exists())

"""Carry out a proven remedy in the background of the window, undo one, and find out what can be carried out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from wizard.case_model import CaseModel, Notice

if TYPE_CHECKING:  # loaded on a worker thread, after the first window
    from checks.facts.case import Case
    from checks.mending.journal import Journal
    from checks.mending.permission import NotMended
    from checks.mending.proposal import Proposal

    Start = Callable[[Callable[[], Any], Callable[[Any], object], Callable[[Exception], object]], None]

log = logging.getLogger(__name__)


class MendingJobs(QObject):
    """What changes an environment of the user's. Nothing of it begins while something else is done."""

    told = Signal(object)  # a step, on its own thread

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
        self.told.connect(case.mending, Qt.ConnectionType.QueuedConnection)
        case.language_changed.connect(self.look)

    def look(self) -> None:
        """Find out what could be carried out for the case that is shown, and what was in its environment before."""
        case, language = self._case.case, self._case.language
        if case is not None and self._case.opened is None:
            self._start(
                lambda: (_proposed(case, language), _standing(case)),
                lambda found: self._case.set_proposed(case, *found),
                self._not_looked,
            )

    def mend(self) -> None:
        """Carry out what is proposed."""
        case, proposed = self._case.case, self._case.proposal
        if case is None or proposed is None or self._is_taken():
            return
        self._stop.clear()
        self._case.mending_began()
        self._start(lambda: self._mended(case, proposed), self._ended, self._broke)

    def undo(self) -> None:
        """Undo what was carried out last for the case that is shown, else in its environment before."""
        case = self._case.case
        if case is None or self._is_taken():
            return
        standing = next((mending.id for mending in reversed(case.facts.mendings) if mending.stands), None)
        earlier = self._case.standing
        if standing is not None:
            self._case.mending_began()
            self._start(lambda: _undone(case, standing), self._ended, self._broke)
        elif earlier is not None:
            self._case.mending_began()
            self._start(lambda: _put_back(earlier), self._earlier_undone, self._broke)

    def undo_half_done(self, journal: Journal) -> None:
        """Undo what a killed process left."""
        if not self._is_taken():
            self._case.set_busy("busy-undoing")
            self._start(lambda: _put_back(journal), self._case.set_notice, self._broke)

    def find_half_done(self, take: Callable[[Journal, tuple[str, ...]], object]) -> None:
        """Hand over what a killed process left in the middle of a change, if there is such a thing."""
        self._start(_half_done, lambda found: take(*found) if found is not None else None, self._not_looked)

    def cancel(self) -> None:
        """Stop, and put everything back."""
        self._stop.set()

    def _mended(self, case: Case, proposed: Proposal) -> Case:
        from checks.history.store import default_folder
        from checks.mending.mend import mend

        steps = mend(case, proposed, cancelled=self._stop.is_set, history=default_folder())
        try:
            while True:
                self.told.emit(next(steps))
        except StopIteration as ended:
            mended: Case = ended.value
            return mended

    def _ended(self, case: Case) -> None:
        self._case.mending_ended(case)
        self._keep(case)
        self.look()

    def _earlier_undone(self, notice: Notice) -> None:
        self._case.mending_ended(None, notice)
        self.look()

    def _broke(self, error: Exception) -> None:
        notice = _refusal(error)
        if notice is None:
            log.error("the remedy could not be carried out or undone", exc_info=error)
            notice = Notice("error-ours", {"error": error})
        self._case.mending_ended(None, notice)

    @staticmethod
    def _not_looked(error: Exception) -> None:
        log.error("what can be carried out could not be found out", exc_info=error)


def _standing(case: Case) -> Journal | None:
    from checks.mending.undo import standing

    return standing(case)


def _proposed(case: Case, language: str) -> Proposal | NotMended | None:
    if not case.facts.proofs:
        return None
    from checks.mending.permission import NotMended
    from checks.mending.proposal import proposal

    try:
        return proposal(case, language)
    except NotMended as why:
        return why


def _undone(case: Case, number: str) -> Case:
    from checks.mending.undo import with_undone

    return with_undone(case, number)


def _put_back(journal: Journal) -> Notice:
    from checks.mending.undo import undo

    done = undo(journal)
    values = {"title": journal.title, "path": journal.prefix, "files": ", ".join(done.lost), "folder": done.aside}
    return Notice(f"mendings.undone-{done.key}", values, is_error=bool(done.lost))


def _half_done() -> tuple[Journal, tuple[str, ...]] | None:
    """One, and what would be moved aside."""
    from checks.mending.journal import half_done
    from checks.mending.undo import moved_aside, tidy

    tidy()
    return next(((journal, moved_aside(journal)) for journal in half_done()), None)


def _refusal(error: Exception) -> Notice | None:
    from checks.mending.permission import NotMended

    if not isinstance(error, NotMended):
        return None
    return Notice("mendings.refused-here", {"reason": Notice(f"mendings.reason-{error.reason}", error.values)})

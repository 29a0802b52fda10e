"""Judge texts that came together, each as a ticket of its own: the first is shown, the others follow one by one.

All at once they would take the time from the window and from each other.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.case_model import CaseModel, Notice
from wizard.evidence_files import Given, Kind
from wizard.flow import TICKET, Answers
from wizard.jobs.cases import CaseJobs, Lot
from wizard.jobs.reports import diagnosed

if TYPE_CHECKING:  # loaded on a worker thread, after the first window
    from checks.facts.case import Case
    from wizard.jobs.cases import Start

log = logging.getLogger(__name__)


class LotJobs:
    """``show`` with the first case and its lot; ``not_shown`` with what went wrong instead."""

    def __init__(
        self,
        case: CaseModel,
        start: Start,
        cases: CaseJobs,
        show: Callable[[Case, Lot], object],
        not_shown: Callable[[Exception], object],
    ) -> None:
        self._case, self._start, self._cases = case, start, cases
        self._show, self._not_shown = show, not_shown

    def diagnose(self, paths: Sequence[Path]) -> None:
        """Judge each of the texts; nothing happens while something else is done."""
        if not self._case.is_free:
            return
        first, *others = (Answers(symptom=TICKET, given=(Given(path, Kind.LOG),)) for path in paths)
        self._case.begin(symptom=TICKET, given=first.given)
        lot, following = self._cases.begin_lot(), iter(others)

        def shown(case: Case) -> None:
            self._show(case, lot)
            self._follow(following, lot)

        def not_shown(error: Exception) -> None:
            self._not_shown(error)
            self._follow(following, lot)

        self._case.set_busy("busy-diagnosing")
        self._start(lambda: diagnosed(first), shown, not_shown)

    def _follow(self, following: Iterator[Answers], lot: Lot) -> None:
        """Judge the next one aside, until the lot is over or was joined to one case."""
        answers = next(following, None)
        if answers is None or lot.is_joined:
            return

        def judged(case: Case) -> None:
            if not lot.is_joined:
                self._cases.keep_aside(case, lot)
            self._follow(following, lot)

        def failed(error: Exception) -> None:
            log.error("a ticket could not be judged", exc_info=error)
            self._case.tell(Notice("error-ours", {"error": error}))
            self._follow(following, lot)

        self._start(lambda: diagnosed(answers), judged, failed)

"""The engine on one worker thread. The window hears of it through signals and never waits for it."""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from wizard.flow import NOTHING, SERVED, Answers
from wizard.jobs.sent_files import sent_files

if TYPE_CHECKING:  # the engine is loaded on the worker thread, after the first window
    from checks.engine.events import Event
    from checks.engine.request import Request
    from checks.facts import InterpreterFacts, ProgramRun

    Examine = Callable[[Request, Callable[[], bool]], Iterator[Event]]

log = logging.getLogger(__name__)


class EngineThread(QThread):
    """One examination. ``happened`` once per event of the engine; ``broke`` instead of the end for a bug of ours."""

    happened = Signal(object)
    broke = Signal(str)

    def __init__(
        self,
        answers: Answers,
        interpreters: tuple[InterpreterFacts, ...],
        examine: Examine | None = None,
        parent: QObject | None = None,
        runs: tuple[ProgramRun, ...] = (),
        program: str = "",
    ) -> None:
        super().__init__(parent)
        self._answers = answers
        self._interpreters = interpreters
        self._examine = examine
        self._runs = runs
        self._program = program
        self._stop = threading.Event()

    def cancel(self) -> None:
        """End the probes; what was done until then still comes, as the last event."""
        self._stop.set()

    def run(self) -> None:
        """On the worker thread: examine, and emit each event."""
        try:
            for event in map(_with_settings, self._events()):
                self.happened.emit(event)
                _prepare_plots(event)
        except Exception as error:  # the last place that can tell the window
            log.exception("the examination broke off")
            self.broke.emit(f"{type(error).__name__}: {error}")

    def _events(self) -> Iterator[Event]:
        from checks.engine.examination import examine
        from checks.engine.request import Request
        from checks.facts.case import Answers as CaseAnswers
        from checks.history.store import default_folder
        from checks.proof.resolving.resolve import resolving

        if self._answers.only_reads:
            from checks.engine.read_only import read_only

            models = sent_files("", self._answers.given).models
            return read_only(models, CaseAnswers(symptom=self._answers.symptom), self._stop.is_set)
        if self._answers.symptom == SERVED:
            from checks.engine.served.examination import examine_served
            from wizard.jobs.served import request_of

            return examine_served(request_of(self._answers), self._stop.is_set)
        sent, effort = sent_files(self._answers.text, self._answers.given), self._answers.effort_taken
        request = Request(
            answers=CaseAnswers(
                symptom=self._answers.symptom or "everything",
                exactness=self._answers.exactness,
                effort="standard" if effort == NOTHING else effort,
            ),
            # Who asks about a program with a runtime of its own means none of the Pythons.
            target=None if self._program else self._answers.target or None,
            interpreters=() if self._program else self._interpreters or None,
            logs=sent.logs,
            scripts=sent.scripts,
            models=sent.models,
            inputs=sent.inputs,
            repeat=True if self._answers.repeats else None,
            others=sent.others,
            load=self._answers.load_taken,
            compute=effort != NOTHING,
            runs=self._runs,
            history=default_folder(),
            program=self._program,
        )
        events = (self._examine or examine)(request, self._stop.is_set)
        return resolving(events, self._stop.is_set, offline=self._answers.offline)


def _with_settings(event: Event) -> Event:
    """With the end of the examination also the places in which the variables of its remedies are set."""
    from checks.engine.events import Finished

    if not isinstance(event, Finished) or not event.case.facts.here:
        return event
    from checks.mending.settings import placed

    return dataclasses.replace(event, case=placed(event.case))


def _prepare_plots(event: Event) -> None:
    """Load what draws the results as soon as something computes: it takes long, and the window never waits."""
    from checks.engine.events import ProbeStarted
    from wizard.report.content.measured.line import COMPUTING, OF_MODEL

    if isinstance(event, ProbeStarted) and event.probe.startswith((COMPUTING, OF_MODEL)):
        from wizard.plots import view  # noqa: F401 - loaded is all that it shall be

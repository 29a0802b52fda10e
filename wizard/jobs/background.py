"""What runs in the background of the window: examine, search, open, save, export. One thread per job.

Every job ends in exactly one call of the model, with its result or with one sentence that says what went wrong.
"""

from __future__ import annotations

import functools
import importlib
import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from wizard.case_model import CaseModel, Notice, Search
from wizard.desktop.folders import chosen, remember_chosen, remember_report, show_folder
from wizard.evidence_files import Kind, kept, may_be_neither, near_folder, no_models
from wizard.flow import SERVED, TICKET
from wizard.jobs.cases import CaseJobs, Lot
from wizard.jobs.cutting import CuttingJobs
from wizard.jobs.engine_thread import EngineThread
from wizard.jobs.interpreters import interpreter_at, interpreters_here
from wizard.jobs.lots import LotJobs
from wizard.jobs.mending import MendingJobs
from wizard.jobs.program import LiveOutput, NotStartable, Program, installed, listed, looked_at, watched
from wizard.jobs.reports import Unopened, compared_files, diagnosed, exported, opened, outgoing, rendered, told, untold
from wizard.jobs.threads import Threads

if TYPE_CHECKING:
    from checks.engine.watch.running import Running
    from checks.facts import InterpreterFacts, LocalProgram, ProgramRun
    from checks.facts.case import Case
    from wizard.jobs.engine_thread import Examine
    from wizard.jobs.reports import Outgoing

log = logging.getLogger(__name__)


class Work(QObject):
    """Starts the jobs and brings their results into the model. Lives in the window's thread."""

    finished_run = Signal()  # an examination ended and its case is in the model
    finished_watch = Signal()  # the user's program is over, and its run is in the model
    program_chosen = Signal()  # one with a runtime of its own, to be examined
    finished_opening = Signal()  # a report was opened and its case is in the model
    proving = Signal(object)  # a step of trying the remedies, told on its own thread
    rendered = Signal(str, str)  # what was asked for ("markdown-en", "reply-ja"), and its text

    def __init__(self, case: CaseModel, examine: Examine | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._case = case
        self._examine = examine
        self._engine: EngineThread | None = None
        self._outcome: Case | None = None
        self._broken = ""
        self.threads = Threads(self)
        self._start = self.threads.start
        self._stop_watch = threading.Event()
        self._stop_proving = threading.Event()
        self.cases = CaseJobs(case, self._start, self._is_taken, self)
        self.lots = LotJobs(case, self._start, self.cases, self._diagnosed, self._not_diagnosed)
        self.mending = MendingJobs(case, self._start, self._is_taken, self.cases.keep_again, self)
        self.cutting = CuttingJobs(case, self._start, self._is_taken, self.cases.keep_again, self)
        self.proving.connect(case.proving, Qt.ConnectionType.QueuedConnection)

    # --- the examination

    def run(self) -> None:
        """Examine the chosen interpreter; nothing happens while an examination runs or a file is worked on."""
        if self._is_taken() or not self._can_ask():
            return
        self._outcome, self._broken = None, ""
        runs, self._case.program_runs = self._case.program_runs, ()  # of another examination they would be old
        program, self._case.local_program = self._case.local_program, ""
        self._case.run_began()
        if self._case.answers.symptom != SERVED:  # whose address may not be asked again unasked
            self.cases.note()
        self._engine = EngineThread(self._case.answers, self._case.interpreters, self._examine, self, runs, program)
        self._engine.happened.connect(self._happened, Qt.ConnectionType.QueuedConnection)
        self._engine.broke.connect(self._broke, Qt.ConnectionType.QueuedConnection)
        self._engine.finished.connect(self._ended, Qt.ConnectionType.QueuedConnection)
        self._engine.start()

    def _can_ask(self) -> bool:
        """Whether a served model can be asked as it was answered; why not is told."""
        if self._case.answers.symptom != SERVED:
            return True
        from checks.engine.served.address import RequestError
        from wizard.jobs.served import request_of

        try:
            request_of(self._case.answers)
        except RequestError as error:
            self._case.set_notice(Notice(f"served.{error.key}", error.values))
            return False
        return True

    def diagnose(self) -> None:
        """Judge a ticket from the texts that were given, without a look at this machine."""
        if not self._is_taken():
            answers = self._case.answers
            self._case.set_busy("busy-diagnosing")
            self._start(lambda: diagnosed(answers), self._diagnosed, self._not_diagnosed)

    def answer(self, question: str, *, choice: str = "", text: str = "") -> None:
        """Judge the ticket that is shown again, with an answer to a question; with neither, nobody knows it."""
        case = self._case.case
        if case is not None and not self._is_taken():
            self._case.set_busy("busy-diagnosing")
            self._start(lambda: told(case, question, choice, text), self._diagnosed, self._not_diagnosed)

    def take_answer_back(self) -> None:
        """Judge it again without the last answer."""
        case = self._case.case
        if case is not None and not self._is_taken():
            self._case.set_busy("busy-diagnosing")
            self._start(lambda: untold(case), self._diagnosed, self._not_diagnosed)

    def shorten(self, text: str, take: Callable[[str], object]) -> None:
        """Hand over what matters of a long text: to find that takes seconds."""
        if self._is_taken():
            self._case.tell(Notice("paste-later"))
            return
        self._case.set_busy("busy-looking")

        def shortened(short: str) -> None:
            self._case.set_busy("")
            take(short)

        self._start(lambda: kept(text), shortened, self._not_diagnosed)

    def warm_up(self, then: Callable[[], object]) -> None:
        """Load what judges and shows a case, while nobody waits for it."""
        self._start(_load, lambda _: then(), self._not_loaded)

    @staticmethod
    def _not_loaded(error: Exception) -> None:
        log.error("what judges a case could not be loaded", exc_info=error)

    def _diagnosed(self, case: Case, lot: Lot | None = None) -> None:
        self._case.set_busy("")
        self._case.run_ended(case)
        self.cases.keep(case, lot)
        self.finished_opening.emit()

    def _not_diagnosed(self, error: Exception) -> None:
        log.error("the ticket could not be judged", exc_info=error)
        self._case.set_notice(Notice("error-ours", {"error": error}))

    def _is_taken(self) -> bool:
        """Whether the case is about to become another one, or is being written: one such thing at a time."""
        return self._engine is not None or self._case.is_watching or bool(self._case.busy)

    def watch(self, program: Program, output: LiveOutput) -> None:
        """Start the user's program and watch it; its end is told by ``finished_watch``."""
        if self._is_taken():
            return
        self._stop_watch.clear()
        self._case.watch_began()
        self.cases.note(program)
        self._start(lambda: watched(program, output, self._stop_watch.is_set), self._watched, self._not_watched)

    def look_at(self, pid: int) -> None:
        """Look at a program that runs already; the end of that is told by ``finished_watch``."""
        if self._is_taken():
            return
        self._stop_watch.clear()
        self._case.watch_began(looking=True)
        self._start(lambda: looked_at(pid, self._stop_watch.is_set), self._watched, self._not_watched)

    def list_running(self, take: Callable[[tuple[Running, ...]], None]) -> None:
        """Hand over the AI programs that run now."""
        self._start(listed, take, lambda error: self._not_listed(error, take))

    def list_installed(self, take: Callable[[tuple[LocalProgram, ...]], None]) -> None:
        """Hand over the installed AI programs that bring their own runtime."""
        self._start(installed, take, lambda error: self._not_listed(error, take))

    @staticmethod
    def _not_listed(error: Exception, take: Callable[[tuple[Any, ...]], None]) -> None:
        log.error("the programs could not be listed", exc_info=error)
        take(())

    def examine_program(self, name: str) -> None:
        """Examine this machine for a program with a runtime of its own, which is none of the Pythons."""
        if not self._is_taken():
            self._case.local_program = name
            self.program_chosen.emit()

    def _watched(self, found: tuple[ProgramRun, InterpreterFacts | None]) -> None:
        self._case.watch_ended(*found, None)
        self.finished_watch.emit()
        if self._engine is None:  # no examination follows, which has a note of its own
            self.cases.note_done()

    def _not_watched(self, error: Exception) -> None:
        if not isinstance(error, NotStartable):
            log.error("the program could not be watched", exc_info=error)
        notice = error.notice if isinstance(error, NotStartable) else Notice("error-ours", {"error": error})
        self._case.watch_ended(None, None, notice)
        self.cases.note_done()

    def prove(self) -> None:
        """Try the remedies of the case in throw-away copies, until one is seen to work."""
        case = self._case.case
        if case is None or self._is_taken():
            return
        self._stop_proving.clear()
        self._case.proving_began()
        language = self._case.language
        self._start(lambda: self._proven(case, language), self._was_proven, self._not_proven)

    def _proven(self, case: Case, language: str) -> Case:
        from checks.proof.prove import prove
        from checks.proof.trial import Trying

        offline = self._case.answers.offline
        steps = prove(case, cancelled=self._stop_proving.is_set, language=language, offline=offline)
        try:
            while True:
                step = next(steps)
                if isinstance(step, Trying):
                    self.proving.emit(step)
        except StopIteration as ended:
            proven: Case = ended.value
            return proven

    def _was_proven(self, case: Case) -> None:
        self._case.proving_ended(case)
        self.cases.keep_again(case)
        self.mending.look()

    def _not_proven(self, error: Exception) -> None:
        log.error("the remedies could not be tried", exc_info=error)
        self._case.proving_ended(None, Notice("error-ours", {"error": error}))

    def cancel(self) -> None:
        """End the user's program, the examination, or the trial of remedies; what was done until then is kept.

        A remedy that is being carried out is undone.
        """
        self._stop_watch.set()
        self._stop_proving.set()
        self.mending.cancel()
        self.cutting.cancel()
        if self._engine is not None:
            self._engine.cancel()

    @Slot(object)
    def _happened(self, event: Any) -> None:
        from checks.engine.events import Finished

        if isinstance(event, Finished):
            self._outcome = event.case
        self._case.take(event)

    @Slot(str)
    def _broke(self, error: str) -> None:
        self._broken = error

    @Slot()
    def _ended(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.wait()
            engine.deleteLater()
        self.cases.note_done()
        if self._outcome is None:
            self._case.run_ended(None, Notice("error-run-broke", {"error": self._broken}))
            return
        self._case.run_ended(self._outcome)
        self.mending.look()
        self.cases.keep(self._outcome)
        self.finished_run.emit()

    # --- interpreters

    def search(self) -> None:
        """Look for every interpreter of this machine, once at a time; first near the script that was given."""
        if self._case.search is not Search.BUSY:
            near = near_folder(self._case.answers.given)
            self._case.searched_near = near
            self._case.search_began()
            text = self._case.answers.text
            self._start(lambda: interpreters_here(near, chosen(), text), self._found, self._not_found)

    def choose(self, path: Path) -> None:
        """Take a file as an interpreter, or find the interpreters in a folder."""
        self._case.search_began()
        self._start(lambda: interpreter_at(path), lambda found: self._chose(path, found), self._not_found)

    def _found(self, found: tuple[tuple[InterpreterFacts, ...], str | None]) -> None:
        known = {interpreter.path for interpreter in found[0]}
        chosen_by_hand = tuple(
            interpreter
            for interpreter in self._case.interpreters
            if "chosen" in interpreter.found_by and interpreter.path not in known
        )
        self._case.search_ended(chosen_by_hand + found[0], found[1])

    def _chose(self, path: Path, interpreter: InterpreterFacts | None) -> None:
        if interpreter is None:
            self._case.refuse_target(Notice("target-none-in-folder", {"path": path}))
        elif interpreter.problem:
            values = {"path": interpreter.path if interpreter.problem == "of-another" else path}
            self._case.refuse_target(Notice(f"target-problem-{interpreter.problem}", values))
        else:
            remember_chosen(path)
            self._case.add_interpreter(interpreter)

    def _not_found(self, error: Exception) -> None:
        log.error("the search for interpreters broke off", exc_info=error)
        self._case.refuse_target(Notice("target-search-failed", {"error": error}))

    # --- files

    def open(self, path: Path) -> None:
        """Open a saved case or an exported PDF, and show its report; nothing happens while something else is done."""
        if self._is_taken():
            return
        self._case.set_busy("busy-opening")
        self._start(lambda: opened(path), lambda case: self._opened(path, case), self._failed(path))

    def open_sent(self, data: bytes, name: str) -> None:
        """Show the case in the bytes of a file that came within another one."""
        if self._is_taken():
            return
        from wizard.report.open import case_in

        self._case.set_busy("busy-opening")
        self._start(lambda: case_in(data, name), lambda case: self._shown(Path(name), case), self._failed(Path(name)))

    def give(self, paths: list[Path], kind: Kind | None = None) -> None:
        """Take files as evidence. A report that cannot be opened is taken back with what is wrong with it."""
        self._case.add_files(paths, kind)
        for given in self._case.answers.given:
            if given.kind is Kind.REPORT and given.path in paths:
                self._look_at_report(given.path)

    def sort_out(self, paths: list[Path], take: Callable[[list[Path]], None]) -> None:
        """Hand on what was dropped, but for JSON files that hold neither a report nor a model: those are named.

        Of a ticket they may be a log.
        """
        unsure = [] if self._case.answers.symptom == TICKET else [path for path in paths if may_be_neither(path)]
        if not unsure:
            take(paths)
        elif not self._is_taken():
            self._case.set_busy("busy-looking")
            self._start(
                lambda: no_models(unsure), lambda found: self._sorted_out(paths, found, take), self._failed(unsure[0])
            )

    def _sorted_out(self, paths: list[Path], strange: tuple[Path, ...], take: Callable[[list[Path]], None]) -> None:
        self._case.set_notice(Notice("drop-strange", {"names": self._case.listed(strange)}) if strange else None)
        rest = [path for path in paths if path not in strange]
        if rest:
            take(rest)

    def _look_at_report(self, path: Path) -> None:
        self._start(lambda: opened(path), lambda _: None, lambda error: self._not_a_report(path, error))

    def _not_a_report(self, path: Path, error: Exception) -> None:
        self._case.remove_file(path)
        self._case.tell(notice_of(error, path))

    def compare(self, first: Path, second: Path) -> None:
        """Show two saved examinations beside each other; none is made."""
        if self._is_taken():
            return
        self._case.set_busy("busy-comparing")
        self._start(lambda: compared_files(first, second), lambda case: self._opened(first, case), self._not_compared)

    def _not_compared(self, error: Exception) -> None:
        if isinstance(error, Unopened):
            why = notice_of(error.why, error.path)
            self._case.set_notice(Notice("compare-unopened", {"name": error.path.name, "why": why}))
        else:
            log.error("two reports could not be compared", exc_info=error)
            self._case.set_notice(Notice("error-ours", {"error": error}))

    def export(
        self, path: Path, kind: str, paper: str, *, hide: Sequence[str] | None, keep: Sequence[str] = ()
    ) -> None:
        """Write the report: "pdf" (on "a4" or "letter") or "json"; with these words, too, hidden, or with nothing.

        ``keep``: what is private and stays all the same.
        """
        case, language = self._case.case, self._case.language
        if case is not None and not self._is_taken():
            self._case.set_busy("busy-exporting")
            self._start(
                lambda: exported(case, path, kind, language, paper, hide=hide, keep=keep),
                lambda hidden: self._written(path, hidden),
                self._failed(path),
            )

    def preview(self, hide: Sequence[str], keep: Sequence[str], take: Callable[[Outgoing], object]) -> None:
        """Hand over what others will read of the case that is shown, and what is hidden in it."""
        case, language = self._case.case, self._case.language
        if case is not None:
            self._start(lambda: outgoing(case, language, hide=hide, keep=keep), take, self._not_rendered)

    def copy(self, kind: str, language: str, *, hide: Sequence[str] | None, keep: Sequence[str] = ()) -> None:
        """Render the report as "markdown" or "reply" in this language, and tell it through ``rendered``."""
        case = self._case.case
        if case is not None and not self._is_taken():
            self._case.set_busy("busy-exporting")
            self._start(
                lambda: rendered(case, kind, language, hide=hide, keep=keep),
                lambda text: self._rendered(f"{kind}-{language}", text),
                self._not_rendered,
            )

    def _opened(self, path: Path, case: Case) -> None:
        remember_report(path)
        self._shown(path, case)

    def _shown(self, path: Path, case: Case) -> None:
        self._case.show_opened(case, path)
        self.finished_opening.emit()

    def _written(self, path: Path, hidden: dict[str, int]) -> None:
        remember_report(path)
        self._case.was_kept()
        count = sum(hidden.values())
        key, values = "written-redacted" if count else "written", {"path": path, "count": count}
        shown = ("show-folder", functools.partial(show_folder, path))
        self._case.set_notice(Notice(key, values, is_error=False, act=shown))

    def _rendered(self, what: str, text: str) -> None:
        self._case.was_kept()
        self._case.set_busy("")
        self.rendered.emit(what, text)

    def _not_rendered(self, error: Exception) -> None:
        log.error("the report could not be rendered", exc_info=error)
        self._case.set_notice(Notice("error-ours", {"error": error}))

    def _failed(self, path: Path) -> Callable[[Exception], None]:
        return lambda error: self._case.set_notice(notice_of(error, path))

    def shutdown(self) -> None:
        """Cancel, and wait until every thread and every child process has ended."""
        self.cancel()
        if self._engine is not None:
            self._engine.wait()
        self.threads.wait()
        self.cases.leave()


def _load() -> None:
    from checks.facts.case import Answers as CaseAnswers
    from checks.judgement.judge import judged
    from checks.readers.tickets.read import read_ticket
    from wizard.report.content.document import document_of
    from wizard.report.content.report import build

    for name in ("wizard.pages.report", "checks.proof.prove"):  # what of Qt they need is loaded on any thread
        importlib.import_module(name)
    case = judged(read_ticket(), CaseAnswers(symptom=TICKET))  # the tables are read when they are first asked
    document_of(build(case, "en"))


def notice_of(error: Exception, path: Path) -> Notice:
    """One sentence for what went wrong with a file."""
    from checks.sharing.case import CaseError
    from wizard.report.export import ExportError

    if isinstance(error, CaseError):
        return Notice(f"errors.{error.reason}")
    if isinstance(error, ExportError):
        return Notice(f"errors.export-{error.reason}", {"path": error.path, "detail": error.detail})
    log.error("a fault of ours with %s", path, exc_info=error)
    return Notice("error-file", {"path": path, "error": error})

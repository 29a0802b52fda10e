"""The support desk of the window: its store is filled, asked and written out on other threads."""

from __future__ import annotations

import datetime as dt
import functools
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal

from wizard.jobs.threads import Threads

if TYPE_CHECKING:  # loaded on a worker thread, when the desk is opened
    from checks.desk.store import Store
    from checks.desk.tickets import Ticket
    from checks.desk.views import Filter, Row, Views
    from wizard.report.content.many.desk import Reading

log = logging.getLogger(__name__)
T = TypeVar("T")
_NAME = "desk.duckdb"
Failed = Callable[[Exception], object]


@dataclass(frozen=True)
class Filled:
    """What came of one source. ``new``: tickets that were judged, of ``count`` that were read."""

    new: int
    count: int
    stopped: bool


@dataclass(frozen=True)
class Answer:
    """To a ticket, or to all ``count`` of its group. ``text``: Markdown, "" where the ticket's own text is needed."""

    text: str
    count: int = 1


class DeskJobs(QObject):
    """Lives in the window's thread. One source is read at a time; the store is asked beside that."""

    progressed = Signal(int)  # tickets of this source that were judged

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._threads = Threads(self)
        self._store: Store | None = None
        self._asking: Any = None  # a cursor: DuckDB takes one thread for each, also while another one writes
        self._lock = threading.Lock()
        self._is_of_another = False  # the user's desk, which another window or a newer version keeps
        self._stop, self._closing = threading.Event(), threading.Event()
        self._readings: dict[Path, Reading] = {}  # of each source of this session, the latest first
        self.is_filling = False  # or emptied

    # --- opening and closing

    def open(self, done: Callable[[str], object], failed: Failed) -> None:
        """Open what this user's desk holds. ``done`` with "", or why nothing will be kept: "off" or as StoreError."""
        self._threads.start(self._open, done, failed)

    def _open(self) -> str:
        from checks.desk.store import Store, StoreError

        path, why = _place(), ""
        try:
            self._store = Store(path)
        except StoreError as error:
            self._store, why = Store(), error.reason
        self._is_of_another = why in ("in-use", "newer")
        self._asking = self._store.connection.cursor()
        return why if path is not None else "off"

    def close(self) -> None:
        """Stop, and wait until everything has ended; what was judged is kept."""
        self._closing.set()
        self._threads.wait()
        if self._store is not None:
            self._asking.close()
            self._store.close()
            self._store = None

    def forget(self, done: Callable[[str], object], failed: Failed) -> None:
        """Empty the desk; not while it is being filled."""
        if not self.is_filling:
            self._start_alone(self._forget, done, failed)

    def _forget(self) -> str:
        with self._lock:
            if self._store is not None:
                self._asking.close()
                self._store.close()
            self._readings = {}
            try:
                path = _place()
                if path is not None and not self._is_of_another:
                    path.unlink(missing_ok=True)
                    path.with_name(f"{path.name}.wal").unlink(missing_ok=True)  # where it was ended while it wrote
            finally:
                why = self._open()
            return why

    # --- filling

    def add(self, path: Path, done: Callable[[Filled], object], failed: Failed) -> None:
        """Judge the tickets of a file or folder that are not known yet."""
        if self.is_filling or self._store is None:
            return
        self._stop.clear()
        store = self._store
        self._start_alone(lambda: self._fill(store, path), done, failed)

    def _start_alone(self, work: Callable[[], T], done: Callable[[T], object], failed: Failed) -> None:
        """Start what changes the store: one at a time."""
        self.is_filling = True

        def ended(result: T) -> None:
            self.is_filling = False
            done(result)

        def broke(error: Exception) -> None:
            self.is_filling = False
            failed(error)

        self._threads.start(work, ended, broke)

    def stop(self) -> None:
        """End the reading; what was judged until then is kept."""
        self._stop.set()

    def _is_ending(self) -> bool:
        return self._stop.is_set() or self._closing.is_set()

    def _fill(self, store: Store, path: Path) -> Filled:
        from checks.desk.judging import judge
        from checks.desk.parallel import mapped
        from checks.desk.sources.walk import Reader
        from checks.desk.unknown import Unknown
        from checks.readers.containers.source import Stopped
        from wizard.report.content.many.desk import Reading
        from wizard.report.open import case_in

        reader = Reader(self._is_ending)
        unknown = Unknown(store, reader.tickets(path))
        work = functools.partial(judge, open_case=case_in)
        new, stopped = 0, False

        def counted() -> Iterator[Any]:
            nonlocal new
            for judged in mapped(work, unknown):
                new += 1
                yield judged
                self.progressed.emit(new)
                if self._is_ending():
                    raise Stopped

        try:
            store.add(counted())
        except Stopped:
            stopped = True
        others = {source: reading for source, reading in self._readings.items() if source != path}
        self._readings = {path: Reading((*reader.not_read,), reader.left_out, reader.answers), **others}
        return Filled(new, unknown.count, stopped)

    # --- asking

    def ask(self, question: Callable[[Views, Reading], T], done: Callable[[T], object], failed: Failed) -> None:
        """Ask the store, and hand over the answer."""
        self._threads.start(lambda: self._ask(question), done, failed)

    def _ask(self, question: Callable[[Views, Reading], T]) -> T:
        from checks.desk.views import Views

        with self._lock:
            return question(Views(self._asking, today()), self.reading())

    def reading(self) -> Reading:
        """What was passed over of all sources of this session."""
        from wizard.report.content.many.desk import Reading

        all_of_them = [*self._readings.values()][::-1]
        return Reading(
            tuple(one for reading in all_of_them for one in reading.not_read),
            sum(reading.left_out for reading in all_of_them),
            sum(reading.answers for reading in all_of_them),
        )

    def find(self, key: str, done: Callable[[Ticket | None], object], failed: Failed) -> None:
        """Read a ticket again where it was read; None where that is no source of this session."""
        self._threads.start(lambda: self._found(key), done, failed)

    def _found(self, key: str) -> Ticket | None:
        from checks.desk.sources.walk import Reader
        from checks.readers.containers.source import Damaged, Stopped

        for source in self._readings:
            try:
                for ticket in Reader(self._closing.is_set).tickets(source):
                    if ticket.mark == key:
                        return ticket
            except Damaged:  # it has gone meanwhile
                continue
            except Stopped:
                break
        return None

    def answer(self, row: Row, done: Callable[[Answer], object], failed: Failed) -> None:
        """Write the answer to a ticket, or to all of its group."""
        self._threads.start(lambda: self._answered(row), done, failed)

    def _answered(self, row: Row) -> Answer:
        from wizard.report.desk_answers import answer_language, draft, group_answer
        from wizard.report.open import case_in

        language = answer_language(row.language)
        is_of_group = row.is_decided and row.alike > 1
        ticket = None if is_of_group else self._found(row.key)
        if ticket is not None:
            return Answer(draft(ticket, language, case_in))
        if not row.is_decided:
            return Answer("")
        group, lines = self._ask(lambda views, _: (views.group(row.group), views.shared_lines(row.group)))
        return Answer(group_answer(group, lines, language), row.alike) if group is not None else Answer("")

    # --- writing out

    def export(
        self, path: Path, kind: str, only: Filter, sort: str, language: str, done: Callable[[], object], failed: Failed
    ) -> None:
        """Write the list or the report to a file ("csv", "json", "markdown", "pdf"), or "answers" into a new folder."""
        work = self._write_answers if kind == "answers" else functools.partial(self._write, kind, only, sort, language)
        self._threads.start(lambda: work(path), lambda _: done(), failed)

    def _write(self, kind: str, only: Filter, sort: str, language: str, path: Path) -> None:
        from checks.sharing.files import write_whole
        from wizard.report.content.many.desk import document_of_desk
        from wizard.report.export import default_paper
        from wizard.report.pdf.document import document_to_pdf
        from wizard.report.prints.desk import as_json, rows_as_csv
        from wizard.report.prints.markdown import document_as_markdown

        def written(views: Views, reading: Reading) -> bytes:
            match kind:
                case "csv":
                    return b"".join(rows_as_csv(views, only, sort, language))
                case "json":
                    return as_json(views, today(), only, sort, language, reading)
            document = document_of_desk(views, today(), language, reading, only, sort)
            if kind == "pdf":
                return document_to_pdf(document, paper=default_paper())
            return document_as_markdown(document).encode(errors="replace")

        write_whole(path, self._ask(written))

    def _write_answers(self, path: Path) -> None:
        from checks.desk.sources.walk import Reader
        from wizard.report.answers_folder import write_answers

        reader = Reader(self._closing.is_set)
        tickets = (ticket for source in self._readings for ticket in reader.tickets(source))
        self._ask(lambda views, _: [*write_answers(views, tickets, path)])


def today() -> str:
    """The day up to which the desk is looked at, ISO 8601."""
    return dt.datetime.now(dt.UTC).date().isoformat()


def _place() -> Path | None:
    """The file of this user's desk; None where nothing is to be remembered."""
    from checks.history.store import default_folder
    from checks.sharing.files import make_private

    folder = default_folder()
    if folder is None:
        return None
    make_private(folder)
    return folder / _NAME

"""The support desk as a window: give it a folder, a mailbox or an export, and see what all of it is about."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
    QPixmap,
    QShortcut,
)
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel
from wizard.desk.tickets import TicketsView
from wizard.desktop import icons, theme
from wizard.desktop.dropped import dropped_files
from wizard.desktop.folders import EXPORT, last_folder, remember, show_folder
from wizard.jobs.desk import DeskJobs
from wizard.pages.block_view import BlockWidgets
from wizard.widgets.announce import announce
from wizard.widgets.drop_zone import DropZone
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.question_box import ask_before
from wizard.widgets.scroller import Scroller
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.desk.tickets import Ticket
    from checks.desk.views import Overview, Row, Views
    from wizard.jobs.desk import Answer, Filled
    from wizard.report.content.blocks import Document
    from wizard.report.content.many.desk import Reading

log = logging.getLogger(__name__)

_AT_ONCE = 200  # rows that are fetched together
_MEANWHILE = 1000  # milliseconds between two looks at what is being read
_KINDS = {"csv": "csv", "json": "json", "markdown": "md", "pdf": "pdf"}
_FOLDER = "desk"  # where tickets were chosen last


class DeskWindow(QWidget):
    """``ticket_asked`` with a ticket that is to be opened as a case."""

    ticket_asked = Signal(object)
    closed = Signal()

    def __init__(self, case: CaseModel, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setMinimumSize(360, 300)
        self.resize(QSize(1120, 760))
        self._case = case
        self.jobs = DeskJobs(self)
        self._looks = 0  # the number of the last look at the store: older answers are late
        self._waiting: list[Path] = []  # to be read after what is being read
        self._is_damaged = False  # what was kept before
        self._texts: list[tuple[Callable[[str], object], str]] = []
        self._build()
        self._meanwhile = QTimer(self, singleShot=True, interval=_MEANWHILE)
        self._meanwhile.timeout.connect(self.look)
        self.jobs.progressed.connect(self._progressed)
        case.language_changed.connect(self.retranslate)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, self.tickets.search.setFocus)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self, self.close)
        self.retranslate()
        self.jobs.open(self._opened, self._broke)

    # --- building

    def _build(self) -> None:
        self.sentence, self.scope = plain_label("heading"), plain_label("small")
        self.told = plain_label("small")
        self.show_told = self._button("show-folder", lambda: None)
        self.show_told.hide()
        self.add_files = self._button("desk-add-files", self._ask_files)
        self.add_folder = self._button("desk-add-folder", self._ask_folder)
        self.export = self._button("desk-export", lambda: None)
        self.export.setMenu(QMenu(self.export))
        self.forget = self._button("desk-forget", self._ask_forget)
        self.bar = QProgressBar(textVisible=False, maximum=0)
        self.stop = self._button("desk-stop", self.jobs.stop)
        self._progress = QWidget()
        filled(QHBoxLayout(self._progress), self.bar, self.stop, margins=(0, 0, 0, 0), spacing=8)
        self._progress.hide()
        top = WrapLayout(self.add_folder, self.add_files, self.export, self.forget)
        saying = filled(QHBoxLayout(), spacing=8)
        saying.addWidget(self.told, 1)
        saying.addWidget(self.show_told)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tickets = TicketsView(self._case)
        self.tickets.asked.connect(self.look)
        self.tickets.open_asked.connect(self._open_case)
        self.tickets.rows.more_asked.connect(self._fetch)
        self.panel = self.tickets.panel
        self.panel.open_asked.connect(self._open_case)
        self.panel.answer_asked.connect(self._answer)
        self.tabs.addTab(self.tickets, "")
        self.overview = Scroller()
        self.tabs.addTab(self.overview, "")
        self.tabs.currentChanged.connect(self.look)
        self.nothing = DropZone()  # in place of the list
        self.nothing.on_files = self.add
        means = plain_label("intro")
        means.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._texts.append((means.setText, "desk-none"))
        filled(QVBoxLayout(self.nothing), means, margins=(40, 40, 40, 40))
        body = filled(QVBoxLayout(self), self.sentence, self.scope, margins=(20, 16, 20, 16), spacing=8)
        body.addLayout(top)
        body.addWidget(self._progress)
        body.addLayout(saying)
        body.addWidget(self.tabs, 1)
        body.addWidget(self.nothing, 1)
        for widget in (self.tabs, self.nothing, self.forget):  # until the store has told what it holds
            widget.hide()
        self.export.setEnabled(False)

    def _button(self, key: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton()
        button.clicked.connect(lambda: act())  # noqa: PLW0108 - without the signal's argument
        self._texts.append((button.setText, key))
        return button

    # --- words and looks

    def retranslate(self) -> None:
        """All words in the present language."""
        say = self._case.say
        self.setWindowTitle(say("desk-title"))
        for setter, key in self._texts:
            setter(say(key))
        self.tabs.setTabText(0, say("desk-tickets"))
        self.tabs.setTabText(1, say("desk-overview"))
        menu = self.export.menu()
        menu.clear()
        for kind in (*_KINDS, "answers"):
            menu.addAction(say(f"desk-export-{kind}")).triggered.connect(functools.partial(self._ask_export, kind))
        self.tickets.retranslate()
        self.look()

    def _picture(self, name: str, colour: str, size: int) -> QPixmap:
        return icons.pixmap(name, theme.colour(colour, self.palette()), size, self.devicePixelRatioF())

    def tell(self, key: str, path: Path | None = None, /, **values: object) -> None:
        """One sentence on what has just been done; beside it, the folder of a file that was written."""
        text = self._case.say(key, **values)
        self.told.setText(text)
        self.show_told.setVisible(path is not None)
        if path is not None:
            self.show_told.clicked.disconnect()
            self.show_told.clicked.connect(functools.partial(show_folder, path))
        announce(self.told, text)

    # --- reading

    def _opened(self, why: str) -> None:
        self._is_damaged = why == "not-a-store"
        if why:
            self.tell(f"desk-not-kept-{why}")
        self.look()
        self._read_next()

    def add(self, paths: list[Path]) -> None:
        """Read these, one after the other."""
        self._waiting += paths
        self._read_next()

    def _read_next(self) -> None:
        if not self._waiting or self.jobs.is_filling:
            return
        path = self._waiting[0]
        self.jobs.add(path, functools.partial(self._read, path), functools.partial(self._not_read, path))
        if self.jobs.is_filling:  # else the store is not open yet
            self._waiting.pop(0)
            self.tell("desk-reading", name=path.name)
            self._show_progress()

    def _show_progress(self) -> None:
        self._progress.setVisible(self.jobs.is_filling)
        for widget in (self.add_folder, self.add_files, self.forget):
            widget.setEnabled(not self.jobs.is_filling)

    def _progressed(self, count: int) -> None:
        self.told.setText(self._case.say("desk-judged", count=f"{count:,}"))
        if not self._meanwhile.isActive():
            self._meanwhile.start()

    def _read(self, path: Path, filled_with: Filled) -> None:
        key = "desk-stopped" if filled_with.stopped else "desk-read"
        if key == "desk-read" and filled_with.new == filled_with.count:
            key = "desk-read-all"
        if not filled_with.count:
            key = "desk-no-tickets"
        if filled_with.stopped:
            self._waiting.clear()
        self.tell(key, name=path.name, new=filled_with.new, count=filled_with.count)
        self._show_progress()
        self.look()
        self._read_next()

    def _not_read(self, path: Path, error: Exception) -> None:
        from checks.readers.containers.source import Damaged

        if not isinstance(error, Damaged):
            log.error("tickets could not be read", exc_info=error)
        self.tell("desk-unreadable", name=path.name, detail=getattr(error, "detail", "") or str(error))
        self._show_progress()
        self.look()
        self._read_next()

    def _broke(self, error: Exception) -> None:
        log.error("the desk", exc_info=error)
        self.tell("error-ours", error=error)

    # --- looking

    def look(self) -> None:
        """Ask the store anew for what is shown."""
        if not self.isVisible() and not self._looks:
            return
        self._looks += 1
        only, sort, looks = self.tickets.only, self.tickets.order, self._looks
        is_overview, language = self.tabs.currentIndex() == 1, self._case.language

        def asked(views: Views, reading: Reading) -> tuple[Overview, list[Row], int, Document]:
            from wizard.jobs.desk import today
            from wizard.report.content.many.desk import document_of_desk, summary_of_desk

            if is_overview:
                document = document_of_desk(views, today(), language, reading, only, sort)
            else:
                document = summary_of_desk(views, today(), language, reading)
            return views.overview(), views.rows(only, sort, _AT_ONCE), views.count(only), document

        self.jobs.ask(asked, lambda found: self._show(looks, is_overview, *found), self._broke)

    def _show(
        self, looks: int, is_overview: bool, overview: Overview, rows: list[Row], count: int, document: Document
    ) -> None:
        if looks != self._looks:
            return
        has_any = overview.count > 0
        self.sentence.setText(document.verdict.sentence if has_any else self._case.say("desk-title"))
        self.nothing.setVisible(not has_any)
        self.scope.setText(" ".join(document.verdict.scope))
        self.scope.setVisible(bool(document.verdict.scope))
        self.export.setEnabled(has_any)
        self.forget.setVisible(has_any or self._is_damaged)
        self.tabs.setVisible(has_any)
        self.tickets.show_rows(rows, count, is_growing=self.jobs.is_filling)
        if is_overview:
            self._show_overview(document)

    def _show_overview(self, document: Document) -> None:
        column = QWidget()
        column.setObjectName("column")
        layout = filled(QVBoxLayout(column), margins=(4, 12, 16, 12), spacing=10)
        mark = theme.colour("mark", self.palette())
        widgets = BlockWidgets(self._case.say, self._picture, lambda *_: None, lambda: None, mark)
        widgets.fill(layout, [section for section in document.sections if section.id != "list"])
        layout.addStretch(1)
        self.overview.setWidget(column)

    def _fetch(self, behind: int) -> None:
        only, sort, looks = self.tickets.only, self.tickets.order, self._looks

        def fetched(rows: list[Row]) -> None:
            if looks == self._looks:
                self.tickets.rows.add(rows)

        self.jobs.ask(lambda views, _: views.rows(only, sort, _AT_ONCE, behind), fetched, self._broke)

    # --- one ticket

    def _open_case(self, row: Row | None) -> None:
        if row is not None and row.state != "unread":
            self.tell("desk-looking-up", name=row.number or row.source)
            self.jobs.find(row.key, self._found, self._broke)

    def _found(self, ticket: Ticket | None) -> None:
        if ticket is None:
            self.tell("desk-no-text")
        else:
            self.tell("desk-opened", name=ticket.number or ticket.source)
            self.ticket_asked.emit(ticket)

    def _answer(self, row: Row) -> None:
        self.tell("desk-writing")

        def written(answer: Answer) -> None:
            if self.panel.row is None or self.panel.row.key != row.key:
                return
            if answer.text:
                self.tell("desk-written")
                self.panel.take(answer)
            else:
                self.tell("desk-no-text")

        self.jobs.answer(row, written, self._broke)

    # --- dialogs

    def _ask_files(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        paths, _ = QFileDialog.getOpenFileNames(self, self._case.say("desk-add-files-title"), last_folder(_FOLDER))
        if paths:
            remember(_FOLDER, Path(paths[0]))
            self.add(list(map(Path, paths)))

    def _ask_folder(self) -> None:
        from PySide6.QtWidgets import QFileDialog

        path = QFileDialog.getExistingDirectory(self, self._case.say("desk-add-folder-title"), last_folder(_FOLDER))
        if path:
            remember(_FOLDER, Path(path))
            self.add([Path(path)])

    def _ask_export(self, kind: str) -> None:
        from PySide6.QtWidgets import QFileDialog

        from wizard.jobs.desk import today

        ending = f".{_KINDS[kind]}" if kind in _KINDS else ""
        start = str(Path(last_folder(EXPORT)) / f"naosu-desk-{today()}{'' if ending else '-answers'}{ending}")
        path, _ = QFileDialog.getSaveFileName(
            self, self._case.say(f"desk-export-{kind}"), start, f"*{ending}" if ending else ""
        )
        if path:
            remember(EXPORT, Path(path))
            self.write(Path(path), kind)

    def write(self, path: Path, kind: str) -> None:
        """Write the list, the report, or the answers."""
        if kind == "answers" and path.exists():
            self.tell("desk-not-new", path=path)
            return
        self.tell("desk-exporting")
        self.jobs.export(
            path,
            kind,
            self.tickets.only,
            self.tickets.order,
            self._case.language,
            lambda: self.tell("desk-exported", path, path=path),
            functools.partial(self._not_exported, path),
        )

    def _not_exported(self, path: Path, error: Exception) -> None:
        if not isinstance(error, OSError):
            self._broke(error)
            return
        self.tell("desk-not-exported", path=path, detail=error.strerror or str(error))

    def _ask_forget(self) -> None:
        words = ("cancel", "desk-forget-now")
        ask_before(self, self._case.say, "desk-title", "desk-forget-ask", words, self._forget)

    def _forget(self) -> None:
        self.tickets.show_group(0)

        def forgotten(_: str) -> None:
            self._is_damaged = False
            self.tell("desk-forgotten")
            self.look()
            self._read_next()

        self.jobs.forget(forgotten, self._broke)

    # --- what is dropped, and the end

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files and folders may be dropped anywhere."""
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Read what was dropped."""
        paths = dropped_files(event.mimeData())
        if paths:
            event.acceptProposedAction()
            self.add(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        """What is being read is ended; what was judged is kept."""
        self._looks += 1  # answers that still come are late
        self.jobs.close()
        self.closed.emit()
        super().closeEvent(event)

"""The frame of the wizard: the pages, the buttons and keys that lead through them, and files that come and go."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QRadioButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from wizard.case_model import CaseModel, Notice
from wizard.desktop import theme
from wizard.desktop.dropped import dropped_files
from wizard.desktop.folders import EXPORT, REPORT, last_folder, remember
from wizard.evidence_files import Given, Kind, kind_in_ticket, kind_of
from wizard.flow import MODELS, TICKET, Step, next_step, previous_step, reachable
from wizard.jobs.background import Work
from wizard.pages.page import Page, in_reading_order
from wizard.pages.symptom import SymptomPage
from wizard.widgets.labels import filled, plain_label
from wizard.window.history_menu import HistoryMenu
from wizard.window.notice_bar import NoticeBar
from wizard.window.qt_words import translate_standard_buttons
from wizard.window.rail import Rail

if TYPE_CHECKING:  # loaded when there is a case, not before the first window, as all that is imported in functions
    from checks.facts.case import Case


class Window(QMainWindow):
    """One window, one case. Pages after the first are built when they are first needed."""

    def __init__(self, case: CaseModel, work: Work) -> None:
        super().__init__()
        self.case = case
        self.work = work
        self.step = Step.SYMPTOM
        self._pages: dict[Step, Page] = {}
        self._palette_shown: object = None
        self._may_close = False
        self._after_opening: Notice | None = None  # to be said where a report is shown
        self._notice_heard: Notice | None = None
        self.setAcceptDrops(True)
        self.setMinimumSize(720, 520)
        self.resize(1080, 760)
        self._stack = QStackedWidget()
        self._notice = NoticeBar(case)
        self._build_footer()
        self._rail = Rail(case, work.cases)
        self._rail.cases.new.clicked.connect(self.begin)
        self._rail.step_asked.connect(self.go)
        right = filled(QVBoxLayout(), margins=(0, 0, 0, 0), spacing=0)
        right.addWidget(self._stack, 1)
        right.addWidget(self._notice)  # below: what somebody is about to click stays where it is
        right.addWidget(self._footer)
        whole = QWidget()
        across = filled(QHBoxLayout(whole), self._rail, margins=(0, 0, 0, 0), spacing=0)
        across.addLayout(right, 1)
        self.setCentralWidget(whole)
        self._build_menu()
        case.changed.connect(self._refresh)
        case.language_changed.connect(self.retranslate)
        work.finished_run.connect(self._run_finished)
        work.finished_watch.connect(self._watch_finished)
        work.program_chosen.connect(self.run)
        work.finished_opening.connect(self._show_report)
        work.cases.opened.connect(self._show_report)
        self.retranslate()
        self._restyle()
        self.go(Step.SYMPTOM)

    # --- building

    def _build_footer(self) -> None:
        self._footer = QFrame()
        self._footer.setObjectName("footer")
        line = filled(QHBoxLayout(self._footer), margins=(28, 12, 28, 12), spacing=10)
        self._hint = plain_label("small")
        self.back = QPushButton()
        self.cancel = QPushButton()
        self.next = QPushButton()
        self.next.setObjectName("primary")
        line.addWidget(self._hint, 1)
        filled(line, self.cancel, self.back, self.next)
        self.back.clicked.connect(self.go_back)
        self.next.clicked.connect(self.go_next)
        self.cancel.clicked.connect(self.work.cancel)

    def _build_menu(self) -> None:
        bar = self.menuBar()
        self._file_menu = bar.addMenu("")
        self._help_menu = bar.addMenu("")
        self.new_action = self._action(self.begin, QKeySequence.StandardKey.New)
        self.open_action = self._action(self.ask_open, QKeySequence.StandardKey.Open)
        self.compare_action = self._action(self.ask_compare)
        self.save_action = self._action(self.ask_save, QKeySequence.StandardKey.Save)
        self.export_action = self._action(self.ask_export, QKeySequence.StandardKey.Print)
        self.quit_action = self._action(self.close, QKeySequence.StandardKey.Quit)
        self.about_action = self._action(self.about)
        self.quit_action.setMenuRole(QAction.MenuRole.QuitRole)  # where macOS looks for them, in any language
        self.about_action.setMenuRole(QAction.MenuRole.AboutRole)
        self.next_action = self._action(self._press_next)
        self.next_action.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self.addAction(self.next_action)  # in no menu: Enter alone is a new line in the text
        self.cancel_action = self._action(self.work.cancel, QKeySequence(Qt.Key.Key_Escape))
        self._file_menu.addActions([self.new_action, self.open_action, self.compare_action])
        self._file_menu.addActions([self.save_action, self.export_action, self.cancel_action])
        self._file_menu.addSeparator()
        self.history_menu = HistoryMenu(self.case, self.work.cases, self)
        self._file_menu.addMenu(self.history_menu)
        self._file_menu.addSeparator()
        self._file_menu.addAction(self.quit_action)
        self._help_menu.addAction(self.about_action)

    def _action(
        self, act: Callable[[], object], keys: QKeySequence.StandardKey | QKeySequence | None = None
    ) -> QAction:
        action = QAction(self)
        action.triggered.connect(lambda: act())  # noqa: PLW0108 - without the signal's argument
        if keys is not None:
            action.setShortcuts([keys] if isinstance(keys, QKeySequence) else QKeySequence.keyBindings(keys))
        return action

    def page(self, step: Step) -> Page:
        """The page of a step, built when it is first asked for."""
        if step not in self._pages:
            page = self._built(step)
            self._pages[step] = page
            page.reshaped.connect(self._order_tabs)
            self._stack.addWidget(page)
        return self._pages[step]

    def _built(self, step: Step) -> Page:
        match step:
            case Step.SYMPTOM:
                symptom = SymptomPage(self.case, self.work)
                symptom.open_asked.connect(self.ask_open)
                symptom.compare_asked.connect(self.ask_compare)
                symptom.files_chosen.connect(lambda paths: self.work.sort_out(paths, self._take_dropped))
                symptom.chosen.connect(self._choose)
                return symptom
            case Step.EVIDENCE:
                from wizard.pages.evidence import EvidencePage

                return EvidencePage(self.case, self.work)
            case Step.TARGET:
                from wizard.pages.target import TargetPage

                return TargetPage(self.case, self.work)
            case Step.RUN:
                from wizard.pages.run import RunPage

                return RunPage(self.case, self.work)
            case Step.REPORT:
                from wizard.pages.report import ReportPage

                report = ReportPage(self.case, self.work)
                report.save_asked.connect(self.ask_save)
                report.export_asked.connect(self.ask_export)
                report.again_asked.connect(self.again)
                report.next_asked.connect(self.begin)
                report.here_asked.connect(self.examine_here)
                return report

    # --- walking

    def go(self, step: Step) -> None:
        """Show a step's page, if the walk allows it."""
        if step is not self.step and not reachable(step, self.case.answers, self.case.progress):
            self._refresh()
            return
        if step is not self.step and self.case.notice is not None and not self.case.notice.is_error:
            self.case.set_notice(None)  # what went well has been read
        self.step = step
        page = self.page(step)
        self._stack.setCurrentWidget(page)
        page.start()
        self._refresh()
        self._order_tabs()
        focus = page.first_focus() or self.next
        focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def _order_tabs(self) -> None:
        """The tab key leads through the page, then the buttons below it, then the rail."""
        page, rail = self.page(self.step).layout(), self._rail.layout()
        if page is None or rail is None:
            return
        order = [*in_reading_order(page), self.cancel, self.back, self.next, *in_reading_order(rail)]
        for before, after in itertools.pairwise(order):
            QWidget.setTabOrder(before, after)

    def go_next(self) -> None:
        """One step on; from the target this starts the examination."""
        step = next_step(self.step, self.case.answers, self.case.progress)
        if self.step is Step.TARGET and step is Step.RUN:
            self.run()
        elif self.step is Step.EVIDENCE and step is Step.REPORT:
            self.work.diagnose()
        elif step is not None:
            self.go(step)

    def _press_next(self) -> None:
        page = self.page(self.step)
        if isinstance(page, SymptomPage):
            page.answer.click()
        elif self.next.isVisible():
            self.next.click()

    def go_back(self) -> None:
        """One step back."""
        step = previous_step(self.step, self.case.answers, self.case.progress)
        if step is not None:
            self.go(step)

    def run(self) -> None:
        """Start the examination and show it."""
        self.work.run()
        if self.case.is_running:
            self.go(Step.RUN)

    def again(self) -> None:
        """Examine once more; a program that was watched is only mended when it was started again, as it was before."""
        from wizard.pages.evidence import EvidencePage

        shown = self.case.case
        program = shown.facts.symptom.program if shown is not None and shown.facts.symptom else ""
        if program and self.case.opened is None:
            self.work.examine_program(program)
        elif shown is not None and shown.facts.runs and self.case.opened is None:
            self.go(Step.EVIDENCE)
            page = self.page(Step.EVIDENCE)
            if not isinstance(page, EvidencePage) or not page.watch.start_again():
                self.case.set_notice(Notice("watch-again", is_error=False))
        else:
            self.run()

    def _watch_finished(self) -> None:
        """On to the examination of the Python that ran; where none was seen, the user chooses one."""
        self.announce(self.case.say("watch-done"))
        if self.step is Step.EVIDENCE:
            if any(run.interpreter for run in self.case.program_runs):
                self.run()
            else:
                self.go(Step.TARGET)

    def _show_report(self) -> None:
        self.go(Step.REPORT)
        notice, self._after_opening = self._after_opening, None
        if notice is not None:
            self.case.set_notice(notice)

    def examine_here(self) -> None:
        """On from a text to the computer on which it happened."""
        if not (self.case.is_running or self.case.busy):
            self.case.examine_here()
            self.go(Step.TARGET)

    def _choose(self, symptom: str) -> None:
        """On with what is wrong. After a report another sentence is another case, of which nothing is known yet."""
        if self.case.is_running or self.case.is_watching or self.case.busy:
            return
        if self.case.case is not None and symptom != self.case.answers.symptom:
            self.case.begin(symptom=symptom)
        else:
            self.case.set_symptom(symptom)
        self.go(Step.TARGET if symptom == "everything" else Step.EVIDENCE)

    def begin(self) -> None:
        """A new case, from an empty first page."""
        if not (self.case.is_running or self.case.is_watching or self.case.busy):
            self.case.begin()
            self.go(Step.SYMPTOM)

    def _run_finished(self) -> None:
        self.announce(self.case.say("run-done"))
        if self.step is Step.RUN:
            self.go(Step.REPORT)

    # --- files

    def ask_open(self) -> None:
        """Let the user choose a report to open."""
        from PySide6.QtWidgets import QFileDialog

        kinds = f"{self.case.say('file-reports')} (*.pdf *.json)"
        path, _ = QFileDialog.getOpenFileName(self, self.case.say("open-title"), last_folder(REPORT), kinds)
        if path:
            remember(REPORT, Path(path))
            self.work.open(Path(path))

    def ask_compare(self) -> None:
        """Let the user choose two reports to compare, together or, from two folders, one after the other."""
        from PySide6.QtWidgets import QFileDialog

        kinds = f"{self.case.say('file-reports')} (*.pdf *.json)"
        paths, _ = QFileDialog.getOpenFileNames(self, self.case.say("compare-title"), last_folder(REPORT), kinds)
        if len(paths) == 1:
            title = self.case.say("compare-second", name=Path(paths[0]).name)
            second, _ = QFileDialog.getOpenFileName(self, title, str(Path(paths[0]).parent), kinds)
            paths = [paths[0], second] if second else []
        if paths:
            remember(REPORT, Path(paths[0]))
            self._compare(list(map(Path, paths)))

    def _compare(self, reports: list[Path]) -> None:
        if len(reports) == 2:
            self.work.compare(*reports)
        else:
            self.case.set_notice(Notice("compare-two", {"names": self.case.listed(reports)}))

    def ask_save(self) -> None:
        """Let the user choose where the case is saved."""
        self._export("json", self.case.say("save-title"), self.case.say("file-case"))

    def ask_export(self) -> None:
        """Let the user choose where the PDF goes."""
        self._export("pdf", self.case.say("export-title"), "PDF")

    def _export(self, kind: str, title: str, kinds: str) -> None:
        from PySide6.QtWidgets import QFileDialog

        from wizard.pages.report import ReportPage

        if self.case.case is None or self.case.busy:
            return
        report = self.page(Step.REPORT)
        dialog = QFileDialog(self, title, last_folder(EXPORT), f"{kinds} (*.{kind})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(kind)  # before it asks whether an existing file may be replaced
        dialog.selectFile(f"{file_name(self.case.case)}.{kind}")
        if dialog.exec() and isinstance(report, ReportPage):
            path = Path(dialog.selectedFiles()[0])
            remember(EXPORT, path)
            remember(REPORT, path)  # what was saved is what will be opened or compared
            paper = report.paper.currentData()
            self.work.export(path, kind, paper, hide=report.words_to_hide)
        dialog.deleteLater()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere, unless something is being worked on."""
        if self._dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a report, or take what was dropped as evidence; files of one kind say themselves what they are for."""
        paths = self._dropped(event)
        if not paths:
            return
        event.acceptProposedAction()
        self.work.sort_out(paths, self._take_dropped)

    def _take_dropped(self, paths: list[Path]) -> None:
        kinds = {kind_of(path) for path in paths}
        if kinds == {Kind.REPORT}:
            if len(paths) == 1:
                self.work.open(paths[0])
            else:
                self._compare(paths)
            return
        begins = self.step in (Step.SYMPTOM, Step.REPORT)  # elsewhere it belongs to what is being asked
        if begins and kinds == {Kind.LOG}:
            self._diagnose(paths)
            return
        if self.step is Step.REPORT:
            self.case.begin()
        if not self.case.answers.symptom:
            self.case.set_symptom(_ASKED_BY.get(next(iter(kinds)), "") if len(kinds) == 1 else "")
        if self.case.answers.symptom:
            self.go(Step.EVIDENCE)
            self._take(paths)
        else:  # what they are for, only their owner knows
            self.work.give(paths)
            self.case.set_notice(Notice("drop-kept", {"names": self.case.listed(paths)}, is_error=False))

    def _diagnose(self, paths: list[Path]) -> None:
        """Texts are tickets, each a case; whoever knows that they are of one says so."""
        refused = [path for path in paths if kind_in_ticket(path) not in (Kind.LOG, Kind.SCRIPT)]
        taken = [path for path in paths if path not in refused]
        if taken:
            self.work.diagnose_each(taken)
        if refused:
            self.case.set_notice(Notice("evidence-refused", {"names": self.case.listed(refused)}))
        elif len(taken) > 1:
            together = ("drop-together", lambda: self._diagnose_together(taken))
            self._after_opening = Notice("drop-each", {"count": len(taken)}, is_error=False, act=together)

    def _diagnose_together(self, paths: list[Path]) -> None:
        self.work.cases.join_lot()
        self.case.begin(symptom=TICKET, given=tuple(Given(path, Kind.LOG) for path in paths))
        self.work.diagnose()

    def _take(self, paths: list[Path]) -> None:
        from wizard.pages.evidence import EvidencePage

        page = self.page(Step.EVIDENCE)
        if isinstance(page, EvidencePage):
            page.take(paths)

    def _dropped(self, event: QDropEvent) -> list[Path]:
        """The files of a drop; none while something is being worked on."""
        return [] if self.case.is_running or self.case.busy else dropped_files(event.mimeData())

    # --- showing

    def _refresh(self) -> None:
        answers, progress = self.case.answers, self.case.progress
        self._rail.show_walk(self.step)
        self._footer.setVisible(self.step is not Step.SYMPTOM)  # whose every answer leads on by itself
        running = progress.running
        self.back.setEnabled(previous_step(self.step, answers, progress) is not None)
        self.next.setEnabled(next_step(self.step, answers, progress) is not None and not self.case.busy)
        self.next.setVisible(self.step is not Step.REPORT and not running)
        self.cancel.setVisible(running)
        self.back.setVisible(not running)
        self.cancel_action.setEnabled(running)
        for action in (self.new_action, self.open_action, self.compare_action):
            action.setEnabled(not running and not self.case.busy)
        for action in (self.save_action, self.export_action):
            action.setEnabled(self.case.case is not None and not running and not self.case.busy)
        key = {Step.TARGET: "next-run", Step.RUN: "next-report"}.get(self.step, "next")
        if self.step is Step.EVIDENCE and answers.symptom == TICKET:
            key = "next-diagnose"
        elif self.step is Step.TARGET and answers.only_reads:
            key = "next-read"
        self.next.setText(self.case.say(key))
        self._hint.setText(self._hint_text())
        self.setWindowTitle(self.case.say("window-title", page=self.case.say(f"{self.step.value}-title")))
        self._show_notice()

    def _hint_text(self) -> str:
        if self.case.busy:
            return self.case.say(self.case.busy)
        if next_step(self.step, self.case.answers, self.case.progress) is None and self.step in _HINTS:
            is_about_models = self.step is Step.EVIDENCE and self.case.answers.symptom == MODELS
            return self.case.say("hint-models" if is_about_models else _HINTS[self.step])
        return ""

    def _show_notice(self) -> None:
        self._notice.show_notice(self.case.notice)
        if self.case.notice is not None and self.case.notice is not self._notice_heard:
            self.announce(self.case.sentence(self.case.notice))
        self._notice_heard = self.case.notice

    def announce(self, text: str) -> None:
        """Have a screen reader say something that appeared without the keyboard going there."""
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def retranslate(self) -> None:
        """Every text of the frame and of the built pages in the present language."""
        translate_standard_buttons(self.case.language)
        say = self.case.say
        self._file_menu.setTitle(say("menu-file"))
        self._help_menu.setTitle(say("menu-help"))
        for name in ("new", "open", "compare", "save", "export", "cancel", "quit", "about"):
            getattr(self, f"{name}_action").setText(say(f"menu-{name}"))
        self.history_menu.retranslate()
        self.back.setText(say("back"))
        self.cancel.setText(say("cancel"))
        self._notice.retranslate()
        self._rail.retranslate()
        for page in self._pages.values():
            page.retranslate()
        self._refresh()

    def about(self) -> None:
        """Who we are, in plain text."""
        from PySide6.QtWidgets import QMessageBox

        from checks import __version__

        box = QMessageBox(self)
        box.setWindowTitle(self.case.say("about-title"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.case.say("about-text", version=__version__))
        box.setInformativeText(self.case.say("about-more"))
        box.setIconPixmap(self._rail.logo.pixmap())
        box.open()

    def _restyle(self) -> None:
        """Colours from the palette, again when the system turns dark or light."""
        palette = QGuiApplication.palette()
        if theme.signature(palette) == self._palette_shown:
            return
        self._palette_shown = theme.signature(palette)
        self.setStyleSheet(theme.stylesheet(palette, QApplication.font()))
        self._refresh()  # the symbols that are drawn in a colour

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses what has the focus; on an answer that is already chosen it goes on."""
        focused = QApplication.focusWidget()
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or not isinstance(focused, QAbstractButton):
            super().keyPressEvent(event)
        elif isinstance(focused, QRadioButton) and focused.isChecked():
            self.next.click()
        else:
            focused.click()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the system's palette."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.ApplicationPaletteChange, QEvent.Type.PaletteChange):
            self._restyle()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Cancel what runs, and wait until its child processes have ended; ask first where something would be lost."""
        lost = "" if self._may_close else self.case.lost_by_quitting()
        if lost:
            event.ignore()
            self._ask_to_quit(lost)
            return
        self.work.shutdown()
        super().closeEvent(event)

    def _ask_to_quit(self, lost: str) -> None:
        from PySide6.QtWidgets import QMessageBox

        box = QMessageBox(QMessageBox.Icon.Question, self.case.say("quit-title"), self.case.say(lost), parent=self)
        stay = box.addButton(self.case.say("quit-stay"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)  # who presses Enter without reading loses nothing
        box.addButton(self.case.say("quit-now"), QMessageBox.ButtonRole.DestructiveRole).clicked.connect(self._quit)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.open()

    def _quit(self) -> None:
        self._may_close = True
        self.close()


def file_name(case: Case) -> str:
    """The usual name of a report's file, without its ending: tickets of one day are told apart by their cause."""
    day = re.sub(r"[^0-9-]", "", case.created[:10])  # of a report that was sent it may be anything
    what = ("ticket", *(finding.cause for finding in case.findings[:1])) if case.facts.reported else ()
    return "-".join(("naosu", *what, day))


_ASKED_BY = {Kind.MODEL: MODELS, Kind.LOG: TICKET}  # what files of one kind alone are dropped for
_HINTS = {Step.EVIDENCE: "hint-ticket", Step.TARGET: "hint-target"}

"""The frame of the wizard: the pages, the buttons and keys that lead through them, and files that come and go."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPixmap,
    QResizeEvent,
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
from wizard.desktop import attention, settings, theme
from wizard.flow import MODELS, SERVED, TICKET, Answers, Step, next_step, previous_step, reachable
from wizard.jobs.background import Work
from wizard.pages.page import Page, in_reading_order
from wizard.pages.symptom import SymptomPage
from wizard.widgets.labels import filled, plain_label
from wizard.widgets.question_box import ask_before
from wizard.window.file_acts import FileActs
from wizard.window.menus import Menus
from wizard.window.notice_bar import NoticeBar
from wizard.window.qt_words import translate_standard_buttons
from wizard.window.rail import Rail

if TYPE_CHECKING:
    from wizard.jobs.program import Program
    from wizard.window.find_bar import FindBar

_FRAME = QSize(16, 48)  # logical pixels that a system's frame takes at most
_NARROW = 640  # logical pixels, below which there is no room for the rail


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
        self._notice_heard: Notice | None = None
        self.setAcceptDrops(True)
        self.setMinimumSize(360, 260)  # of a small screen at three times its size
        self.resize(1080, 760)
        self._stack = QStackedWidget()
        self._notice = NoticeBar(case)
        self._build_footer()
        self._rail = Rail(case, work.cases)
        self._rail.cases.new.clicked.connect(self.begin)
        self._rail.step_asked.connect(self.go)
        self._rail.language_asked.connect(self.speak)
        right = filled(QVBoxLayout(), margins=(0, 0, 0, 0), spacing=0)
        right.addWidget(self._stack, 1)
        self._find: FindBar | None = None  # when it is first asked for
        self._right = right
        right.addWidget(self._notice)  # below: what somebody is about to click stays where it is
        right.addWidget(self._footer)
        whole = QWidget()
        across = filled(QHBoxLayout(whole), self._rail, margins=(0, 0, 0, 0), spacing=0)
        across.addLayout(right, 1)
        self.setCentralWidget(whole)
        self.files = FileActs(self)
        self.menus = Menus(self)
        self._next_key = QAction(self)
        self._next_key.setShortcuts([QKeySequence("Ctrl+Return"), QKeySequence("Ctrl+Enter")])
        self._next_key.triggered.connect(self._press_next)
        self.addAction(self._next_key)  # in no menu: Enter alone is a new line in the text
        case.changed.connect(self._refresh)
        case.progressed.connect(self._show_title)
        case.language_changed.connect(self.retranslate)
        work.finished_run.connect(self._run_finished)
        work.finished_watch.connect(self._watch_finished)
        work.program_chosen.connect(self.run)
        work.finished_opening.connect(self._show_report)
        work.cases.opened.connect(self._show_kept)
        self.retranslate()
        self._restyle()
        self.go(Step.SYMPTOM)

    def restore(self) -> None:
        """Take the place and size of the last time, on a screen that is still there; else what fits this one."""
        noted = settings.geometry()
        if noted is None or not self.restoreGeometry(noted):
            room = self.screen().availableGeometry().size() - _FRAME
            self.resize(self.size().boundedTo(room))

    def prepare(self) -> None:
        """Load and build what the first answer needs, while nobody waits for it."""
        self.work.warm_up(lambda: self.page(Step.REPORT))

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
                symptom.open_asked.connect(self.files.ask_open)
                symptom.compare_asked.connect(self.files.ask_compare)
                symptom.another_asked.connect(self.files.ask_another)
                symptom.desk_asked.connect(self.files.open_desk)
                symptom.files_chosen.connect(self.files.sort_out)
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
                report.save_asked.connect(self.files.ask_save)
                report.export_asked.connect(self.files.ask_export)
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
            self.case.tell(None)  # what went well has been read
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
        if step is Step.RUN:
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
                self.case.tell(Notice("watch-again", is_error=False))
        else:
            self.run()

    def _watch_finished(self) -> None:
        """On to the examination of the Python that ran; where none was seen, the user chooses one."""
        self._tell_done("watch-done")
        if self.step is Step.EVIDENCE:
            if any(run.interpreter for run in self.case.program_runs):
                self.run()
            else:
                self.go(Step.TARGET)

    def _show_kept(self) -> None:
        """A case of the list: the keyboard stays there, for the next one, F2 or Delete."""
        self._show_report()
        self._rail.cases.take_back_focus()

    def _show_report(self) -> None:
        self.go(Step.REPORT)
        notice, self.files.notice = self.files.notice, None
        if notice is not None:
            self.case.tell(notice)

    def offer_to_go_on(self) -> None:
        """Where the last window was killed while it examined, or watched a program: offer to go on with that."""

        def offer(answers: Answers, name: str, program: Program | None) -> None:
            act = ("draft-go-on", lambda: self._go_on(answers, name, program))
            if program is None:
                self.case.tell(Notice("draft-left", is_error=False, act=act))
            else:
                self.case.tell(Notice("draft-left-watching", {"command": program.line}, is_error=False, act=act))

        self.work.cases.find_left(offer)

    def _go_on(self, answers: Answers, name: str, program: Program | None) -> None:
        """A program is not started unasked: whoever had it watched finds its command, and starts it."""
        from wizard.pages.evidence import EvidencePage

        self.case.take_up(answers, name)
        evidence = self.page(Step.EVIDENCE)
        self.go(Step.TARGET if program is None else Step.EVIDENCE)
        if program is not None and isinstance(evidence, EvidencePage):
            evidence.watch.take_up(program)

    def examine_here(self) -> None:
        """On from a text to the computer on which it happened."""
        if self.case.is_free:
            self.case.examine_here()
            self.go(Step.TARGET)

    def _choose(self, symptom: str) -> None:
        """On with what is wrong. After a report another sentence is another case, of which nothing is known yet."""
        if not self.case.is_free:
            return
        page = self.page(Step.SYMPTOM)
        text = page.text_of_next if isinstance(page, SymptomPage) else ""
        if self.case.case is not None and (text or symptom != self.case.answers.symptom):
            self.case.begin(symptom=symptom, text=text)
        else:
            self.case.set_symptom(symptom)
        self.go(Step.TARGET if symptom == "everything" else Step.EVIDENCE)

    def begin(self) -> None:
        """A new case, from an empty first page; ask first where the report that is shown is kept nowhere."""
        if not self.case.is_free:
            return
        if self.case.lost_by_quitting():
            ask_before(self, self.case.say, "begin-title", "begin-unsaved", ("quit-stay", "begin-now"), self._begin)
        else:
            self._begin()

    def _begin(self) -> None:
        self.case.begin()
        self.go(Step.SYMPTOM)

    def _run_finished(self) -> None:
        self._tell_done("run-done")
        if self.step is Step.RUN:
            self.go(Step.REPORT)

    def _tell_done(self, key: str) -> None:
        text = self.case.say(key)
        self.announce(text)
        attention.call(self, text)

    # --- files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files may be dropped anywhere, unless something is being worked on."""
        if self.files.dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Take what was dropped."""
        paths = self.files.dropped(event)
        if paths:
            event.acceptProposedAction()
            self.files.sort_out(paths)

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
        self.menus.refresh()
        key = {Step.TARGET: "next-run", Step.RUN: "next-report"}.get(self.step, "next")
        if self.step is Step.EVIDENCE and answers.symptom in (TICKET, SERVED):
            key = "next-diagnose" if answers.symptom == TICKET else "next-run"
        elif self.step is Step.TARGET and answers.only_reads:
            key = "next-read"
        self.next.setText(self.case.say(key))
        self._hint.setText(self._hint_text())
        self._show_title()
        self._show_notice()

    def _show_title(self) -> None:
        """Which page this is, and for the task bar how far an examination is."""
        page, share = self.case.say(f"{self.step.value}-title"), int(100 * self.case.running.share)
        if self.case.is_running and share:
            page = self.case.say("window-title-running", page=page, share=share)
        title = self.case.say("window-title", page=page)
        if title != self.windowTitle():
            self.setWindowTitle(title)

    def _hint_text(self) -> str:
        if self.case.busy:
            return self.case.say(self.case.busy)
        if next_step(self.step, self.case.answers, self.case.progress) is None and self.step in _HINTS:
            symptom = self.case.answers.symptom if self.step is Step.EVIDENCE else ""
            return self.case.say(f"hint-{symptom}" if symptom in (MODELS, SERVED) else _HINTS[self.step])
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
        self.menus.retranslate()
        self.back.setText(say("back"))
        self.cancel.setText(say("cancel"))
        self._notice.retranslate()
        self._rail.retranslate()
        if self._find is not None:
            self._find.retranslate()
        for page in self._pages.values():
            page.retranslate()
        self._refresh()

    @property
    def logo(self) -> QPixmap:
        """Our sign, for a dialog."""
        return self._rail.logo.pixmap()

    def speak(self, language: str) -> None:
        """Switch to a language, and remember it."""
        settings.remember_language(language)
        self.case.set_language(language)

    def dress(self, name: str) -> None:
        """Follow a theme of settings.THEMES, and remember it."""
        settings.remember_theme(name)
        theme.choose(name)
        self.menus.refresh()

    def look_for(self) -> None:
        """Let the user look for words on this page."""
        if self._find is None:
            from wizard.window.find_bar import FindBar

            self._find = FindBar(self)
            self._find.retranslate()
            self._right.insertWidget(self._right.indexOf(self._footer), self._find)
        self._find.open()

    def _restyle(self) -> None:
        """Colours from the palette, again when the system turns dark or light."""
        palette = QGuiApplication.palette()
        if theme.signature(palette) == self._palette_shown:
            return
        self._palette_shown = theme.signature(palette)
        self.setStyleSheet(theme.stylesheet(palette, QApplication.font()))
        self._refresh()  # the symbols that are drawn in a colour

    @property
    def takes_paste(self) -> bool:
        """Whether a text may be pasted beside every field."""
        return self.step in (Step.SYMPTOM, Step.REPORT) and self.case.is_free

    def paste(self) -> None:
        """A text that is pasted where nothing takes one is a new case."""
        if self.takes_paste:
            self.begin()
            page = self.page(Step.SYMPTOM)
            if self.step is Step.SYMPTOM and isinstance(page, SymptomPage):
                page.text.insertFromMimeData(QGuiApplication.clipboard().mimeData())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses what has the focus; on an answer that is already chosen it goes on."""
        focused = QApplication.focusWidget()
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or not isinstance(focused, QAbstractButton):
            super().keyPressEvent(event)
        elif isinstance(focused, QRadioButton) and focused.isChecked():
            self.next.click()
        else:
            focused.click()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the window is narrow, the page has all of it; the menus lead where the rail would."""
        super().resizeEvent(event)
        self._rail.setVisible(self.width() >= _NARROW)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the system's palette, and what another window has done meanwhile."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow() and self.work.cases.was_listed:
            self.work.cases.list()  # another window may have changed it
        if event.type() in (QEvent.Type.ApplicationPaletteChange, QEvent.Type.PaletteChange):
            self._restyle()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Cancel what runs, and wait until its child processes have ended; ask first where something would be lost."""
        lost = "" if self._may_close else self.case.lost_by_quitting()
        if lost:
            event.ignore()
            ask_before(self, self.case.say, "quit-title", lost, ("quit-stay", "quit-now"), self._quit)
            return
        settings.remember_geometry(self.saveGeometry())
        self.files.close_desk()
        self.work.shutdown()
        super().closeEvent(event)

    def _quit(self) -> None:
        self._may_close = True
        self.close()


_HINTS = {Step.EVIDENCE: "hint-ticket", Step.TARGET: "hint-target"}

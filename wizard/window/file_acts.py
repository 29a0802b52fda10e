"""Files that come and go: dialogs to open, compare, save and export, and what is dropped on the window.

What is imported in functions is loaded when it is needed, not before the first window.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QDropEvent

from wizard.case_model import Notice
from wizard.desktop.dropped import dropped_files
from wizard.desktop.folders import EXPORT, REPORT, last_folder, remember
from wizard.evidence_files import Given, Kind, kind_in_ticket, kind_of
from wizard.flow import MODELS, TICKET, Step

if TYPE_CHECKING:  # the case is loaded when there is one, not before the first window
    from checks.desk.tickets import Ticket
    from checks.facts.case import Case
    from wizard.desk.window import DeskWindow
    from wizard.window.main_window import Window

_ASKED_BY = {Kind.MODEL: MODELS, Kind.LOG: TICKET}  # what files of one kind alone are dropped for


_OF_DESK = (".mbox", ".eml", ".msg", ".csv")  # mails, and what trackers export
# By which the desktop knows a case among other JSON files (packaging/application/linux/naosu.xml).
_SUFFIXES = {"json": "naosu.json"}


class FileActs:
    """What is done with files, for one window."""

    def __init__(self, window: Window) -> None:
        self._window, self._case, self._work = window, window.case, window.work
        self.notice: Notice | None = None  # to be said where the next report is shown
        self._desk: DeskWindow | None = None

    # --- dialogs

    def ask_open(self) -> None:
        """Let the user choose a report to open."""
        from PySide6.QtWidgets import QFileDialog

        path, _ = QFileDialog.getOpenFileName(
            self._window, self._case.say("open-title"), last_folder(REPORT), self._reports()
        )
        if path:
            remember(REPORT, Path(path))
            self._work.open(Path(path))

    def ask_compare(self) -> None:
        """Let the user choose two reports to compare, together or, from two folders, one after the other."""
        from PySide6.QtWidgets import QFileDialog

        window, say, kinds = self._window, self._case.say, self._reports()
        paths, _ = QFileDialog.getOpenFileNames(window, say("compare-title"), last_folder(REPORT), kinds)
        if len(paths) == 1:
            title = say("compare-second", name=Path(paths[0]).name)
            second, _ = QFileDialog.getOpenFileName(window, title, str(Path(paths[0]).parent), kinds)
            paths = [paths[0], second] if second else []
        if paths:
            remember(REPORT, Path(paths[0]))
            self._compare(list(map(Path, paths)))

    def ask_another(self) -> None:
        """Say how another machine is checked, and hand over what is run there."""
        from wizard.window.other_machine import OtherMachine

        OtherMachine(self._window).open()

    def open_desk(self) -> DeskWindow:
        """Show the support desk; there is one."""
        from wizard.desk.window import DeskWindow

        if self._desk is None:
            self._desk = DeskWindow(self._case, self._window)
            self._desk.ticket_asked.connect(self._take_ticket)
            self._desk.closed.connect(self._forget_desk)
        self._desk.show()
        self._desk.raise_()
        self._desk.activateWindow()
        return self._desk

    def _forget_desk(self) -> None:
        self._desk = None

    def close_desk(self) -> None:
        """Close it, if it is open."""
        if self._desk is not None:
            self._desk.close()

    def _take_ticket(self, ticket: Ticket) -> None:
        """A ticket of the desk, as a case of its own."""
        self._window.activateWindow()
        if not self._case.is_free:
            self._case.tell(Notice("desk-later"))
        elif ticket.case:
            self._work.open_sent(ticket.case, ticket.source)
        else:
            self._case.begin(symptom=TICKET, text=ticket.whole)
            self._work.diagnose()

    def _reports(self) -> str:
        return f"{self._case.say('file-reports')} (*.pdf *.json)"

    def _compare(self, reports: list[Path]) -> None:
        if len(reports) == 2:
            self._work.compare(*reports)
        else:
            self._case.tell(Notice("compare-two", {"names": self._case.listed(reports)}))

    def ask_save(self) -> None:
        """Let the user choose where the case is saved."""
        self._export("json", self._case.say("save-title"), self._case.say("file-case"))

    def ask_export(self) -> None:
        """Let the user choose where the PDF goes."""
        self._export("pdf", self._case.say("export-title"), "PDF")

    def _export(self, kind: str, title: str, kinds: str) -> None:
        from PySide6.QtWidgets import QFileDialog

        from wizard.pages.report import ReportPage

        if self._case.case is None or self._case.busy:
            return
        report = self._window.page(Step.REPORT)
        dialog = QFileDialog(self._window, title, last_folder(EXPORT), f"{kinds} (*.{kind})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        labels = QFileDialog.DialogLabel
        for label, key in ((labels.LookIn, "look-in"), (labels.FileType, "file-type")):  # in Qt in English alone
            dialog.setLabelText(label, self._case.say(f"chooser-{key}"))
        suffix = _SUFFIXES.get(kind, kind)
        dialog.setDefaultSuffix(suffix)  # before it asks whether an existing file may be replaced
        own = self._case.heading
        dialog.selectFile(f"{file_name(self._case.case, own.title if own is not None else '')}.{suffix}")
        if dialog.exec() and isinstance(report, ReportPage):
            path = Path(dialog.selectedFiles()[0])
            remember(EXPORT, path)
            remember(REPORT, path)  # what was saved is what will be opened or compared
            paper, hide, keep = report.paper.currentData(), report.words_to_hide, report.values_to_keep
            self._work.export(path, kind, paper, hide=hide, keep=keep)
        dialog.deleteLater()

    # --- what is dropped

    def dropped(self, event: QDropEvent) -> list[Path]:
        """The files of a drop; none while something is being worked on."""
        return [] if self._case.is_running or self._case.busy else dropped_files(event.mimeData())

    def sort_out(self, paths: list[Path]) -> None:
        """Open a report, or take the files as evidence; those of one kind say themselves what they are for."""
        if not (self._case.is_running or self._case.busy):
            self._work.sort_out(paths, self._take)

    def _take(self, paths: list[Path]) -> None:
        window, case = self._window, self._case
        if all(path.suffix.lower() in _OF_DESK for path in paths):
            self.open_desk().add(paths)
            return
        kinds = {kind_of(path) for path in paths}
        if kinds == {Kind.REPORT}:
            if len(paths) == 1:
                self._work.open(paths[0])
            else:
                self._compare(paths)
            return
        begins = window.step in (Step.SYMPTOM, Step.REPORT)  # elsewhere it belongs to what is being asked
        if begins and kinds == {Kind.LOG}:
            self._diagnose(paths)
            return
        if begins and case.case is not None:
            case.begin()
        if not case.answers.symptom:
            case.set_symptom(_ASKED_BY.get(next(iter(kinds)), "") if len(kinds) == 1 else "")
        if case.answers.symptom:
            window.go(Step.EVIDENCE)
            self._give(paths)
        else:  # what they are for, only their owner knows
            self._work.give(paths)
            case.tell(Notice("drop-kept", {"names": case.listed(paths)}, is_error=False))

    def _give(self, paths: list[Path]) -> None:
        from wizard.pages.evidence import EvidencePage

        page = self._window.page(Step.EVIDENCE)
        if isinstance(page, EvidencePage):
            page.take(paths)

    def _diagnose(self, paths: list[Path]) -> None:
        """Texts are tickets, each a case; whoever knows that they are of one says so."""
        refused = [path for path in paths if kind_in_ticket(path) not in (Kind.LOG, Kind.SCRIPT)]
        taken = [path for path in paths if path not in refused]
        if taken:
            self._work.lots.diagnose(taken)
        if refused:
            told = Notice("evidence-refused", {"names": self._case.listed(refused)})
            if taken:
                self.notice = told  # beside the first of the others
            else:
                self._case.tell(told)
        elif len(taken) > 1:
            together = ("drop-together", lambda: self._diagnose_together(taken))
            self.notice = Notice("drop-each", {"count": len(taken)}, is_error=False, act=together)

    def _diagnose_together(self, paths: list[Path]) -> None:
        self._work.cases.join_lot()
        self._case.begin(symptom=TICKET, given=tuple(Given(path, Kind.LOG) for path in paths))
        self._work.diagnose()


def file_name(case: Case, title: str = "") -> str:
    """The usual name of a report's file, without its ending: the user's own, or the cause, or what was asked; a day."""
    day = re.sub(r"[^0-9-]", "", case.created[:10])  # of a report that was sent it may be anything
    own = re.sub(r"[^\w.-]+", "-", title).strip("-.")[:60]
    cause = next((finding.cause for finding in case.findings), case.answers.symptom)
    what = (own,) if own else ("ticket", *(finding.cause for finding in case.findings[:1]))
    return "-".join(("naosu", *(what if own or case.facts.reported else (cause,)), day))

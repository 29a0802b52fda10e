"""Show the report: the verdict, the findings with their remedies, what is fine, what is not known, the facts."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
from shiboken6 import isValid

from checks.judgement.changes import Changes, changes
from wizard.case_model import CaseModel
from wizard.desktop import theme
from wizard.desktop.looks import LOOKS
from wizard.jobs.background import Work
from wizard.pages.block_view import BlockWidgets
from wizard.pages.files_view import FilesView
from wizard.pages.page import Page
from wizard.pages.panels.asking import AskPanel
from wizard.pages.panels.cutting import CuttingPanel
from wizard.pages.panels.mending import MendingPanel
from wizard.pages.panels.proving import ProvingPanel
from wizard.pages.panels.replying import ReplyPanel
from wizard.report.export import default_paper
from wizard.widgets.announce import announce
from wizard.widgets.fold import Fold
from wizard.widgets.labels import card, filled, plain_label
from wizard.widgets.long_text import value_text
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.report.content.blocks import Document
    from wizard.report.content.report import Report

PAPERS = {"a4": "A4", "letter": "Letter"}
_COPIED_FOR = 2000  # milliseconds that a copy button says so
_TOP = Qt.AlignmentFlag.AlignTop


class ReportPage(Page):
    """What was found."""

    name = "report"
    has_intro = False  # the verdict comes first
    save_asked = Signal()
    export_asked = Signal()
    again_asked = Signal()
    next_asked = Signal()  # another ticket is to be diagnosed
    here_asked = Signal()  # what was sent happened on this computer

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self._report: Report | None = None
        self._shown: tuple[object, ...] = ()
        self.values_to_keep: tuple[str, ...] = ()  # private ones that the user wants to be seen all the same
        self._folds: dict[str, Fold] = {}
        self._files: FilesView | None = None
        self._top = QWidget()
        self._content = QWidget()
        self._layout = QVBoxLayout()  # the one that is being filled
        self.title.hide()  # the verdict says more, and the rail says where one is
        self.body.addWidget(self._top)
        self.asking = AskPanel(self)
        self.proving = ProvingPanel(self)
        self.mending = MendingPanel(self)
        self.cutting = CuttingPanel(self)
        self.reply = ReplyPanel(self, self._ask_reply, self._copy)
        self._more_part = QWidget()
        filled(self.body, self.asking, self.proving, self.mending, self.cutting)
        self._add_buttons()
        filled(self.body, self.reply, self._more_part, self._content)
        self.body.addStretch(1)
        case.changed.connect(self.refresh)
        case.left.connect(self._forget)
        self.refresh()

    def _forget(self) -> None:
        """What was typed and chosen for one case holds for no other."""
        self.redact.setChecked(True)
        self.words.clear()
        self.values_to_keep = ()
        self.asking.text.clear()
        self.reply.forget()

    def _add_buttons(self) -> None:
        self._reply = self.button("report-reply", self._begin_reply, "report-reply-means")
        self._reply.setObjectName("primary")
        self._export = self.button("report-export", self.export_asked)
        self._save = self.button("report-save", self.save_asked)
        self._markdown = self.button("report-markdown", self._copy_markdown)
        self._again = self.button("report-again", self.again_asked, "report-again-means")
        self._own = self.button("report-own", self.case.show_own)
        self._here = self.button("report-here", self.here_asked, "report-here-means")
        self._next = self.button("report-next-ticket", self.next_asked)
        self.more = self.disclosure("report-more", self._show_more, "report-more-means")
        acts = (self._reply, self._export, self._again, self._here, self._next, self._own, self.more)
        self.body.addLayout(WrapLayout(*acts))
        self.paper = QComboBox()
        for value, name in PAPERS.items():
            self.paper.addItem(name, value)
        self.paper.setCurrentIndex(self.paper.findData(default_paper()))
        self.redact = QCheckBox()
        self.redact.setChecked(True)
        self.bind_button(self.redact, "report-redact", "report-redact-means")
        self.bind(self.paper.setAccessibleName, "report-paper")
        self.bind(self.paper.setToolTip, "report-paper")
        self.work.rendered.connect(self._rendered)
        self.words = QLineEdit()
        self.words.setClearButtonEnabled(True)
        self.bind(self.words.setPlaceholderText, "report-hide-words")
        self.bind(self.words.setAccessibleName, "report-hide-words")
        self.bind(self.words.setToolTip, "report-hide-words-means")
        self.outgoing = self.button("report-outgoing", self._preview, "report-outgoing-means")
        for widget in (self.words, self.outgoing):
            self.redact.toggled.connect(widget.setEnabled)
        kept = WrapLayout(self._save, self._markdown, self.paper, self.outgoing)
        filled(QVBoxLayout(self._more_part), kept, self.redact, self.words, margins=(0, 0, 0, 0), spacing=8)
        self._more_part.hide()

    def _show_more(self) -> None:
        self._more_part.setVisible(self.more.isChecked())
        self.reshaped.emit()

    @property
    def words_to_hide(self) -> tuple[str, ...] | None:
        """The user's own words to hide besides what is private; None where nothing is to be hidden."""
        if not self.redact.isChecked():
            return None
        return tuple(word for part in re.split("[,;、，\n]", self.words.text()) if (word := part.strip()))

    def refresh(self) -> None:
        """Build the report anew when the case or the language changed."""
        case = self.case.case
        is_ticket = case is not None and case.facts.reported
        for button in (self._reply, self._export, self._save, self._markdown, self._again):
            button.setEnabled(case is not None)  # also while busy: it would lose the focus
        self._reply.setVisible(is_ticket)
        self._again.setVisible(self.case.opened is None and not is_ticket)
        self._next.setVisible(is_ticket)
        self._here.setVisible(is_ticket and self.case.opened is None)
        self._own.setVisible(self.case.own_case is not None)
        before, self._shown = self._shown, (case, self.case.opened, self.case.language)
        if case is None or (before and before[0] is case and before[1:] == self._shown[1:]):
            return
        from wizard.report.content.report import build

        is_new = not before or before[0] is not case
        self._report = build(case, self.case.language)
        if is_new:
            self.reply.forget()
            self._folds = {}  # what was unfolded in the report before says nothing about this one
        self._fill(self._report)
        if is_new:
            self.scroller.verticalScrollBar().setValue(0)

    def repaint_states(self) -> None:
        """Symbols are coloured: build the content anew."""
        if self._report is not None:
            self._fill(self._report)

    def first_focus(self) -> QWidget | None:
        """The table of models, or what is done with the answer."""
        if self._files is not None and not self._files.table.isHidden():
            return self._files.table
        return self._export if self._reply.isHidden() else self._reply

    # --- the content

    def _fill(self, report: Report) -> None:
        from wizard.report.content.document import document_of

        document = document_of(report)
        unfolded = {key: fold.header.isChecked() for key, fold in self._folds.items()}
        mark = theme.colour("mark", self.palette())
        widgets = BlockWidgets(self.case.say, self.picture, self._copy, self.reshaped.emit, mark)
        self._top = self._anew(self._top)
        self._add_verdict(document, widgets)
        self._add_changes()
        is_own = self.case.opened is None  # of a report that was sent there is no case to add an answer to
        given = self.case.case.facts.asked if self.case.case is not None and is_own else ()
        asking, others = (report.asking, report.questions) if is_own else ((), ())
        self.asking.show_questions(asking, others, is_answered=bool(given))
        for section in () if is_own else document.questions:
            self._add_card(section.title, functools.partial(widgets.fill, blocks=section.blocks))
        self._content = self._anew(self._content)
        for section in document.sections:
            if section.card is None:
                self._layout.addSpacing(6)
            widgets.fill(self._layout, [section])
        self._folds, self._files = widgets.folds, widgets.files
        for key, fold in self._folds.items():  # what the reader had open stays open in the other language
            fold.unfold(unfolded.get(key, fold.header.isChecked()))
            fold.toggled.connect(self.reshaped)
        self.reshaped.emit()

    def _anew(self, old: QWidget) -> QWidget:
        fresh = QWidget()
        self._layout = filled(QVBoxLayout(fresh), margins=(0, 0, 0, 0), spacing=10)
        self.body.insertWidget(self.body.indexOf(old), fresh)
        self.body.removeWidget(old)
        old.hide()
        old.deleteLater()
        return fresh

    def _add_verdict(self, document: Document, widgets: BlockWidgets) -> None:
        """The answer: the verdict, why, and what to do."""
        icon, colour = LOOKS[document.verdict.state]
        frame, layout = card()
        frame.setProperty("tone", colour)
        symbol = QLabel()
        symbol.setPixmap(self.picture(icon, colour, 40))
        symbol.setFixedSize(40, 40)
        word = plain_label(f"tone-{colour}", document.verdict.word)
        texts = filled(
            QVBoxLayout(), word, plain_label("verdict", document.verdict.sentence, selectable=True), spacing=4
        )
        if document.verdict.scope:
            texts.addWidget(plain_label("muted", "\n".join(document.verdict.scope), selectable=True))
        opened = self._where_from(self.case.case) if self.case.case is not None and self.case.opened else ""
        for note in (opened, *document.notes):
            if note:
                texts.addWidget(value_text(note))
        line = filled(QHBoxLayout(), spacing=16)
        line.addWidget(symbol, 0, _TOP)
        line.addLayout(texts, 1)
        layout.addLayout(line)
        widgets.fill(layout, document.answer)
        announce(frame, f"{document.verdict.word}. {document.verdict.sentence}")
        frame.setAccessibleName(document.verdict.word)
        frame.setAccessibleDescription(document.verdict.sentence)
        self._layout.addWidget(frame)

    def _where_from(self, case: Case) -> str:
        if case.facts.name and case.facts.others:
            names = {"first": case.facts.name, "second": case.facts.others[0].name}
            return self.case.say("report-opened-two", **names)
        key = "report-opened-ticket" if case.facts.reported else "report-opened"
        return self.case.say(key, path=self.case.opened)

    def _add_changes(self) -> None:
        before, now = self.case.case_before, self.case.case
        if before is None or now is None:
            return
        compared = changes(before, now)
        lines = [*self._changed(compared)]

        def fill(layout: QVBoxLayout) -> None:
            for line in lines or [self.case.say("report-changes-none")]:
                layout.addWidget(plain_label("", line, selectable=True))

        self._add_card(self.case.say("report-changes"), fill)

    def _add_card(self, title: str, fill: Callable[[QVBoxLayout], None]) -> None:
        """What the reader shall see without opening anything."""
        frame, layout = card()
        frame.setProperty("tone", "note")
        layout.addWidget(plain_label("cardTitle", title))
        fill(layout)
        self._layout.addWidget(frame)

    def _changed(self, compared: Changes) -> list[str]:
        from checks.knowledge.phrases import title_of

        return [
            self.case.say(f"report-changes-{kind}", title=title_of(finding, self.case.language))
            for kind in ("gone", "unsure", "new", "first", "stayed")
            for finding in getattr(compared, kind)
        ]

    # --- what is copied

    def _copy(self, text: str, button: QPushButton) -> None:
        QGuiApplication.clipboard().setText(text)
        usual, copied = button.text(), self.case.say("report-copied")

        def again() -> None:
            button.setMinimumWidth(0)
            if button.text() == copied:  # else the language was switched in the meantime
                button.setText(usual)

        if usual != copied:
            button.setMinimumWidth(button.width())  # the buttons beside it stay where they are
            button.setText(copied)
            QTimer.singleShot(_COPIED_FOR, button, again)

    def _preview(self) -> None:
        """Show what goes out, and take over what is changed there."""
        from wizard.pages.outgoing import OutgoingDialog

        def ask(hide: tuple[str, ...], keep: tuple[str, ...]) -> None:
            self.words.setText(", ".join(hide))
            self.values_to_keep = keep
            self.work.preview(hide, keep, lambda found: dialog.take(found) if isValid(dialog) else None)

        dialog = OutgoingDialog(self, self.words_to_hide or (), self.values_to_keep, ask)
        dialog.open()

    def _copy_markdown(self) -> None:
        self.work.copy("markdown", self.case.language, hide=self.words_to_hide, keep=self.values_to_keep)

    def _begin_reply(self) -> None:
        self.reply.begin(self.case.answers.text or _sent(self.case.case))

    def _ask_reply(self, language: str) -> None:
        self.work.copy("reply", language, hide=self.words_to_hide, keep=self.values_to_keep)

    def _rendered(self, what: str, text: str) -> None:
        kind, _, language = what.partition("-")
        if kind == "reply":
            self.reply.take(text, language)
        else:
            self._copy(text, self._markdown)


def _sent(case: Case | None) -> str:
    """What whoever asked has written."""
    return "\n".join(sent.text or "" for sent in case.facts.logs) if case is not None else ""

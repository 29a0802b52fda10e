"""Show the report: the verdict, the findings with their remedies, what is fine, what is not known, the facts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from checks.judgement.changes import Changes, changes
from checks.knowledge.catalogue import LANGUAGES
from wizard.case_model import CaseModel
from wizard.desktop import theme
from wizard.flow import computes
from wizard.jobs.background import Work
from wizard.pages.finding_view import FindingWidgets
from wizard.pages.fold import Fold
from wizard.pages.long_text import value_text
from wizard.pages.marked_text import fill_text
from wizard.pages.measured_view import MeasuredWidgets
from wizard.pages.models_view import ModelsView, fill_comparison
from wizard.pages.page import Page
from wizard.report.export import default_paper
from wizard.widgets.labels import card, plain_label
from wizard.widgets.wrap_layout import WrapLayout

if TYPE_CHECKING:
    from checks.facts.case import Case
    from wizard.report.content.measured.blocks import MeasuredSection
    from wizard.report.content.report import FindingView, OpenQuestion, Report

# State of a verdict or a finding -> (icon, colour); its word stands beside it.
_LOOKS = {
    "blocking": ("state-found", "blocking"),
    "warning": ("state-warning", "warning"),
    "note": ("state-note", "note"),
    "clear": ("state-fine", "fine"),
    "incomplete": ("state-open", "warning"),
    "nothing-run": ("state-skipped", "muted"),
}
PAPERS = {"a4": "A4", "letter": "Letter"}
_COPIED_FOR = 2000  # milliseconds that a copy button says so
_FEW = 8  # rows of a section of facts that is shown unfolded
_TOP = Qt.AlignmentFlag.AlignTop


class ReportPage(Page):
    """What was found."""

    name = "report"
    has_intro = False  # the verdict comes first
    save_asked = Signal()
    export_asked = Signal()
    again_asked = Signal()
    next_asked = Signal()  # another ticket is to be diagnosed

    def __init__(self, case: CaseModel, work: Work, parent: QWidget | None = None) -> None:
        super().__init__(case, work, parent)
        self._report: Report | None = None
        self._shown: tuple[object, ...] = ()
        self._folds: dict[str, Fold] = {}
        self._models: ModelsView | None = None
        self._top = QWidget()
        self._content = QWidget()
        self._layout = QVBoxLayout()  # the one that is being filled
        self.body.addWidget(self._top)
        self._add_buttons()
        self.body.addWidget(self._content)
        self.body.addStretch(1)
        case.changed.connect(self.refresh)
        self.refresh()

    def _add_buttons(self) -> None:
        self._export = QPushButton()
        self._save = QPushButton()
        self._markdown = QPushButton()
        self._again = QPushButton()
        self._replies = {language: QPushButton() for language in LANGUAGES}
        self._own = QPushButton()
        self._next = QPushButton()
        self.paper = QComboBox()
        for value, name in PAPERS.items():
            self.paper.addItem(name, value)
        self.paper.setCurrentIndex(self.paper.findData(default_paper()))
        self.redact = QCheckBox()
        self.redact.setChecked(True)
        self.bind(self.redact.setText, "report-redact")
        self.bind(self.redact.setToolTip, "report-redact-means")
        self.bind(self.redact.setAccessibleDescription, "report-redact-means")
        self.bind(self._export.setText, "report-export")
        self.bind(self._save.setText, "report-save")
        self.bind(self._markdown.setText, "report-markdown")
        self.bind(self._again.setText, "report-again")
        self.bind(self._again.setToolTip, "report-again-means")
        self.bind(self._again.setAccessibleDescription, "report-again-means")
        self.bind(self.paper.setAccessibleName, "report-paper")
        self.bind(self.paper.setToolTip, "report-paper")
        self.bind(self._own.setText, "report-own")
        self.bind(self._next.setText, "report-next-ticket")
        self._next.clicked.connect(self.next_asked)
        self._own.clicked.connect(self.case.show_own)
        self._export.clicked.connect(self.export_asked)
        self._save.clicked.connect(self.save_asked)
        self._markdown.clicked.connect(self._copy_markdown)
        self._again.clicked.connect(self.again_asked)
        for language, button in self._replies.items():
            self.bind(button.setText, f"report-reply-{language}")
            self.bind(button.setToolTip, "report-reply-means")
            self.bind(button.setAccessibleDescription, "report-reply-means")
            button.clicked.connect(functools.partial(self._copy_reply, language))
        self.work.rendered.connect(self._rendered)
        kept = (self._export, self.paper, self._save, self._markdown)
        self.body.addLayout(WrapLayout(*self._replies.values(), *kept, self._again, self._next, self._own))
        self.body.addWidget(self.redact)

    def refresh(self) -> None:
        """Build the report anew when the case or the language changed."""
        case = self.case.case
        is_ticket = case is not None and case.facts.reported
        for button in (self._export, self._save, self._markdown, self._again, *self._replies.values()):
            button.setEnabled(case is not None)  # also while busy: it would lose the focus
        for button in self._replies.values():
            button.setVisible(is_ticket)
        self._again.setVisible(self.case.opened is None and not is_ticket)
        self._next.setVisible(is_ticket)
        self._own.setVisible(self.case.own_case is not None)
        before, self._shown = self._shown, (case, self.case.opened, self.case.language)
        if case is None or (before and before[0] is case and before[1:] == self._shown[1:]):
            return
        from wizard.report.content.report import build

        is_new = not before or before[0] is not case
        self._report = build(case, self.case.language)
        if is_new:
            self._folds = {}  # what was unfolded in the report before says nothing about this one
        self._fill(self._report)
        if is_new:
            self.scroller.verticalScrollBar().setValue(0)

    def repaint_states(self) -> None:
        """Symbols are coloured: build the content anew."""
        if self._report is not None:
            self._fill(self._report)

    def first_focus(self) -> QWidget | None:
        """The table of models, the first finding, or else the export."""
        if self._models is not None and not self._models.table.isHidden():
            return self._models.table
        return next((fold.header for fold in self._folds.values()), self._export)

    # --- the content

    def _fill(self, report: Report) -> None:
        unfolded = {key: fold.header.isChecked() for key, fold in self._folds.items()}
        self._folds = {}
        self._top = self._anew(self._top)
        self._add_verdict(report)
        self._add_changes()
        self._add_questions(report)
        self._content = self._anew(self._content)
        self._add_models(report)
        self._add_texts(report)
        self._add_measured(report.asked, are_the_answer=True)
        if report.findings:
            self._heading(self.case.say("report-findings"))
            for index, finding in enumerate(report.shown):
                self._add_finding(index, finding, unfolded=index == 0 and not report.asked)  # else the answer is above
        self._add_advice(report)
        self._add_measured(report.measured)
        self._heading(self.case.say("report-rest" if report.findings else "report-all"))
        self._add_list("report-fine", report.fine, "state-fine", "fine")
        self._add_open("report-undecided", report.undecided, "state-open", "warning")
        self._add_not_run(report)
        self._add_open("report-crashed", report.crashed, "state-broken", "blocking")
        self._add_probes(report)
        self._add_meta(report)
        self._add_facts(report)
        for key, fold in self._folds.items():  # what the reader had open stays open in the other language
            fold.unfold(unfolded.get(key, fold.header.isChecked()))
            fold.toggled.connect(self.reshaped)
        self.reshaped.emit()

    def _anew(self, old: QWidget) -> QWidget:
        """An empty widget in the place of another one, and its layout to be filled."""
        fresh = QWidget()
        self._layout = QVBoxLayout(fresh)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(10)
        self.body.insertWidget(self.body.indexOf(old), fresh)
        self.body.removeWidget(old)
        old.hide()
        old.deleteLater()
        return fresh

    def _heading(self, text: str) -> None:
        self._layout.addSpacing(6)
        self._layout.addWidget(plain_label("heading", text))

    def _add_verdict(self, report: Report) -> None:
        icon, colour = _LOOKS[report.verdict.state]
        frame, layout = card()
        frame.setProperty("tone", colour)
        symbol = QLabel()
        symbol.setPixmap(self.picture(icon, colour, 40))
        symbol.setFixedSize(40, 40)
        texts = QVBoxLayout()
        texts.setSpacing(4)
        texts.addWidget(plain_label(f"tone-{colour}", report.verdict.word))
        texts.addWidget(plain_label("verdict", report.verdict.sentence, selectable=True))
        if report.verdict.scope:
            texts.addWidget(plain_label("muted", "\n".join(report.verdict.scope), selectable=True))
        opened = self._where_from(self.case.case) if self.case.case is not None and self.case.opened else ""
        for note in (opened, *report.notes, report.exactness):
            if note:
                texts.addWidget(value_text(note))
        line = QHBoxLayout()
        line.setSpacing(16)
        line.addWidget(symbol, 0, _TOP)
        line.addLayout(texts, 1)
        layout.addLayout(line)
        frame.setAccessibleName(report.verdict.word)
        frame.setAccessibleDescription(report.verdict.sentence)
        self._layout.addWidget(frame)

    def _where_from(self, case: Case) -> str:
        """Of what a report tells that was not made here."""
        if case.facts.name and case.facts.others:
            names = {"first": case.facts.name, "second": case.facts.others[0].name}
            return self.case.say("report-opened-two", **names)
        key = "report-opened-ticket" if case.facts.reported else "report-opened"
        return self.case.say(key, path=self.case.opened)

    def _add_questions(self, report: Report) -> None:
        if not report.questions:
            return
        frame, layout = card()
        frame.setProperty("tone", "note")
        layout.addWidget(plain_label("cardTitle", self.case.say("report-next-question")))
        for question in report.questions:
            layout.addWidget(plain_label("", f"•  {question}", selectable=True))
        self._layout.addWidget(frame)

    def _add_changes(self) -> None:
        before, now = self.case.case_before, self.case.case
        if before is None or now is None:
            return
        compared = changes(before, now)
        lines = [*self._changed(compared)]
        frame, layout = card()
        frame.setProperty("tone", "note")
        layout.addWidget(plain_label("cardTitle", self.case.say("report-changes")))
        for line in lines or [self.case.say("report-changes-none")]:
            layout.addWidget(plain_label("", line, selectable=True))
        self._layout.addWidget(frame)

    def _changed(self, compared: Changes) -> list[str]:
        from checks.knowledge.phrases import title_of

        return [
            self.case.say(f"report-changes-{kind}", title=title_of(each, self.case.language))
            for kind in ("gone", "unsure", "new", "first", "stayed")
            for each in getattr(compared, kind)
        ]

    def _fold(self, key: str, title: str, fill: Callable[[QVBoxLayout], None]) -> Fold:
        fold = Fold(title, fill, lambda name: self.picture(name, "muted", 16))
        self._folds[key] = fold
        self._layout.addWidget(fold)
        return fold

    def _add_finding(self, index: int, finding: FindingView, *, unfolded: bool) -> None:
        icon, colour = _LOOKS[finding.severity]
        widgets = FindingWidgets(self.case.say, self.case.language, self._copy)
        key = f"{finding.cause}/{index}"
        fold = self._fold(key, finding.title, lambda layout: widgets.fill(layout, finding))
        subtitle = self.case.say("report-weight", severity=finding.severity_word, confidence=finding.confidence_words)
        fold.setProperty("tone", colour)
        fold.set_symbol(self.picture(icon, colour, 22), subtitle)
        fold.unfold(unfolded)

    def _add_advice(self, report: Report) -> None:
        """The settings to paste, in a fold like a finding's; that nothing is needed is no fold."""
        advice = report.advice
        if advice is None:
            return
        self._heading(advice.title)
        widgets = FindingWidgets(self.case.say, self.case.language, self._copy)
        fold = self._fold("advice", advice.sentences[0], lambda layout: widgets.fill_advice(layout, advice))
        titles = self.case.say("list-separator").join(block.title for block in advice.blocks)
        look = ("state-note", "note") if advice.blocks else ("state-fine", "fine")
        fold.set_symbol(self.picture(*look, 22), titles)
        fold.unfold(bool(advice.blocks))

    def _add_measured(self, sections: tuple[MeasuredSection, ...], *, are_the_answer: bool = False) -> None:
        if not sections:
            return
        self._heading(self.case.say("report-measured"))
        arrow = functools.partial(self.picture, colour="muted", size=16)
        widgets = MeasuredWidgets(self.case.say, self._pictures(), arrow, self.reshaped.emit)
        asked = are_the_answer or (self.case.case is not None and computes(self.case.case.answers.symptom))
        for section in sections:
            fill = functools.partial(widgets.fill, section=section)
            fold = self._fold(f"measured/{section.id}", section.title, fill)
            fold.set_symbol(self.picture("state-note", "note", 22), next(iter(section.sentences), ""))
            fold.unfold(asked)

    def _pictures(self) -> dict[str, QPixmap]:
        """The symbol of each state of a row."""
        looks = {**_LOOKS, "open": _LOOKS["incomplete"], "absent": _LOOKS["nothing-run"]}
        return {state: self.picture(icon, colour, 16) for state, (icon, colour) in looks.items()}

    def _add_list(self, key: str, lines: tuple[str, ...], icon: str, colour: str) -> None:
        if lines:
            fold = self._fold(
                key,
                self.case.say(key, count=len(lines)),
                lambda layout: layout.addWidget(value_text("\n".join(f"•  {line}" for line in lines))),
            )
            fold.set_symbol(self.picture(icon, colour, 22), self.case.say(f"{key}-means"))

    def _add_open(self, key: str, questions: tuple[OpenQuestion, ...], icon: str, colour: str) -> None:
        lines = tuple(
            self.case.say("report-open-question", statement=question.statement, reason=question.reason)
            for question in questions
        )
        self._add_list(key, lines, icon, colour)

    def _add_not_run(self, report: Report) -> None:
        for applies, key in ((True, "report-not-run"), (False, "report-not-needed")):
            groups = [each for each in report.not_run if each.applies is applies]
            lines = tuple(
                self.case.say("report-open-question", statement=statement, reason=group.reason)
                for group in groups
                for statement in group.statements
            )
            self._add_list(key, lines, "state-skipped", "muted")

    def _add_meta(self, report: Report) -> None:
        fold = self._fold("report-about", self.case.say("report-about"), lambda layout: _fill_meta(layout, report))
        fold.set_symbol(self.picture("state-note", "note", 22), report.created)

    def _add_probes(self, report: Report) -> None:
        lines = tuple(
            self.case.say("list-separator").join(
                part for part in (probe.name, probe.status, probe.seconds, probe.detail) if part
            )
            for probe in report.probes
        )
        trouble = any(probe.is_trouble for probe in report.probes)
        self._add_list("report-probes", lines, *(("state-warning", "warning") if trouble else ("state-fine", "fine")))

    def _add_facts(self, report: Report) -> None:
        if report.facts:
            fold = self._fold(
                "report-facts", self.case.say("report-facts"), lambda layout: self._fill_facts(layout, report)
            )
            fold.set_symbol(self.picture("state-note", "note", 22), self.case.say("report-facts-means"))

    def _add_models(self, report: Report) -> None:
        """The table of the model files, and a page for each."""
        self._models = None
        if not report.models:
            return
        self._heading(self.case.say("report-models", count=len(report.models)))
        self._models = ModelsView(report.models, self.case.language, self._pictures())
        self._layout.addWidget(self._models)
        for index, comparison in enumerate(report.comparisons):
            title = self.case.say("report-compared", first=comparison.first, second=comparison.second)
            fill = functools.partial(fill_comparison, comparison=comparison, language=self.case.language)
            fold = self._fold(f"compared/{index}", title, fill)
            fold.set_symbol(self.picture("results-differ", "note", 22), comparison.sentence)
            fold.unfold()

    def _add_texts(self, report: Report) -> None:
        """The texts that were sent, the lines that prove the first finding marked."""
        from wizard.report.content.marked_lines import marked_lines

        for number, section in enumerate(report.facts):
            if not section.text:
                continue
            lines = marked_lines(report, section)
            mark = theme.colour("mark", self.palette())
            fill = functools.partial(fill_text, text=section.text, name=section.title, lines=lines, mark=mark)
            fold = self._fold(f"text/{number}", section.title, fill)
            means = self.case.say("report-marked-means" if lines else "report-text-means")
            fold.set_symbol(self.picture("state-note", "note", 22), means)
            fold.unfold(bool(lines) and self.case.case is not None and self.case.case.facts.reported)

    def _fill_facts(self, layout: QVBoxLayout, report: Report) -> None:
        search = QLineEdit()
        search.setClearButtonEnabled(True)
        search.setPlaceholderText(self.case.say("report-facts-filter"))
        search.setAccessibleName(self.case.say("report-facts-filter"))
        tree = QTreeWidget()
        tree.setColumnCount(2)
        tree.setHeaderLabels([self.case.say("report-facts-name"), self.case.say("report-facts-value")])
        tree.setAccessibleName(self.case.say("report-facts"))
        tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        tree.setMinimumHeight(360)
        tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        tree.setColumnWidth(0, 280)
        for section in report.facts:
            top = QTreeWidgetItem(tree, [section.title, ""])
            for row in section.rows:
                item = QTreeWidgetItem(top, [row.label, row.value])
                if row.is_unread:
                    font = item.font(1)
                    font.setItalic(True)
                    item.setFont(1, font)
            top.setExpanded(len(section.rows) <= _FEW)
        search.textChanged.connect(lambda wanted: filter_tree(tree, wanted))
        layout.addWidget(search)
        layout.addWidget(tree)

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

    def _copy_markdown(self) -> None:
        self.work.copy("markdown", self.case.language, redact=self.redact.isChecked())

    def _copy_reply(self, language: str) -> None:
        self.work.copy("reply", language, redact=self.redact.isChecked())

    def _rendered(self, what: str, text: str) -> None:
        kind, _, language = what.partition("-")
        self._copy(text, self._replies[language] if kind == "reply" else self._markdown)


def _fill_meta(layout: QVBoxLayout, report: Report) -> None:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    for index, (name, value) in enumerate(report.meta):
        grid.addWidget(plain_label("muted", name), index, 0, _TOP)
        grid.addWidget(value_text(value), index, 1, _TOP)
    grid.setColumnStretch(0, 1)
    grid.setColumnStretch(1, 3)
    layout.addLayout(grid)


def filter_tree(tree: QTreeWidget, wanted: str) -> None:
    """Show the rows that contain the words, and their sections; everything for no words."""
    wanted = wanted.strip().casefold()
    for section in children(tree.invisibleRootItem()):
        title_fits = wanted in section.text(0).casefold()
        any_fits = False
        for line in children(section):
            fits = title_fits or wanted in f"{line.text(0)} {line.text(1)}".casefold()
            line.setHidden(not fits)
            any_fits = any_fits or fits
        section.setHidden(not (title_fits or any_fits))
        if wanted:
            section.setExpanded(any_fits)


def children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    """The rows below a row."""
    rows = (item.child(index) for index in range(item.childCount()))
    return [row for row in rows if row is not None]

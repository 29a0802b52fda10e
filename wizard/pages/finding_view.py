"""The inside of one finding: why, what it means, the evidence, and the remedies with something to copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QPushButton, QVBoxLayout

from wizard.pages.long_text import LongText, value_text
from wizard.report.content.step_labels import step_label, step_numbers
from wizard.widgets.labels import plain_label

if TYPE_CHECKING:
    from checks.remedies.plan import RemedyPlan
    from wizard.report.content.advice import AdviceView
    from wizard.report.content.report import EvidenceRow, FindingView

Say = Callable[..., str]


class FindingWidgets:
    """Fills the layout of a finding, or of the advice on settings.

    ``copy`` takes a text to the clipboard and tells the button's own feedback.
    """

    def __init__(self, say: Say, language: str, copy: Callable[[str, QPushButton], None]) -> None:
        self._say = say
        self._language = language
        self._copy = copy

    def fill(self, layout: QVBoxLayout, finding: FindingView) -> None:
        """Everything about one finding."""
        layout.addWidget(value_text(finding.why))
        if finding.explanation:
            layout.addWidget(plain_label("muted", finding.explanation, selectable=True))
        for index, remedy in enumerate(finding.remedies):
            heading = "report-remedy" if index == 0 else "report-remedy-else"
            layout.addWidget(plain_label("heading", self._say(heading, title=remedy.title)))
            self._remedy(layout, remedy)
        if not finding.remedies and not finding.is_hint:
            layout.addWidget(plain_label("muted", self._say("report-no-remedy")))
        if finding.questions:
            layout.addWidget(plain_label("heading", self._say("report-questions")))
            for question in finding.questions:
                layout.addWidget(plain_label("", f"•  {question}", selectable=True))
        if finding.evidence:
            layout.addWidget(plain_label("heading", self._say("report-evidence")))
            layout.addLayout(self._evidence(finding.evidence))
        if finding.sources:
            layout.addWidget(plain_label("heading", self._say("report-sources")))
            layout.addWidget(value_text("\n".join(finding.sources), "small"))

    def fill_advice(self, layout: QVBoxLayout, advice: AdviceView) -> None:
        """The settings to paste; the first sentence stands in the head of the fold."""
        for sentence in advice.sentences[1:]:
            layout.addWidget(value_text(sentence))
        for block in advice.blocks:
            layout.addWidget(plain_label("heading", block.title))
            layout.addLayout(self._code(block.code.rstrip()))
            for note in block.notes:
                layout.addWidget(value_text(f"•  {note}", "muted"))

    def _remedy(self, layout: QVBoxLayout, remedy: RemedyPlan) -> None:
        if remedy.risk:
            layout.addWidget(plain_label("", self._say("report-risk", risk=remedy.risk), selectable=True))
        for number, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
            labels = step_label(step, self._language)
            text = step.text or self._say(f"report-step-{step.kind}")
            if labels:
                text = self._say("report-step-for", step=text, labels=labels)
            layout.addWidget(value_text(f"{number} {text}".lstrip()))
            if step.code:
                layout.addLayout(self._code(step.code))
        layout.addWidget(plain_label("", self._say("report-verify", expect=remedy.verify.expect), selectable=True))
        if remedy.verify.code:
            layout.addLayout(self._code(remedy.verify.code))

    def _code(self, code: str) -> QLayout:
        text = LongText(code, "code", self._say("report-code"))
        text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        button = QPushButton(self._say("report-copy"))
        button.setAccessibleName(self._say("report-copy-code", code=code))
        button.clicked.connect(lambda: self._copy(code, button))
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(text, 1)
        line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return line

    def _evidence(self, rows: tuple[EvidenceRow, ...]) -> QLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        for index, each in enumerate(rows):
            where = "\n".join(part for part in (each.origin, each.source) if part)
            grid.addWidget(plain_label("muted", each.label), index, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value_text(each.value), index, 1, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value_text(where, "small"), index, 2, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 2)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 4)
        return grid

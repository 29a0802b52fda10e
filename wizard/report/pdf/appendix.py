"""The appendix of the PDF: everything that is looked up rather than read, set small and in two columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtGui import QPagedPaintDevice

from checks.remedies.plan import RemedyPlan
from wizard.report.content.fact_sheet import FactRow
from wizard.report.content.marked_lines import marked_lines
from wizard.report.content.report import FindingView, NotRun, ProbeRow, Report
from wizard.report.content.step_labels import is_address, step_label, step_numbers, step_text
from wizard.report.pdf.columns import Columns
from wizard.report.pdf.facts import FactParts
from wizard.report.pdf.file import ATTACHMENT
from wizard.report.pdf.findings import FindingParts
from wizard.report.pdf.parts import COLORS, LINK, Parts, short
from wizard.report.pdf.typeset import INK, SOFT, Block, Code, Paragraph, Run, Style, Table, visible, visible_lines
from wizard.words import words

_SIZE, _LEADING = 7.0, 1.26
_BESIDE, _SHORT = 34, 8  # characters of a label and of a value that stand beside each other; of one beside a long label

_TOGETHER = 3  # reasons in a line


class Appendix(Parts):
    """What stands behind everything else. ``findings``: they know which remedies were only named so far."""

    def __init__(self, device: QPagedPaintDevice, language: str, findings: FindingParts) -> None:
        super().__init__(device, language)
        self._findings = findings

    def blocks(self, report: Report) -> Iterator[Block]:
        """All of it: in columns, and what needs the whole width behind them."""
        yield self.heading("appendix")
        yield Columns(list(self._small(report)))
        for section in report.facts:
            if section.text:
                yield self.heading_of(section.title, level=1)
                yield from FactParts(self.device, self.language).log(section.text, marked_lines(report, section))

    def _small(self, report: Report) -> Iterator[Block]:
        for remedy in self._findings.left():
            yield from self._remedy(remedy)
        for finding in report.shown:
            yield from self._proof(finding, report.questions)
        if report.fine:
            yield self._title(self.said("heading-fine"))
            yield from (self._item(each, "✓", COLORS["clear"][0]) for each in report.fine)
        for applies, key, blocks in ((True, "not-run", self._not_run), (False, "no-need", self._no_need)):
            groups = [each for each in report.not_run if each.applies is applies]
            if groups:
                yield self._title(self.said(f"heading-{key}"))
                yield from blocks(groups)
        if report.probes:
            yield self._title(self.said("heading-probes"))
            yield from map(self._probe, report.probes)
        yield self._title(self.said("heading-facts"))
        for section in report.facts:
            if section.rows or not section.text:
                yield self._label(section.title)
                yield from map(self._line, _by_value(section.rows) if section.are_settings else section.rows)
        yield self._title(self.said("heading-about"))
        yield from (self._line(FactRow(label, value)) for label, value in report.meta)
        attached = words("report.attachment", self.language, name=ATTACHMENT)
        yield Paragraph([Run(attached, self._style(SOFT))], self.device, before=3)

    # --- the parts of a column

    def _style(self, color: str = INK, *, bold: bool = False) -> Style:
        return Style(size=_SIZE, leading=_LEADING, color=color, bold=bold)

    def _title(self, text: str) -> Paragraph:
        run = Run(visible(text), Style(size=9, bold=True, leading=1.3))
        return Paragraph([run], self.device, before=6, after=1.5, keep_with_next=True, anchor=(1, visible(text)))

    def _label(self, text: str) -> Paragraph:
        run = Run(short(text), self._style(bold=True))
        return Paragraph([run], self.device, before=3, after=0.5, keep_with_next=True)

    def _item(self, text: str, mark: str, color: str, *, keep: bool = False) -> Block:
        sign, run = Run(mark, self._style(color, bold=True)), Run(visible(text), self._style())
        return Paragraph([run], self.device, indent=11, mark=sign, after=1, keep_with_next=keep)

    def _line(self, row: FactRow) -> Block:
        """Label and value beside each other; a long one below the other."""
        label = [Run(short(row.label), self._style(SOFT))]
        value = [Run(short(row.value.replace("\n", " ; ")), self._style(SOFT if row.is_unread else INK))]
        shares = (44, 56) if len(row.label) <= _BESIDE else (82, 18)
        if len(row.value) <= (_BESIDE if len(row.label) <= _BESIDE else _SHORT):
            return Table([[label, value]], shares, self.device, padding=0.8, after=0)
        return Table([[label]], (1,), self.device, below=[[value]], padding=0.8, after=0)

    # --- what stands there

    def _remedy(self, remedy: RemedyPlan) -> Iterator[Block]:
        """Another way, which was only named with its finding."""
        yield self._title(f"{self.said('heading-remedy-other')}: {remedy.title}")
        if remedy.risk:
            yield self._item(f"{self.said('heading-risk')}: {remedy.risk}", "!", COLORS["warning"][0])
        for number, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
            text = " ".join(filter(None, (step_label(step, self.language), step_text(step, self.language))))
            if text:
                yield self._item(text, number, INK, keep=bool(step.code))
            if step.code:
                yield Code(visible_lines(step.code), self.device, indent=11, after=3)
        verify = words("report.verify", self.language, expect=remedy.verify.expect)
        yield self._item(verify, "✓", COLORS["clear"][0], keep=bool(remedy.verify.code))
        if remedy.verify.code:
            yield Code(visible_lines(remedy.verify.code), self.device, indent=11, after=3)

    def _proof(self, finding: FindingView, asked: Sequence[str]) -> Iterator[Block]:
        """The values that show a finding, what else to ask next, and where it is written."""
        if not finding.evidence:
            return
        yield self._title(words("report.evidence-of", self.language, title=finding.title))
        origins = list(dict.fromkeys(each.origin for each in finding.evidence if each.origin))
        values: dict[str, list[str]] = {}
        for each in finding.evidence:  # where they were read is said once, if it was one place
            read = f" ({each.origin})" if each.origin and len(origins) > 1 else ""
            values.setdefault(each.label, []).append(f"{each.value}{read}")
        for label, read_there in values.items():
            yield self._line(FactRow(label, "\n".join(read_there)))
        if len(origins) == 1:
            yield self._line(FactRow(self.said("column-origin"), origins[0], is_unread=True))
        questions = [question for question in finding.questions if question not in asked]
        if questions:
            yield self._label(self.said("heading-questions"))
            yield from (self._item(question, "?", SOFT) for question in questions)
        for source in dict.fromkeys((*finding.sources, *(each.source for each in finding.evidence if each.source))):
            run = Run(short(source), self._style(LINK), link=source if is_address(source) else "")
            yield Paragraph([run], self.device, after=1)

    def _not_run(self, groups: Sequence[NotRun]) -> Iterator[Block]:
        """What was left open, by reason."""
        intro = Run(self.said("intro-not-run"), self._style())
        yield Paragraph([intro], self.device, after=2, keep_with_next=True)
        for group in groups:
            yield self._label(group.reason)
            yield from (self._item(statement, "–", SOFT) for statement in group.statements)

    def _no_need(self, groups: Sequence[NotRun]) -> Iterator[Block]:
        """Of what there is nothing to check, and how many checks that saved; the attached case names each."""
        said = [
            words("report.no-need", self.language, reason=group.reason, count=len(group.statements)) for group in groups
        ]
        for first in range(0, len(said), _TOGETHER):
            listed = " · ".join(said[first : first + _TOGETHER])
            yield Paragraph([Run(visible(listed), self._style(SOFT))], self.device, after=1)

    def _probe(self, row: ProbeRow) -> Block:
        slow = f"{row.seconds} ({self.said('probe-slow')})" if row.is_slow else row.seconds
        mark = "× " if row.is_trouble else ""
        parts = filter(None, (mark + row.status, slow, row.detail))
        return self._line(FactRow(row.name, words("report.list-separator", self.language).join(parts)))


def _by_value(rows: Sequence[FactRow]) -> Iterator[FactRow]:
    """A row for each value, with all that have it."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row.value, []).append(row.label)
    yield from (FactRow(value, ", ".join(labels)) for value, labels in names.items())

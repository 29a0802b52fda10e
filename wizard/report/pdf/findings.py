"""The findings on the pages of the PDF: what is wrong, what to do, how to see that it worked."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QPagedPaintDevice

from checks.remedies.plan import PlannedStep, RemedyPlan
from wizard.report.content.report import FindingView
from wizard.report.content.step_labels import step_label, step_numbers, step_text
from wizard.report.pdf.parts import COLORS, Parts, sign
from wizard.report.pdf.typeset import (
    SOFT,
    Block,
    Code,
    Drawn,
    Paragraph,
    Run,
    SetText,
    Sheet,
    Style,
    visible,
    visible_lines,
)
from wizard.words import words

_LINES = 3  # quoted lines of a text that was sent


class FindingParts(Parts):
    """Finding by finding. A remedy that was described already is named, and not described again."""

    def __init__(self, device: QPagedPaintDevice, language: str) -> None:
        super().__init__(device, language)
        self._described: list[RemedyPlan] = []
        self._behind: list[RemedyPlan] = []  # second ways to do something about what is no fault

    def finding(self, finding: FindingView) -> Iterator[Block]:
        """What is wrong and what to do. What shows it is in the appendix, but for lines of a text."""
        color, tint = COLORS[finding.severity]
        yield self._finding_head(finding, color, tint)
        yield self.paragraph(finding.why, Style(size=9.5), keep=True)
        if finding.quoted:
            yield Code([line for each in finding.quoted[:_LINES] for line in visible_lines(each)], self.device)
        yield self.paragraph(finding.explanation)
        for number, remedy in enumerate(finding.remedies):
            heading = "remedy-other" if number else "remedy"
            if remedy in self._described:
                yield self._named(remedy, heading, "remedy-above")
            elif number and is_normal(finding):
                self._behind.append(remedy)
                yield self._named(remedy, heading, "remedy-behind")
            else:
                yield from self._remedy(remedy, heading)
        if not finding.remedies and not finding.is_hint:
            yield self.paragraph(self.said("no-remedy"), Style(bold=True))

    def left(self) -> Iterator[RemedyPlan]:
        """Those that were only named so far."""
        yield from dict.fromkeys(each for each in self._behind if each not in self._described)

    def _named(self, remedy: RemedyPlan, heading: str, where: str) -> Block:
        """A remedy that is described elsewhere."""
        said = Run(f"  {self.said(where)}", Style(size=8.5, color=SOFT))
        return Paragraph([*self._titled(remedy, heading), said], self.device, before=4, after=4)

    def _titled(self, remedy: RemedyPlan, heading: str) -> list[Run]:
        return [
            Run(f"{self.said(f'heading-{heading}')}  ", Style(size=9, bold=True, color=COLORS["clear"][0])),
            Run(visible(remedy.title), Style(size=10, bold=True)),
        ]

    def _finding_head(self, finding: FindingView, color: str, tint: str) -> Block:
        """A badge with the severity in words and how sure that is, the title below."""
        title = Style(size=12, bold=True, leading=1.35)
        sure = Run(f"{self.said('confidence-label')}: {finding.confidence_words}", Style(size=8, color=SOFT))
        badge = SetText([Run(finding.severity_word, Style(size=8.5, bold=True, color=color))], 200, self.device)
        wide = badge.natural_width + 26

        def text(width: float) -> SetText:
            return SetText([Run(visible(finding.title), title)], width, self.device)

        def height(width: float) -> float:
            return 19 + text(width).height

        def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
            sheet.fill(x, y, wide, 16, tint, radius=8)
            sign(sheet, self.device, finding.severity, finding.symbol, x + 3.5, y + 3, 10)
            badge.draw(sheet, x + 17, y + (16 - badge.height) / 2)
            beside = SetText([sure], width - wide - 8, self.device)
            beside.draw(sheet, x + wide + 8, y + (16 - beside.height) / 2)
            text(width).draw(sheet, x, y + 19)

        return Drawn(height, paint, before=12, after=3, keep_with_next=True, anchor=(1, visible(finding.title)))

    def _remedy(self, remedy: RemedyPlan, heading: str) -> Iterator[Block]:
        self._described.append(remedy)
        color = COLORS["clear"][0]
        yield Paragraph(self._titled(remedy, heading), self.device, before=6, after=3, keep_with_next=True)
        if remedy.risk:
            runs = [Run(f"{self.said('heading-risk')}: ", Style(bold=True)), Run(visible(remedy.risk))]
            mark = Run("!", Style(bold=True, color=COLORS["warning"][0]))
            yield Paragraph(runs, self.device, indent=15, mark=mark, keep_with_next=True)
        for number, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
            yield from self._step(step, number)
        text = words("report.verify", self.language, expect=remedy.verify.expect)
        has_code = bool(remedy.verify.code)
        mark = Run("✓", Style(bold=True, color=color))
        yield Paragraph(
            [Run(visible(text))],
            self.device,
            indent=15,
            mark=mark,
            keep_with_next=has_code,
            after=3 if has_code else 8,
        )
        if has_code:
            yield Code(visible_lines(remedy.verify.code), self.device, indent=15, after=8)

    def _step(self, step: PlannedStep, number: str) -> Iterator[Block]:
        where = step_label(step, self.language)
        runs = [Run(f"{where}  ", Style(bold=True, color=SOFT))] if where else []
        text = step_text(step, self.language)
        runs += [Run(visible(text))] if text else []
        mark = Run(number, Style(bold=True)) if number else None
        if runs or (mark and not step.code):
            yield Paragraph(runs, self.device, indent=15, mark=mark, keep_with_next=bool(step.code), after=3)
        if step.code:
            yield Code(visible_lines(step.code), self.device, indent=15, mark=None if runs else mark)


def is_normal(finding: FindingView) -> bool:
    """Whether it tells of something that is no fault, so that one way to do something about it is enough to read."""
    return finding.severity == "note"

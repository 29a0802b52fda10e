"""The blocks of a report set in type, over the whole width of a page."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from PySide6.QtGui import QPagedPaintDevice

from wizard.report.content import blocks as b
from wizard.report.content.measured.line import left_out_line
from wizard.report.content.remedies.step_labels import is_address
from wizard.report.pdf.columns import Columns
from wizard.report.pdf.fitted_table import fitted
from wizard.report.pdf.plot import PlotBlock
from wizard.report.pdf.sent_text import text_blocks
from wizard.report.pdf.signs import COLORS, color_of, sign
from wizard.report.pdf.structure import Part
from wizard.report.pdf.text import INK, SOFT, Run, SetText, Sheet, Style, set_text, visible, visible_lines
from wizard.report.pdf.typeset import Block, Cell, Code, Drawn, Paragraph, Table
from wizard.words import words

LINK = "#0b57a4"
FILE_PAGES = 40  # files of which everything is printed; all of them are in the attached case
_CELL_LIMIT = 600  # characters of one value that are printed
_MANY = 6  # columns, from which on they are set in smaller type
_PAIRED = 4  # so many short facts at least stand in two pairs beside each other
_LONG_LABEL = 34  # characters; a section with a longer one gives the labels the larger part


class Setter:
    """Sets blocks in reading size.

    What is set apart is collected: ``pages`` of their own, and what is ``looked_up`` in the appendix.
    """

    plain = Style()
    lead = Style(size=9.5)
    soft = Style(size=8.5, color=SOFT)
    indent = 15.0
    item_after, code_after = 1.5, 5.0

    def __init__(self, device: QPagedPaintDevice, language: str) -> None:
        self.device = device
        self.language = language
        self.pages: list[b.Section] = []
        self.looked_up: list[b.Section] = []

    def sections(self, blocks: Iterable[b.Block], level: int = 0) -> Iterator[Block]:
        """The blocks below each other. ``level``: of the headings among them; plots stand beside each other."""
        for kind, group in itertools.groupby(blocks, _kind):
            if kind is b.Plot:
                yield from self._plots([block for block in group if isinstance(block, b.Plot)])
            elif kind is b.Step:
                steps = Part("L")
                for block in group:
                    yield from self._step(block, steps) if isinstance(block, b.Step) else ()
            else:
                for block in group:
                    yield from self._set(block, level)

    def _set(self, block: b.Block, level: int) -> Iterator[Block]:  # noqa: C901 - one case for each kind of block
        match block:
            case b.Section():
                yield from self.section(block, level) if b.in_whole(block) else ()
            case b.Paragraph(text, look):
                yield self._paragraph(text, look)
            case b.Items(items, mark, state):
                entries = Part("L")
                yield from (self.item(item.text, mark, color_of(state), item.detail, entries) for item in items)
            case b.Quote(lines):
                yield self.code("\n".join(lines), after=self.code_after)
            case b.Code(text):
                yield self.code(text, after=8, is_pasted=True)
            case b.Risk(label, text):
                runs = [Run(f"{label}: ", replace(self.plain, bold=True)), Run(visible(text), self.plain)]
                yield self._marked(runs, "!", color_of("warning"), keep=True)
            case b.Table():
                yield from self._table(block)
            case b.Plot():
                yield PlotBlock(block, self.device, self.language)
            case b.Pairs():
                yield from self.pairs(block)
            case b.FactSheet(sections):
                for title, pairs in sections:
                    yield self.heading(title, level + 1)
                    yield from self.pairs(pairs)
            case b.Sources(_, sources):
                for source in sources:
                    link = Run(self.short(source), replace(self.soft, color=LINK), source if is_address(source) else "")
                    yield Paragraph([link], self.device, after=1)
            case b.SentText(_, text, marked, means):
                yield from text_blocks(text, marked, means, self.device, self.language)
            case b.Files():
                yield from self._files(block)

    # --- sections

    def section(self, section: b.Section, level: int) -> Iterator[Block]:
        """A section where it belongs, or what refers to where it is described."""
        if section.place is b.Place.PAGE:
            self.pages.append(section)
        elif section.place is b.Place.APPENDIX:
            self.looked_up.append(section)
        if section.elsewhere:
            remark = Run(f"  {section.elsewhere}", self.soft)
            yield Paragraph([*self._titled(section), remark], self.device, before=4, after=4, part=Part("H4"))
        if section.elsewhere or section.place is not b.Place.INLINE:
            return
        inner = list(self.sections(section.blocks, level + 1 if section.title else level))
        if section.title and (inner or section.note):
            yield self._head(section, level)
        if section.note:
            yield self.paragraph(section.note, keep=bool(inner))
        yield from inner

    def _head(self, section: b.Section, level: int) -> Block:
        if section.label:
            return Paragraph(
                self._titled(section), self.device, before=6, after=3, keep_with_next=True, part=Part("H4")
            )
        if section.badge is not None and section.badge.note:
            return self._badged(section.title, section.badge)
        return self.heading(section.title, level)

    def _titled(self, section: b.Section) -> list[Run]:
        return [
            Run(f"{section.label}  ", Style(size=9, bold=True, color=COLORS["clear"][0])),
            Run(visible(section.title), Style(size=10, bold=True)),
        ]

    def heading(self, title: str, level: int) -> Paragraph:
        """A heading that is also an entry of the outline."""
        level = min(level, 1)
        size, before, after = ((13.0, 13.0, 5.0), (10.5, 8.0, 3.0))[level]
        style = Style(size=size, bold=True, leading=1.35)
        shown = visible(title)
        return Paragraph(
            [Run(shown, style)],
            self.device,
            before=before,
            after=after,
            keep_with_next=True,
            anchor=(level, shown),
            part=Part(f"H{level + 2}"),
        )

    def _badged(self, title: str, badge: b.Badge) -> Block:
        color, tint = COLORS[badge.state]
        style = Style(size=12, bold=True, leading=1.35)
        word = set_text([Run(badge.word, Style(size=8.5, bold=True, color=color))], 200, self.device)
        wide = word.natural_width + 26

        def text(width: float) -> SetText:
            return set_text([Run(visible(title), style)], width, self.device)

        def height(width: float) -> float:
            return 19 + text(width).height

        def paint(sheet: Sheet, x: float, y: float, width: float) -> None:
            heading = Part("H3")
            sheet.structure.join(heading)  # it is read before what stands above it
            sheet.fill(x, y, wide, 16, tint, radius=8)
            sign(sheet, self.device, badge.state, badge.symbol, x + 3.5, y + 3, 10)
            with sheet.inside(Part("P")):
                word.draw(sheet, x + 17, y + (16 - word.height) / 2)
            with sheet.inside(Part("P")):
                beside = set_text([Run(badge.note, Style(size=8, color=SOFT))], width - wide - 8, self.device)
                beside.draw(sheet, x + wide + 8, y + (16 - beside.height) / 2)
            with sheet.inside(heading):
                text(width).draw(sheet, x, y + 19)

        return Drawn(height, paint, before=12, after=3, keep_with_next=True, anchor=(1, visible(title)))

    # --- text

    def paragraph(
        self,
        text: str,
        style: Style | None = None,
        *,
        mark: str = "",
        indent: float = 0,
        keep: bool = False,
        after: float = 3,
        entries: Part | None = None,
    ) -> Paragraph:
        """Text in one style. ``entries``: the list that it is an entry of."""
        style = style or self.plain
        sign_before = Run(mark, replace(style, bold=True)) if mark else None
        return Paragraph(
            [Run(visible(text), style)],
            self.device,
            indent,
            sign_before,
            after=after,
            keep_with_next=keep,
            part=_entry(entries),
        )

    def _paragraph(self, text: str, look: b.Look) -> Paragraph:
        match look:
            case b.Look.LEAD:
                return self.paragraph(text, self.lead, keep=True)
            case b.Look.STRONG:
                return self.paragraph(text, replace(self.plain, bold=True))
            case b.Look.PLAIN:
                return self.paragraph(text)

    def item(self, text: str, mark: str, color: str, detail: str, entries: Part) -> Paragraph:
        """A line of a list behind its mark."""
        runs = [Run(visible(text), self.plain)]
        if detail:
            runs.append(Run(f"  {visible(detail)[:_CELL_LIMIT]}", self.soft))
        return self._marked(runs, mark, color, after=self.item_after, part=_entry(entries))

    def _marked(
        self,
        runs: Sequence[Run],
        mark: str,
        color: str,
        *,
        keep: bool = False,
        after: float = 4,
        part: Part | None = None,
    ) -> Paragraph:
        before = Run(mark, replace(self.plain, bold=True, color=color)) if mark else None
        return Paragraph(
            runs, self.device, self.indent, before, after=after, keep_with_next=keep, part=part or Part("P")
        )

    def code(
        self,
        text: str,
        *,
        after: float,
        indent: float = 0,
        mark: Run | None = None,
        is_pasted: bool = False,
        part: Part | None = None,
    ) -> Code:
        """Text to paste, or lines that were sent."""
        lines = visible_lines(text)
        return Code(
            lines, self.device, indent=indent, after=after, mark=mark, is_pasted=is_pasted, part=part or Part("P")
        )

    def _step(self, step: b.Step, steps: Part) -> Iterator[Block]:
        """A sentence with its number or sign, then the code; code alone has the number beside it."""
        part = _entry(steps)
        is_last = step.state == "clear"
        runs = [Run(f"{step.label}  ", replace(self.plain, bold=True, color=SOFT))] if step.label else []
        runs += [Run(visible(step.text), self.plain)] if step.text else []
        if runs or (step.mark and not step.code):
            after = 8 if is_last and not step.code else 3
            yield self._marked(
                runs, step.mark, color_of(step.state), keep=step.code is not None, after=after, part=part
            )
        if step.code:
            mark = Run(step.mark, replace(self.plain, bold=True)) if step.mark and not runs else None
            below = 8 if is_last else self.code_after
            yield self.code(step.code.text, after=below, indent=self.indent, mark=mark, is_pasted=True, part=part)

    def short(self, text: str) -> str:
        """A value on one line, the beginning of one without end."""
        shown = visible(text)
        return shown if len(shown) <= _CELL_LIMIT else f"{shown[:_CELL_LIMIT]} …"

    # --- tables and plots

    def _plots(self, plots: Sequence[b.Plot]) -> Iterator[Block]:
        """Lines and bars over the whole width; points, which are many of one kind, two beside each other."""
        points = [PlotBlock(plot, self.device, self.language) for plot in plots if plot.kind == "points"]
        for first in range(0, len(points), 2):
            yield Columns(points[first : first + 2], floats=True) if first + 1 < len(points) else points[first]
        yield from (PlotBlock(plot, self.device, self.language) for plot in plots if plot.kind != "points")

    def _table(self, table: b.Table) -> Iterator[Block]:
        above = visible(table.title)
        in_brief, table = table.in_brief, b.in_full(table)
        whole = Part("Table")
        if above:
            head = [Run(above, Style(size=9.5, bold=True))]
            part = Part("Caption", whole) if table.printed else Part("P")
            yield Paragraph(head, self.device, before=4, after=2, keep_with_next=True, part=part)
        signs = 1 if table.has_states else 0
        size = 8.0 if len(table.columns) <= _MANY else 7.2
        head_style = Style(size=size - 0.4, bold=True, color=SOFT)
        heads: list[Cell] = [[Run("", head_style)]] * signs
        heads += [[Run(visible(column), head_style)] for column in table.columns]
        rows: list[list[Cell]] = []
        for row in table.printed:
            symbol = Run(b.SYMBOLS[row.state], Style(size=size, bold=True, color=color_of(row.state)))
            style = Style(size=size, color=SOFT if row.state == "absent" else INK)
            rows.append([*[[symbol]] * signs, *([Run(self.short(cell), style)] for cell in row.cells)])
        if rows:
            numeric = tuple(column + signs for column in table.numeric)
            after = 3 if table.note or table.left_out or in_brief else 8
            yield fitted(heads, rows, self.device, numeric=numeric, after=after, part=whole)
        brief = Style(size=7.5, leading=1.35)
        for group, rows_there in in_brief.items():
            title = Run(f"{visible(group)}:  ", replace(brief, bold=True))
            yield Paragraph([title, Run(visible(" · ".join(rows_there)), brief)], self.device, after=4, follows=True)
        for line in (left_out_line(table, self.language), table.note):
            if line:
                yield Paragraph([Run(visible(line), Style(size=8, color=SOFT))], self.device, after=6, follows=True)

    def _files(self, files: b.Files) -> Iterator[Block]:
        yield from self._table(files.table)
        yield from (self.paragraph(note, self.soft) for note in files.notes)
        yield from self.sections(files.pages[:FILE_PAGES], level=1)
        left_out = len(files.pages) - FILE_PAGES
        if left_out > 0:
            yield self.paragraph(words("models.left-out", self.language, count=left_out), self.soft)

    def pairs(self, pairs: b.Pairs) -> Iterator[Block]:
        """Labels with values: short ones in two pairs beside each other, then those that need the whole width."""
        rows = pairs.rows
        if any(len(row.label) > _LONG_LABEL for row in rows):
            yield Table([self._pair(row) for row in rows], (58, 42), self.device)
            return
        paired = [row for row in rows if len(row.label) <= 26 and len(row.value) <= 18]
        if len(paired) < _PAIRED:
            paired = []
        alone = [row for row in rows if row not in paired]
        if paired:
            yield self._beside(paired, after=0 if alone else 8)
        if alone:
            yield Table([self._pair(row) for row in alone], (28, 72), self.device)

    def _beside(self, rows: list[b.FactRow], after: float) -> Block:
        cells = [self._pair(row) for row in rows]
        half = (len(cells) + 1) // 2
        empty: list[Cell] = [[Run("")], [Run("")]]
        right = cells[half:] + [empty] * (2 * half - len(cells))
        lines = [[*one, *other] for one, other in zip(cells[:half], right, strict=True)]
        return Table(lines, (28, 23, 26, 23), self.device, after=after)

    def _pair(self, row: b.FactRow) -> list[Cell]:
        style = replace(self.soft, color=SOFT if row.is_unread else INK)
        return [[Run(visible(row.label), self.soft)], [Run(self.short(row.value.replace("\n", " ; ")), style)]]


def _kind(block: b.Block) -> type | None:
    """What is set together with others of its kind."""
    return type(block) if isinstance(block, (b.Plot, b.Step)) else None


def _entry(entries: Part | None) -> Part:
    """An entry of a list; a paragraph where there is no list."""
    return Part("P") if entries is None else Part("LI", entries)

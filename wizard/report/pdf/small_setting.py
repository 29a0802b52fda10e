"""The blocks of a report set small, for the two columns of the appendix: what is looked up rather than read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wizard.report.content import blocks as b
from wizard.report.pdf.setting import Setter
from wizard.report.pdf.structure import Part
from wizard.report.pdf.text import SOFT, Run, Style, visible
from wizard.report.pdf.typeset import Block, Paragraph, Table

_SIZE, _LEADING = 7.0, 1.26
_BESIDE, _SHORT = 34, 8  # characters of a label and of a value that stand beside each other; of one beside a long label


class SmallSetter(Setter):
    """Sets blocks in the columns of the appendix."""

    plain = lead = Style(size=_SIZE, leading=_LEADING)
    soft = Style(size=_SIZE, leading=_LEADING, color=SOFT)
    indent, item_after, code_after = 11.0, 1.0, 3.0

    def appendix(self, sections: Sequence[b.Section]) -> Iterator[Block]:
        """The sections that were set apart, each under its own title."""
        for section in sections:
            yield self.heading(section.title_apart or section.title, 1)
            if section.note:
                yield self.paragraph(section.note, after=2, keep=True)
            yield from self.sections(section.blocks, level=1)

    def section(self, section: b.Section, level: int) -> Iterator[Block]:
        """A small label, and what belongs to it."""
        if section.title:
            yield self._label(section.title)
        yield from self.sections(section.blocks, level)

    def heading(self, title: str, level: int) -> Paragraph:
        """A heading in a column; those of facts are labels."""
        if level > 1:
            return self._label(title)
        run = Run(visible(title), Style(size=9, bold=True, leading=1.3))
        return Paragraph(
            [run],
            self.device,
            before=6,
            after=1.5,
            keep_with_next=True,
            anchor=(1, visible(title)),
            part=Part("H3"),
        )

    def _label(self, text: str) -> Paragraph:
        run = Run(self.short(text), Style(size=_SIZE, leading=_LEADING, bold=True))
        return Paragraph([run], self.device, before=3, after=0.5, keep_with_next=True, part=Part("H4"))

    def pairs(self, pairs: b.Pairs) -> Iterator[Block]:
        """A line for each label; where the values were read is named once, if it was one place."""
        listed = Part("L")
        origins = list(dict.fromkeys(row.origin for row in pairs.rows if row.origin))
        if pairs.are_settings:
            yield from (self._line(row, listed) for row in _by_value(pairs.rows))
        elif origins:
            values: dict[str, list[str]] = {}
            for row in pairs.rows:
                read = f" ({row.origin})" if row.origin and len(origins) > 1 else ""
                values.setdefault(row.label, []).append(f"{row.value}{read}")
            yield from (self._line(b.FactRow(label, "\n".join(read)), listed) for label, read in values.items())
            if len(origins) == 1:
                yield self._line(b.FactRow(pairs.heads[2], origins[0], is_unread=True), listed)
        else:
            yield from (self._line(row, listed) for row in pairs.rows)

    def _line(self, row: b.FactRow, listed: Part) -> Block:
        label = [Run(self.short(row.label), self.soft)]
        value = [Run(self.short(row.value.replace("\n", " ; ")), self.soft if row.is_unread else self.plain)]
        shares = (44, 56) if len(row.label) <= _BESIDE else (82, 18)
        if len(row.value) <= (_BESIDE if len(row.label) <= _BESIDE else _SHORT):
            return Table([[label, value]], shares, self.device, padding=0.8, after=0, part=listed)
        return Table([[label]], (1,), self.device, below=[[value]], padding=0.8, after=0, part=listed)


def _by_value(rows: Sequence[b.FactRow]) -> Iterator[b.FactRow]:
    labels: dict[str, list[str]] = {}
    for row in rows:
        labels.setdefault(row.value, []).append(row.label)
    yield from (b.FactRow(value, ", ".join(alike)) for value, alike in labels.items())

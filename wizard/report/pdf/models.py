"""Model files on the pages of the PDF: the table of all, what each program makes of them, two side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wizard.report.content.compared_models import ComparisonRow, ComparisonView
from wizard.report.content.model_files import ModelView, table_notes
from wizard.report.pdf.parts import COLORS, STATE_COLORS, Parts, short, value
from wizard.report.pdf.typeset import SOFT, Block, Cell, Run, Style, Table, visible
from wizard.words import words

MODEL_PAGES = 40  # files of which everything is printed; all of them are in the attached case


class ModelParts(Parts):
    """What is known of model files."""

    def models(self, models: tuple[ModelView, ...], comparisons: tuple[ComparisonView, ...]) -> Iterator[Block]:
        """The table of the model files, and what each program makes of them."""
        if not models:
            return
        yield self.heading_of(self._of_models("heading"), level=0)
        plain, soft = Style(size=8.5), Style(size=8.5, color=SOFT)
        rows: list[list[Cell]] = [
            [
                [Run(short(each.name), plain)],
                [Run(visible(" ".join(filter(None, (each.format, each.version)))), plain)],
                [Run(visible(each.writer), soft)],
                [Run(each.size, plain)],
                [Run(each.dependence, plain)],
                [
                    Run(
                        f"{each.symbol} {short(each.word)}",
                        Style(size=8.5, bold=True, color=STATE_COLORS[each.state]),
                    )
                ],
            ]
            for each in models
        ]
        keys = ("name", "format", "writer", "size", "dependence", "verdict")
        head: list[Cell] = [
            [Run(self._of_models(f"column-{key}"), Style(size=8, bold=True, color=SOFT))] for key in keys
        ]
        yield Table(rows, (26, 18, 15, 11, 13, 17), self.device, head=head)
        if len(models) > 1:
            for note in table_notes(models, self.language):
                yield self.paragraph(visible(note), Style(size=8.5, color=SOFT))
        for model in models:
            if model.problem:
                yield self.item(model.name, "×", COLORS["blocking"][0], model.problem)
        for model in models[:MODEL_PAGES]:
            yield from self._verdicts(model)
        if len(models) > MODEL_PAGES:
            left_out = words("models.left-out", self.language, count=len(models) - MODEL_PAGES)
            yield self.paragraph(left_out, Style(size=8.5, color=SOFT))
        for comparison in comparisons:
            yield from self._compared(comparison)

    def _verdicts(self, model: ModelView) -> Iterator[Block]:
        if not model.verdicts:
            return
        yield self.heading_of(f"{model.name}: {self._of_models('heading-verdicts')}", level=1)
        rows: list[list[Cell]] = [
            [
                [Run(visible(verdict.runtime), Style(size=8.5))],
                [
                    Run(
                        f"{verdict.symbol} {verdict.word}",
                        Style(size=8.5, bold=True, color=STATE_COLORS[verdict.state]),
                    )
                ],
                value(verdict.detail),
            ]
            for verdict in model.verdicts
        ]
        yield Table(rows, (24, 22, 54), self.device)

    def _compared(self, comparison: ComparisonView) -> Iterator[Block]:
        """Two model files side by side."""
        names = {"first": comparison.first, "second": comparison.second}
        yield self.heading_of(words("models.heading-compared", self.language, **names), level=0)
        yield self.paragraph(comparison.sentence)
        yield from self._side_by_side(comparison.rows, (self._of_models("column-what"), *names.values()))
        yield self.paragraph(comparison.weights)
        keys = ("column-tensor", "column-difference", "column-face")
        yield from self._side_by_side(comparison.tensors, tuple(map(self._of_models, keys)))

    def _side_by_side(self, rows: Sequence[ComparisonRow], columns: Sequence[str]) -> Iterator[Block]:
        if rows:
            head: list[Cell] = [[Run(visible(column), Style(size=8, bold=True, color=SOFT))] for column in columns]
            cells: list[list[Cell]] = [[value(row.what), value(row.first), value(row.second)] for row in rows]
            yield Table(cells, (30, 35, 35), self.device, head=head)

    def _of_models(self, key: str) -> str:
        return words(f"models.{key}", self.language)

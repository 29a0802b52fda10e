"""Model files as blocks: the table of all, a page for each, and two side by side."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.report.content.blocks import (
    Badge,
    Block,
    Card,
    Detail,
    Files,
    Item,
    Items,
    Pairs,
    Paragraph,
    Place,
    Row,
    Section,
    Table,
)
from wizard.report.content.models.compared import ComparisonView
from wizard.report.content.models.files import ModelView, table_notes
from wizard.report.content.report import Report
from wizard.words import words


def model_sections(report: Report) -> Iterator[Section]:
    """The section about model files; none where none was given."""
    if report.models:
        language = report.language
        compared = tuple(_compared(view, number, language) for number, view in enumerate(report.comparisons))
        yield Section(words("models.heading", language), (_files(report, language), *compared), id="models")


def _files(report: Report, language: str) -> Files:
    models = report.models
    keys = ("name", "format", "writer", "size", "dependence", "verdict")
    rows = []
    for model in models:
        kind = f"{model.format} {model.version}".strip()
        cells = (model.name, kind, model.writer, model.size, model.dependence, model.word)
        rows.append(Row(cells, model.state, tip=model.path))
    columns = tuple(words(f"models.column-{key}", language) for key in keys)
    table = Table("", columns, tuple(rows), code=(0,), is_whole=True)
    notes = tuple(table_notes(models, language)) if len(models) > 1 else ()
    pages = tuple(_page(model, report, is_only=len(models) == 1) for model in models)
    return Files(words("models.heading", language), table, notes, pages)


def _page(model: ModelView, report: Report, *, is_only: bool) -> Section:
    """All that is known of one file. Of several a summary shows only what is wrong with them.

    What it is made of answers no question about results.
    """
    language = report.language
    blocks: list[Block] = []
    if model.problem:
        blocks.append(Items((Item(model.problem),), "×", "blocking"))
    title = words("models.heading-file", language, name=model.name, format=model.format)
    more: list[Block] = []
    if model.verdicts:
        columns = tuple(words(f"models.column-{key}", language) for key in ("runtime", "verdict", "because"))
        more.append(Table(words("models.heading-verdicts", language), columns, model.verdicts, is_whole=True))
    if model.sections:
        facts = tuple(Section(section.title, (Pairs(section.rows),)) for section in model.sections)
        more.append(Section("", facts, place=Place.PAGE, title_apart=title, is_folded=report.is_about_results))
    more_of_it = Section("", tuple(more), detail=Detail.SUMMARY if is_only else Detail.FULL)
    is_shown = is_only or bool(blocks)
    return Section(
        title,
        (*blocks, more_of_it),
        id=model.path,
        detail=Detail.SUMMARY if is_shown else Detail.FULL,
        badge=Badge(model.state, model.symbol),
    )


def _compared(comparison: ComparisonView, number: int, language: str) -> Section:
    names = (comparison.first, comparison.second)
    columns = tuple(words(f"models.column-{key}", language) for key in ("tensor", "difference", "face"))
    return Section(
        words("models.heading-compared", language, first=comparison.first, second=comparison.second),
        (
            *_side_by_side(comparison.rows, (words("models.column-what", language), *names), code=(0, 1, 2)),
            Paragraph(comparison.weights),
            *_side_by_side(comparison.tensors, columns, code=(0, 2)),
        ),
        id=f"compared/{number}",
        note=comparison.sentence,
        card=Card("compared", is_open=True),
    )


def _side_by_side(rows: tuple[Row, ...], columns: tuple[str, ...], code: tuple[int, ...]) -> Iterator[Table]:
    if rows:
        yield Table("", columns, rows, code=code, is_whole=True)

"""The report as text for a terminal: the verdict, and what to do. Everything else is in the other prints."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator

from wizard.report.content.advice import AdviceView
from wizard.report.content.compared_models import ComparisonRow, ComparisonView
from wizard.report.content.measured.blocks import SYMBOLS, MeasuredSection
from wizard.report.content.model_files import ModelView, table_notes
from wizard.report.content.report import FindingView, Report
from wizard.report.content.step_labels import step_label, step_numbers, step_text
from wizard.report.prints.text_columns import width
from wizard.words import words

_MOST_NOT_RUN = 8  # checks that are named of those that did not run for one reason
_FIRST = 3  # remedies and steps are shown in full for so many findings
_LINES = 3  # quoted lines of a text that was sent


def to_terminal(report: Report) -> str:
    """The summary. Control characters that came from outside are made visible: a terminal would obey them."""
    return "\n".join(visible(line) for line in _lines(report))


def visible(line: str) -> str:
    """The line without characters that a terminal obeys (escape sequences, bidirectional overrides)."""
    return "".join("\ufffd" if unicodedata.category(each) in {"Cc", "Cf", "Cs"} else each for each in line)


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.verdict.symbol} {report.verdict.sentence}"
    yield from (f"  {line}" for line in report.verdict.scope)
    yield from (f"  {note}" for note in report.notes)
    yield from _models(report.models, report.language)
    for comparison in report.comparisons:
        yield from _compared(comparison, report.language)
    yield from _sections(report.asked, report.language)
    for number, finding in enumerate(report.shown):
        yield ""
        yield f"{finding.symbol} {finding.severity_word}: {finding.title}"
        if number < _FIRST:
            yield from (f"  {line}" if line else "" for line in _finding(finding, report.language))
        elif finding.remedies:
            yield f"  {words('report.heading-remedy', report.language)}: {finding.remedies[0].title}"
    if len(report.shown) > _FIRST:
        yield ""
        yield words("report.more-steps", report.language)
    if report.questions:
        yield ""
        yield f"{words('report.heading-questions', report.language)}:"
        yield from (f"  - {question}" for question in report.questions)
    if report.advice is not None:
        yield ""
        yield from _advice(report.advice)
    yield from _sections(report.measured, report.language)
    yield from _not_run(report)
    for row in report.probes:
        if row.is_trouble or row.is_slow:
            yield f"! {row.name}: {row.status} {row.seconds} {row.detail}".rstrip()


def _not_run(report: Report) -> Iterator[str]:
    """What is not known, as the verdict counts it; of very much, the beginning."""
    groups = [each for each in report.not_run if each.applies]
    if not groups:
        return
    yield ""
    yield words("report.heading-not-run", report.language)
    for group in groups:
        yield f"  {group.reason}:"
        yield from (f"    {statement}" for statement in group.statements[:_MOST_NOT_RUN])
        left_out = len(group.statements) - _MOST_NOT_RUN
        if left_out > 0:
            yield f"    {words('measurements.rows-left-out', report.language, count=left_out)}"


def _models(models: tuple[ModelView, ...], language: str) -> Iterator[str]:
    """One file with all that is known of it; of several a line each, and what is wrong with them."""
    if len(models) == 1:
        yield ""
        yield from _model(models[0], language)
    elif models:
        yield ""
        keys = ("name", "format", "size", "dependence", "verdict")
        head = ("", *(words(f"models.column-{key}", language) for key in keys))
        rows = [(each.symbol, each.path, each.format, each.size, each.dependence, each.word) for each in models]
        yield from _in_columns([head, *rows])
        for model in models:
            if model.problem:
                yield f"{model.symbol} {model.path}: {model.problem}"
        yield from (f"  {note}" for note in table_notes(models, language))


def _model(model: ModelView, language: str) -> Iterator[str]:
    yield f"{model.symbol} {words('models.heading-file', language, name=model.name, format=model.format)}"
    if model.problem:
        yield f"  {model.problem}"
    for verdict in model.verdicts:
        because = f" ({verdict.detail})" if verdict.detail else ""
        yield f"  {verdict.symbol} {verdict.runtime}: {verdict.word}{because}"
    for section in model.sections:
        yield f"  {section.title}"
        for row in section.rows:
            first, *more = row.value.splitlines() or [""]
            yield f"    {row.label}: {first}"
            yield from (f"      {line}" for line in more)


def _compared(comparison: ComparisonView, language: str) -> Iterator[str]:
    yield ""
    yield words("models.heading-compared", language, first=comparison.first, second=comparison.second)
    yield f"  {comparison.sentence}"
    yield from _side_by_side(comparison.rows)
    yield f"  {comparison.weights}"
    yield from _side_by_side(comparison.tensors)


def _advice(advice: AdviceView) -> Iterator[str]:
    yield advice.title
    yield from (f"  {sentence}" for sentence in advice.sentences)
    for block in advice.blocks:
        yield f"  {block.title}:"
        yield from (f"    {line}".rstrip() for line in block.code.splitlines())
        yield from (f"  {note}" for note in block.notes)


def _sections(sections: tuple[MeasuredSection, ...], language: str) -> Iterator[str]:
    for section in sections:
        yield ""
        yield section.title
        yield from (f"  {line}" if line else "" for line in _measured(section, language))


def _measured(section: MeasuredSection, language: str) -> Iterator[str]:
    """What was measured in sentences and short tables; of a long one the rows that tell of a trouble."""
    yield from section.sentences
    yield from (f"{plot.title}: {plot.summary}" for plot in section.plots)
    for table in section.tables:
        if table.title:
            yield f"{table.title}:"
        symbols = table.has_states
        head = (*[""] * symbols, *table.columns)
        rows = [(*[SYMBOLS[row.state]] * symbols, *row.cells) for row in table.telling]
        if rows:
            numeric = {column + symbols for column in table.numeric}
            yield from (f"  {line}" for line in _in_columns([head, *rows], numeric))
        left_out = len(table.rows) - len(rows)
        if left_out:
            yield f"  {words('measurements.rows-left-out', language, count=left_out)}"
        if table.note:
            yield f"  {table.note}"


def _side_by_side(rows: tuple[ComparisonRow, ...]) -> Iterator[str]:
    if rows:
        yield from (f"    {line}" for line in _in_columns([(row.what, row.first, row.second) for row in rows]))


def _in_columns(rows: list[tuple[str, ...]], numeric: Collection[int] = ()) -> Iterator[str]:
    """Rows whose columns stand below each other, figures at the right; a Japanese character takes two places."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        gaps = (" " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True))
        cells = (
            f"{gap}{cell}" if at in numeric else f"{cell}{gap}"
            for at, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _finding(finding: FindingView, language: str) -> Iterator[str]:
    yield finding.why
    yield from (f"  > {line}" for each in finding.quoted[:_LINES] for line in each.splitlines())
    yield f"{words('report.confidence-label', language)}: {finding.confidence_words}"
    for remedy in finding.remedies[:1]:
        yield f"{words('report.heading-remedy', language)}: {remedy.title}"
        if remedy.risk:
            yield f"  {words('report.heading-risk', language)}: {remedy.risk}"
        for number, step in zip(step_numbers(remedy.steps), remedy.steps, strict=True):
            label, text = step_label(step, language), step_text(step, language)
            head, *behind = [each for each in (label, text) if each] or [""]
            yield from (f"  {line}" for line in (f"{number} {head}".strip(), *behind) if line)
            yield from (f"    {line}" for line in step.code.splitlines())
        yield words("report.verify", language, expect=remedy.verify.expect)
        yield from (f"    {line}" for line in remedy.verify.code.splitlines())
    others = len(finding.remedies) - 1
    if others > 0:
        yield words("report.more-remedies", language, count=others)
